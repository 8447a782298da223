#!/usr/bin/env node
// The clinic's service. `node server.mjs COMMAND`; settings are in the environment (README.md).
//   serve                      the default
//   invite ROLE                prints a code with which one user registers; the first administrator comes so
//   audit                      checks the chain of the audit log, and prints its head
//   backup FOLDER              writes a backup into a new folder, also while the service runs
//   restore FOLDER [SHA256]    fills an empty service from one; SHA256: what `backup` printed
import { join } from 'node:path';
import { createService } from './service/app.mjs';
import { verifyChain } from './service/audit.mjs';
import { backup, restore } from './service/backup.mjs';
import { BlobStore } from './service/blobs.mjs';
import { readConfig } from './service/config.mjs';
import { Database } from './service/database.mjs';
import { ROLE_NAMES } from './service/roles.mjs';
import { entries } from './service/routes/audit.mjs';
import { Users } from './service/users.mjs';

const [command = 'serve', ...args] = process.argv.slice(2);

/** Commands by name: how many arguments they take, and what they do. */
const COMMANDS = {
  serve: { least: 0, most: 0, run: serve },
  invite: {
    least: 1,
    most: 1,
    run: (config, role) => once(config, (database) => invite(database, config, role)),
  },
  audit: {
    least: 0,
    most: 0,
    run: (config) => once(config, (database) => verifyChain(entries(database.db))),
  },
  backup: {
    least: 1,
    most: 1,
    run: (config, folder) => once(config, (database) => backup(database, store(config), folder)),
  },
  restore: {
    least: 1,
    most: 2,
    run: (config, folder, list) =>
      once(config, async (database) => {
        const blobs = store(config);
        await blobs.open();
        return restore(database, blobs, folder, list);
      }),
  },
};

const known = COMMANDS[command];
if (known === undefined || args.length < known.least || args.length > known.most) {
  console.error(
    `unknown command "${[command, ...args].join(' ')}": expected ${Object.keys(COMMANDS).join(', ')}`,
  );
  process.exit(2);
}
try {
  await known.run(readConfig(process.env), ...args);
} catch (error) {
  const found = error.details?.found === undefined ? '' : `; found ${error.details.found}`;
  console.error(`${error.code ?? error.name}: ${error.message}${found}`);
  process.exit(1);
}

async function serve(config) {
  const service = await createService(config);
  console.log(`clinic listens on ${await service.listen()}`);
  const end = async () => {
    await service.close();
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

function store(config) {
  return new BlobStore(join(config.data, 'blobs'));
}

function invite(database, config, role) {
  if (!ROLE_NAMES.includes(role))
    throw new Error(`unknown role "${role}": expected ${ROLE_NAMES.join(', ')}`);
  return new Users(database, config).invite(undefined, role);
}

/** Opens the database, prints what came of it as JSON, and closes it. */
async function once(config, work) {
  const database = await Database.open(config);
  try {
    const result = await work(database);
    console.log(JSON.stringify(result));
    if (result.intact === false) process.exitCode = 1;
  } finally {
    await database.close();
  }
}
