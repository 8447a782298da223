// Types of what scripts/build-wasm puts into wasm/, so that this folder compiles before it has run.
// A generated .d.ts beside a file comes first.

declare module "*/wasm/single/cipherloom.js" {
  export function initSync(options: { module: WebAssembly.Module }): unknown;
}

declare module "*/wasm/threads/cipherloom.js" {
  export function initSync(options: { module: WebAssembly.Module; memory?: WebAssembly.Memory }): unknown;
}

declare module "*/wasm/threads/pool.js" {
  export function startPool(options: {
    module: WebAssembly.Module;
    threads: number;
    memory?: WebAssembly.Memory;
  }): Promise<{ memory: WebAssembly.Memory; monitors: MessagePort[] }>;
}

declare module "*/wasm/threads/monitor.js" {
  export function watchPool(
    monitors: readonly MessagePort[],
    onDeath: (death: { thread: number; message: string }) => void,
  ): () => void;
}
