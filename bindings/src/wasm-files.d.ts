// Types of what scripts/build-wasm puts into wasm/, so that this folder compiles before it has run.
// A generated .d.ts beside a file comes first.

declare module '*/single/cipherloom.js' {
  export function initSync(options: { module: WebAssembly.Module }): unknown;
}

declare module '*/threads/cipherloom.js' {
  export function initSync(options: { module: WebAssembly.Module; memory?: WebAssembly.Memory }): unknown;
  export function poolStart(threads: number): void;
}

declare module '*/instance.js' {
  export function instance(): {
    initSync(options: { module: WebAssembly.Module; memory?: WebAssembly.Memory }): unknown;
    poolStart?(threads: number): void;
  };
}

declare module '*/wasm/threads/shared-memory.js' {
  export interface SharedMemory {
    readonly memory: WebAssembly.Memory;
    readonly maximumBytes: number;
  }
  export function sharedMemory(): SharedMemory;
}

declare module '*/wasm/threads/pool.js' {
  export interface Pool {
    readonly ready: Promise<void>;
    stop(): void;
  }
  export function startPool(options: {
    module: Promise<WebAssembly.Module>;
    memory: WebAssembly.Memory;
    threads: number;
    kernels?: readonly WebAssembly.Module[];
    worker: () => {
      postMessage(message: unknown, transfer: any[]): void;
      addEventListener(type: 'message' | 'error', listener: (event: Event) => void): void;
      terminate(): unknown;
      ref?(): void;
      unref?(): void;
    };
    onDeath: (error: Error) => void;
  }): Pool;
}

declare module '*/wasm/threads/kernels.js' {
  export function installKernels(
    table: WebAssembly.Table,
    memory: WebAssembly.Memory,
    kernels: readonly WebAssembly.Module[],
  ): number[][];
}
