/**
 * The native build for Node: `cipherloom-native`, a package of its own, which is taken where it is installed. It is loaded here, on
 * the thread that loads the package, to see that it can be, and again by each worker, which then computes with it.
 */
import type { RawInstance } from './raw.js';
import { VERSION } from './version.js';

/** What {@link findNative} has found. */
export interface Native {
  /** The addon. Undefined where it cannot be taken. */
  readonly path?: string;
  /** Why it cannot be taken. Undefined, as well, where nothing is installed that could be. */
  readonly problem?: string;
}

/** What the package of the native build tells of itself. */
interface Package {
  /** Where the addon for this machine lies. Throws where there is none. */
  path(): string;
}

/** What every addon has. */
interface Addon {
  version(): string;
  poolStart(threads: number): void;
}

const NAME = 'cipherloom-native';

/** Looks for the native build, and loads it. Never throws. */
export function findNative(): Native {
  const { process } = globalThis;
  // Hosts that are like Node may have other addons.
  if (process?.versions?.node === undefined || 'bun' in process.versions || 'deno' in process.versions)
    return {};
  const folder = import.meta.dirname;
  const load = folder === undefined ? undefined : required(`${folder}/native.js`);
  let found: Package;
  try {
    found = load?.(NAME) as Package;
  } catch (error) {
    return (error as { code?: unknown }).code === 'MODULE_NOT_FOUND' ? {} : { problem: String(error) };
  }
  if (found === undefined) return {};
  try {
    const path = found.path();
    const version = (load?.(path) as Addon).version();
    return version === VERSION
      ? { path }
      : { problem: `it is of version ${version}, and this package of ${VERSION}` };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Starts an instance in this worker, with threads of the system. */
export function openNative<M>(path: string, threads: number): RawInstance<M> {
  const addon = required(path)?.(path) as Addon;
  addon.poolStart(threads);
  // As much as the builds in wasm may take, so that programs are the same.
  return { raw: addon as unknown as M, memoryBytes: 2 ** 32, memory: undefined };
}

/** `require`, as of a file. Bundlers see no name that they could follow. */
function required(file: string): ((name: string) => unknown) | undefined {
  return globalThis.process?.getBuiltinModule?.('node:module').createRequire(file);
}
