/** Gets the compiled wasm of a build of a module: once per loom, shared by its workers. */
import { failure } from '../errors.js';
import type { LoadOptions, Variant, WasmSource, WasmVariant } from '../types.js';
import { refusal } from './memory.js';

/** The module of tasks, that of graphs of users' own, and that of the conformance suite. */
export type Part = 'tasks' | 'graphs' | 'conformance';

/** What a build of a module is started with: nothing, where it is the native one, which its workers load. Errors: as of {@link wasmModule}. */
export async function moduleOf(
  part: Part,
  variant: Variant,
  wasm: LoadOptions['wasm'],
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module | undefined> {
  return variant === 'native' ? undefined : wasmModule(part, variant, wasm, signal);
}

/** Compiles a build. Errors: WorkerError `worker.wasm` if the file cannot be had or is no wasm; MemoryError; abort. */
export async function wasmModule(
  part: Part,
  variant: WasmVariant,
  wasm: LoadOptions['wasm'],
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  const source: WasmSource | undefined = (part === 'tasks' ? wasm : wasm?.[part])?.[variant];
  if (source instanceof WebAssembly.Module) return source;
  const from = source ?? PACKAGED[part](variant);
  try {
    return await (from instanceof URL || typeof from === 'string'
      ? fetched(String(from), signal)
      : WebAssembly.compile(from as BufferSource));
  } catch (cause) {
    signal?.throwIfAborted();
    const refused = refusal(cause);
    if (refused !== undefined) throw refused;
    const address = from instanceof URL || typeof from === 'string' ? String(from) : 'the bytes given';
    throw failure(
      'worker.wasm',
      `The ${variant} build of ${part} could not be loaded from ${address}: ${String(cause)}`,
      { part, variant, address },
      cause,
    );
  }
}

/** Where the package has the file. Bundlers find assets by these literals. */
const PACKAGED: Readonly<Record<Part, (variant: WasmVariant) => URL>> = {
  tasks: (variant) => {
    switch (variant) {
      case 'relaxed':
        return new URL('../../wasm/threads/relaxed.wasm', import.meta.url);
      case 'threads':
        return new URL('../../wasm/threads/cipherloom_bg.wasm', import.meta.url);
      case 'single':
        return new URL('../../wasm/single/cipherloom_bg.wasm', import.meta.url);
    }
  },
  graphs: (variant) => {
    switch (variant) {
      case 'relaxed':
        return new URL('../../wasm/graphs/threads/relaxed.wasm', import.meta.url);
      case 'threads':
        return new URL('../../wasm/graphs/threads/cipherloom_bg.wasm', import.meta.url);
      case 'single':
        return new URL('../../wasm/graphs/single/cipherloom_bg.wasm', import.meta.url);
    }
  },
  conformance: (variant) => {
    switch (variant) {
      case 'relaxed':
        return new URL('../../wasm/conformance/threads/relaxed.wasm', import.meta.url);
      case 'threads':
        return new URL('../../wasm/conformance/threads/cipherloom_bg.wasm', import.meta.url);
      case 'single':
        return new URL('../../wasm/conformance/single/cipherloom_bg.wasm', import.meta.url);
    }
  },
};

async function fetched(address: string, signal: AbortSignal | undefined): Promise<WebAssembly.Module> {
  const fs = address.startsWith('file:') ? globalThis.process?.getBuiltinModule?.('node:fs') : undefined;
  // As Node reads modules: else six reads would take turns with the start of the workers, which wait for what is compiled.
  if (fs !== undefined) return WebAssembly.compile(fs.readFileSync(new URL(address)));
  const response = await fetch(address, { signal: signal ?? null });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // A server that does not know the type is no reason to fail: only streaming insists on it.
  return response.headers.get('Content-Type') === 'application/wasm'
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
