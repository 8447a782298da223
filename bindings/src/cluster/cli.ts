#!/usr/bin/env node
/** `npx cipherloom`: a worker of a cluster, hashes for the list of what it may run, and the service of best implementations. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CipherloomError } from '../errors.js';
import type { Kind } from '../job/kinds.js';
import { readAllowed } from './allow.js';
import { folderStore } from './folder-store.js';
import { hashOf } from './named.js';
import { isName, LONGEST_MS, NAME } from './options.js';
import { redisStore } from './redis-store.js';
import { s3Store } from './s3-store.js';
import type { SharedStore } from './shared-store.js';
import { packageVersion } from './version.js';
import { clusterWorker } from './worker.js';

const HELP = `npx cipherloom worker [options]   does tasks of jobs that a manager sends through Redis
npx cipherloom hash FILE...       prints the SHA-256 of modules, circuits and programs, for --allow
npx cipherloom tune               serves the best implementations of operators; settings are in the
                                  environment, such as TUNE_DATA, TUNE_EXPLORERS, TUNE_MAINTAIN_TOKEN
npx cipherloom --version

Options of worker:
  --redis URL      redis://user:password@host:port/database, or rediss:// for TLS.
                   Better in the environment, as CIPHERLOOM_REDIS: others see a command line.
                   redis://localhost:6379 where neither is there
  --ca FILE        rediss://: who may have signed the certificate of Redis (PEM)
  --prefix NAME    what names in Redis begin with, as the manager has it (cipherloom)
  --kind cpu|gpu   what this worker is (cpu)
  --threads N      tasks at a time, each in a thread of its own (1)
  --store PLACE    where chunks lie, as the manager has it: redis, folder:PATH, or
                   s3://BUCKET/PREFIX, which takes region, endpoint and credentials from where
                   AWS' own tools do, such as AWS_REGION and AWS_ENDPOINT_URL (redis)
  --allow FILE     what it may run: a SHA-256 on each line. Without it, nothing
  --files FOLDER   whose files its tasks may read; may be given several times
  --allow-any      it runs and reads whatever it is told: whoever can write to that Redis
                   can run programs on this machine
  --lease SECONDS  after which others do its tasks if nothing is heard of it (6)

It ends after the tasks that it has on SIGTERM or SIGINT, and at once on a second one.`;

async function main([command, ...rest]: string[]): Promise<number> {
  switch (command) {
    case 'worker':
      return worker(rest);
    case 'hash':
      return hash(rest);
    case 'tune':
      return tune(rest);
    case '--version':
      console.log(packageVersion());
      return 0;
    case '--help':
    case '-h':
      console.log(HELP);
      return 0;
    default:
      console.error(command === undefined ? HELP : `cipherloom: unknown command "${command}"\n\n${HELP}`);
      return 2;
  }
}

async function hash(files: readonly string[]): Promise<number> {
  if (files.length === 0 || files.some((file) => file.startsWith('--'))) {
    console.error(`cipherloom hash: expected files\n\n${HELP}`);
    return 2;
  }
  for (const file of files) console.log(`${hashOf(await readFile(file))}  # ${file}`);
  return 0;
}

/** Serves until SIGTERM or SIGINT. */
async function tune(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    console.error(`cipherloom tune: expected no arguments, found "${args[0]}"\n\n${HELP}`);
    return 2;
  }
  const { createTuneService, readSettings } = await import('../tune/service/index.js');
  const service = await createTuneService(readSettings(process.env, readFileSync));
  console.log(`best implementations are served at ${await service.listen()}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await service.close();
  return 0;
}

const OPTIONS = {
  redis: { type: 'string' },
  ca: { type: 'string' },
  prefix: { type: 'string' },
  kind: { type: 'string' },
  threads: { type: 'string' },
  store: { type: 'string' },
  allow: { type: 'string' },
  files: { type: 'string', multiple: true },
  'allow-any': { type: 'boolean' },
  lease: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function worker(args: string[]): Promise<number> {
  let given;
  try {
    given = parseArgs({ args, options: OPTIONS, strict: true }).values;
  } catch (error) {
    console.error(`cipherloom worker: ${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (given.help) {
    console.log(HELP);
    return 0;
  }
  const wrong = wrongIn(given);
  if (wrong !== undefined) {
    console.error(`cipherloom worker: ${wrong}\n\n${HELP}`);
    return 2;
  }
  const { ca, prefix, kind = 'cpu', threads = '1', allow, lease = '6' } = given;
  const redis = given.redis ?? process.env['CIPHERLOOM_REDIS'] ?? 'redis://localhost:6379';
  const reached = {
    redis,
    ...(ca !== undefined && { tls: { ca: await readFile(ca) } }),
    ...(prefix !== undefined && { prefix }),
  };
  const allowed = given['allow-any'] ? 'any' : allow === undefined ? [] : await readAllowed(allow);
  const store = await storeOf(given.store ?? 'redis', reached);
  const print = (text: string): void => console.log(`${new Date().toISOString()} ${text}`);
  if (given['allow-any']) print('--allow-any: runs whatever it is sent');
  else if (allow === undefined) print('without --allow it refuses all modules, circuits and programs');
  const working = await clusterWorker({
    ...reached,
    store,
    kind: kind as Kind,
    threads: Number(threads),
    lease: Number(lease) * 1000,
    allow: allowed,
    files: given.files ?? [],
    print,
  });
  await new Promise<void>((resolve) => {
    let asked = false;
    const end = (signal: string): void => {
      const now = asked;
      asked = true;
      print(now ? `${signal} again: ends now` : `${signal}: ends after the tasks that it has`);
      void working.close(now).then(resolve);
      // A function that never ends, or a store that does not answer, is no reason to stay.
      if (now) setTimeout(() => process.exit(1), 3000).unref();
    };
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => end(signal));
  });
  await store.close();
  // Where Redis is away its libraries go on for a while. A GPU may take its time, too, but has nothing to do.
  setTimeout(() => process.exit(0), ENDING_MS).unref();
  return 0;
}

