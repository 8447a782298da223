/**
 * Modules of functions: what they are, by the hash of their bytes, and what this thread has of them. A thread imports a module once, and keeps what it was then whatever becomes of its
 * file: so one that was edited since is not run, and what runs is what was hashed.
 */
import { type CipherloomError, failure, JobError } from '../../errors.js';

type Namespace = Record<string, unknown>;

/** By address, and by the file that this leads to: under which hash it was imported. None where it was edited meanwhile. */
const had = new Map<string, Promise<string | undefined>>();

/** When this thread began to import modules. */
let began: number | undefined;
/** See {@link isReplaced}. */
let replaced = false;

/** `job.refused`: this thread has a module as it was before it was edited, or may have. A new thread can do what this one cannot. */
export class StaleModule extends JobError {
  constructor(module: string) {
    super(
      'job.refused',
      `the module ${shown(module)} was edited after this thread had imported it, and a thread imports a module once: start this process anew; threads of threads() are started anew by themselves`,
      {
        found: 'a module that was edited',
        expected: 'a thread that has not imported it',
        module: shown(module),
      },
    );
  }
}

/** Said by a thread in whose place another one is put where a module is stale: it calls stale what may be, which others would refuse for nothing. */
export function isReplaced(): void {
  replaced = true;
}

/**
 * SHA-256 of a module's bytes, in hexadecimal. It is not run, and what it imports is not looked at. Errors: Error, whose message says why they cannot be had: Node alone reads them, of
 * `file:` and `data:`.
 */
export async function hashOfModule(module: string): Promise<string> {
  // First: a page is not to fetch what it does not need.
  const { createHash } = node('crypto');
  const url = urlOf(module);
  if (url === undefined) throw new Error('it is no URL');
  const bytes =
    url.protocol === 'data:' ? await bytesOfData(url) : await node('fs/promises').readFile(pathOf(url));
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Imports a module. `expected`: as what it was hashed, which is what runs then, even if its file was edited since, as long as this thread has it. Errors: StaleModule; JobError `job.refused` where
 * it is another one than was expected; what the module throws.
 */
export async function importModule(module: string, expected?: string): Promise<Namespace> {
  const address = urlOf(module)?.href ?? module;
  if (expected !== undefined && (await had.get(address)) === expected) return load(module);
  const found = await hashOfModule(module).catch((cause: unknown) => {
    if (expected === undefined) return undefined;
    throw cause;
  });
  // What cannot be hashed, such as modules of a page, nobody has hashed either.
  if (found === undefined) return load(module);
  if (expected !== undefined && found !== expected) throw otherModule(module, found, expected);
  const file = await fileOf(module);
  // Two addresses of one file are one module.
  const known = had.get(address) ?? had.get(file);
  // Another module may have imported it, which nobody told.
  if (known === undefined && replaced && (await wasEdited(file))) throw new StaleModule(module);
  const begun = had.get(address) ?? had.get(file) ?? importAs(module, found);
  for (const name of [address, file]) if (!had.has(name)) had.set(name, begun);
  if ((await begun) !== found) throw new StaleModule(module);
  return load(module);
}

/** JobError `job.refused`: a module is not what a job began with. */
export function otherModule(module: string, found: string, expected: string): CipherloomError {
  return failure(
    'job.refused',
    `the module ${shown(module)} is another one here than where its job took it from: its SHA-256 is ${found}, expected ${expected}. It was edited since, or machines have different files: give all the same, and run the job again`,
    { found, expected, module: shown(module) },
  );
}

/** A module's address, for people. */
export const shown = (module: string): string =>
  module.length > 200 ? `${module.slice(0, 200)}...` : module;

/** Imports what was hashed just now. Gives the hash, unless the file was written to meanwhile: then nobody knows what was imported. */
async function importAs(module: string, hash: string): Promise<string | undefined> {
  began ??= Date.now();
  // What it throws, it throws again.
  await load(module).catch(() => {});
  const after = await hashOfModule(module).catch(() => undefined);
  return after === hash ? hash : undefined;
}

/** An address, told at run time: no bundler follows. */
function load(module: string): Promise<Namespace> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ module) as Promise<Namespace>;
}

async function bytesOfData(url: URL): Promise<Uint8Array> {
  const data = await fetch(url).catch((cause: unknown) => {
    throw new Error('its data cannot be read', { cause });
  });
  return new Uint8Array(await data.arrayBuffer());
}

/** The file that an address leads to, links followed, as an address; another address as it is. */
async function fileOf(module: string): Promise<string> {
  const url = new URL(module);
  if (url.protocol !== 'file:') return url.href;
  const file = node('url').pathToFileURL(await node('fs/promises').realpath(pathOf(url)));
  // What the URL has behind its path makes another module of the same file.
  return `${file.href}${url.search}${url.hash}`;
}

/** Whether a file was changed since this thread began to import modules. One of a time to come is of another clock, which tells nothing. */
async function wasEdited(file: string): Promise<boolean> {
  const url = new URL(file);
  if (began === undefined || url.protocol !== 'file:') return false;
  const { ctimeMs } = await node('fs/promises').stat(pathOf(url));
  return ctimeMs >= began && ctimeMs <= Date.now();
}

function pathOf(url: URL): string {
  if (url.protocol !== 'file:') throw new Error(`${url.protocol} cannot be read before it is run`);
  const path = new URL(url);
  path.search = path.hash = '';
  return node('url').fileURLToPath(path);
}

function urlOf(module: string): URL | undefined {
  try {
    return new URL(module);
  } catch {
    return undefined;
  }
}

interface Builtins {
  readonly crypto: typeof import('node:crypto');
  readonly 'fs/promises': typeof import('node:fs/promises');
  readonly url: typeof import('node:url');
}

function node<K extends keyof Builtins>(name: K): Builtins[K] {
  const found = globalThis.process?.getBuiltinModule?.(`node:${name}`) as Builtins[K] | undefined;
  if (found !== undefined) return found;
  throw new Error('modules are read in Node alone');
}
