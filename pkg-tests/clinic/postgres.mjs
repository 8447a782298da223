// A PostgreSQL of a test's own: on a free port, in a temporary folder, by a user who is not root, ended with the tests of the file that started it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgres } from '../../scripts/lib/postgres.mjs';
import { endWithThis, temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';

const BIN = postgres();
/** Whom the server runs as where this process is root, which it refuses to be. */
const USER = process.getuid?.() === 0 ? account('postgres') : {};
/** Why tests with PostgreSQL are left out, or undefined. */
export const skip =
  (BIN === null && 'PostgreSQL is not installed: node scripts/setup.mjs --tests installs it on Debian') ||
  (USER === undefined && 'PostgreSQL does not run as root, and there is no user postgres');

/** Starts one; gives the address of an empty database. */
export async function startPostgres() {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const [user, password] = ['clinic', 'a password of this test'];
  const file = join(folder, 'password');
  writeFileSync(file, password);
  if (USER.uid !== undefined) for (const path of [folder, data, file]) chownSync(path, USER.uid, USER.gid);
  const made = spawnSync(
    join(BIN, 'initdb'),
    ['-D', data, '-U', user, '--auth=scram-sha-256', `--pwfile=${file}`, '-E', 'UTF8', '--no-sync'],
    { ...USER, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const child = spawn(join(BIN, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...USER,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithThis(child);
  let output = '';
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`postgres ended with ${code}\n${output}`)));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('ready to accept connections')) resolve();
    });
  });
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      // Ends sessions, too.
      child.kill('SIGINT');
      await ended;
    },
  };
}

function account(name) {
  const number = (what) => spawnSync('id', [what, name], { encoding: 'utf8' });
  const [uid, gid] = ['-u', '-g'].map(number);
  return uid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}