/** After which a worker that has ended is not to be a process any more. */
const ENDING_MS = 500;

/** A bucket, and what names in it begin with. */
const BUCKET = /^s3:\/\/(?<bucket>[^/]+)\/?(?<prefix>.*?)\/?$/;

interface Given {
  readonly prefix?: string | undefined;
  readonly kind?: string | undefined;
  readonly threads?: string | undefined;
  readonly store?: string | undefined;
  readonly allow?: string | undefined;
  readonly 'allow-any'?: boolean | undefined;
  readonly lease?: string | undefined;
}

/** What is wrong with the options, in words. */
function wrongIn({
  kind = 'cpu',
  threads = '1',
  store = 'redis',
  prefix,
  allow,
  lease = '6',
  ...rest
}: Given): string | undefined {
  if (kind !== 'cpu' && kind !== 'gpu') return `--kind is "${kind}", expected cpu or gpu`;
  if (!/^\d+$/.test(threads) || Number(threads) < 1 || Number(threads) > 256)
    return `--threads is "${threads}", expected a whole number from 1 to 256`;
  if (store !== 'redis' && !/^folder:./.test(store) && !BUCKET.test(store))
    return `--store is "${store}", expected redis, folder:PATH or s3://BUCKET/PREFIX`;
  if (prefix !== undefined && !isName(prefix))
    return `--prefix is ${JSON.stringify(prefix)}, expected ${NAME}`;
  const longest = LONGEST_MS / 1000;
  if (!(Number(lease) >= 1 && Number(lease) <= longest))
    return `--lease is "${lease}", expected a number of seconds from 1 to ${longest}`;
  if (allow !== undefined && rest['allow-any']) return '--allow and --allow-any exclude each other';
  return undefined;
}

async function storeOf(
  place: string,
  reached: { redis: string; tls?: object; prefix?: string },
): Promise<SharedStore> {
  if (place === 'redis') return redisStore(reached);
  const { bucket, prefix } = BUCKET.exec(place)?.groups ?? {};
  if (bucket === undefined) return folderStore(place.slice('folder:'.length));
  return s3Store({ bucket, ...(prefix && { prefix: `${prefix}/` }) });
}

main(process.argv.slice(2)).then(
  (status) => (process.exitCode = status),
  (error: unknown) => {
    // No stack: what can be done about it is in the message.
    const text =
      error instanceof CipherloomError ? `${error.message} [${error.code}]` : (error as Error).message;
    console.error(`cipherloom: ${text}`);
    process.exit(1);
  },
);
