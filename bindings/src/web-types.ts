/**
 * Types of the web's, found by what is there at run time: their names do not exist in projects for Node, which read the package's declarations all the same. There each is the one that
 * Node's types have, or never.
 */

/** The instances of a class that is known everywhere. */
type InstanceOf<Name extends string> = typeof globalThis extends {
  [name in Name]: { prototype: infer Instance };
}
  ? Instance
  : never;

/** Those of a class of `WebAssembly`. */
type OfWebAssembly<Name extends string> = typeof globalThis extends {
  WebAssembly: { [name in Name]: { prototype: infer Instance } };
}
  ? Instance
  : never;

export type WasmMemory = OfWebAssembly<'Memory'>;
export type WasmTable = OfWebAssembly<'Table'>;

export type GPUDevice = InstanceOf<'GPUDevice'>;
export type GPUBuffer = InstanceOf<'GPUBuffer'>;
export type GPUBindGroup = InstanceOf<'GPUBindGroup'>;
export type GPUComputePipeline = InstanceOf<'GPUComputePipeline'>;
export type GPUComputePassEncoder = InstanceOf<'GPUComputePassEncoder'>;

/** What WebCrypto takes as a key. */
export type CryptoKey = typeof globalThis extends {
  crypto: { subtle: { exportKey(format: never, key: infer Key): unknown } };
}
  ? Key
  : never;

export interface CryptoKeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}
