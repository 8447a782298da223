/**
 * A GPU, by way of WebGPU: buffers, pipelines and submissions. It knows no operator: shaders come from the core
 * (`engine/src/platform/gpu`), which says what their records hold.
 */
import { CipherloomError, failure } from '../errors.js';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUComputePassEncoder,
  GPUComputePipeline,
  GPUDevice,
} from '../web-types.js';
import { answer, entry, none, quiet } from './entry.js';

/** A buffer, or a part of it. */
interface BufferPart {
  readonly buffer: GPUBuffer;
  readonly offset?: number;
  readonly size?: number;
}

/** An operator's shader, and what the operator brings to it. */
export interface ShaderCall {
  /** WGSL, with the entry points `pass0`, `pass1`, ... */
  readonly source: string;
  /** Workgroups in each pass. */
  readonly passes: Uint32Array;
  readonly constants: Uint32Array;
  /** 64-bit words. */
  readonly table: Uint8Array;
  /** The words of each input. */
  readonly inputs: readonly Uint8Array[];
  /** Words of the output. */
  readonly size: number;
}

// Flags of the specification: not every place that has WebGPU has their names as globals.
export const MAP_READ = 1;
export const COPY_SRC = 4;
export const COPY_DST = 8;
export const STORAGE = 128;
const COMPUTE = 4;
const WORD = 8;
/** What a shader may not leave as it was. */
const RUBBISH = 0xa5;
/** Where a part of a buffer that is bound may begin. */
const ALIGNMENT = 256;

/** What is asked after work whether something was wrong with it. */
const SCOPES = ['validation', 'out-of-memory', 'internal'] as const;

/** What is asked for as large as the adapter has it. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupSizeX',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
] as const;

/** Devices that were not closed. */
const open = new Set<GpuDevice>();

/** Closes all devices, and waits for their last answers. */
export async function closeAll(): Promise<void> {
  for (const device of open) device.close();
  await quiet();
}

/** A device, until it is closed or lost. */
export class GpuDevice {
  /** What its adapter calls itself, if it does. */
  readonly name: string | undefined;
  /** All that is told of it: times that were measured on one do not hold on another one, nor with another driver. */
  readonly told: string;
  /** Its kind, as far as its adapter tells it. */
  readonly kind: { readonly vendor: string; readonly architecture: string };
  /** Whether it is software that stands in for a GPU, and computes on the processors. */
  readonly isSoftware: boolean;
  /** The device, for whoever fills its buffers. */
  readonly handle: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline[]>>();
  #lost: string | undefined;

  private constructor(device: GPUDevice, info: Partial<GPUAdapterInfo>) {
    const told = [info.vendor, info.architecture, info.description].filter(Boolean);
    this.name = told.join(', ') || undefined;
    this.kind = { vendor: info.vendor ?? '', architecture: info.architecture ?? '' };
    this.told = [info.vendor, info.architecture, info.device, info.description].join('; ');
    this.isSoftware = info.isFallbackAdapter ?? /swiftshader|llvmpipe|basic render/i.test(this.told);
    this.handle = device;
    const buffer = (binding: number, type: GPUBufferBindingType): GPUBindGroupLayoutEntry => ({
      binding,
      visibility: COMPUTE,
      buffer: { type },
    });
    this.#layout = device.createBindGroupLayout({
      entries: [buffer(0, 'storage'), buffer(1, 'read-only-storage'), buffer(2, 'read-only-storage')],
    });
    open.add(this);
    void device.lost.then(({ message, reason }) => (this.#lost = message || reason));
  }

  /** Errors: GpuError `gpu.none`. */
  static async open(): Promise<GpuDevice> {
    const gpu = await entry();
    try {
      const adapter = await answer(gpu.requestAdapter());
      if (adapter === null) throw none('WebGPU without an adapter');
      const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
      // Older browsers have no `info`.
      const info = (adapter.info as GPUAdapterInfo | undefined) ?? {};
      return new GpuDevice(await answer(adapter.requestDevice({ requiredLimits })), info);
    } catch (cause) {
      throw cause instanceof CipherloomError
        ? cause
        : none(`its adapter gives no device (${String(cause)})`, cause);
    }
  }

  /**
   * Computes operators that do not wait for each other, those of one shader in one dispatch; gives the words of each. Errors: GpuError `gpu.shader`,
   * `gpu.limit`, `gpu.memory`, `gpu.lost`.
   */
  async compute(calls: readonly ShaderCall[]): Promise<Uint8Array[]> {
    const { maxComputeWorkgroupsPerDimension: most } = this.handle.limits;
    const groups = byShader(calls, most);
    const pipelines = await settled(groups.map(([first]) => this.pipelines(first!)));
    const made: GPUBuffer[] = [];
    const filled = (bytes: Uint8Array, usage: number): GPUBuffer => {
      const buffer = this.handle.createBuffer({
        size: Math.max(bytes.byteLength, 16),
        usage: usage | COPY_DST,
      });
      made.push(buffer);
      this.handle.queue.writeBuffer(buffer, 0, bytes as Uint8Array<ArrayBuffer>);
      return buffer;
    };
    try {
      const { arena, outputs, tables, places } = arranged(calls);
      const { records, starts } = recordsOf(groups, places);
      for (const { byteLength } of [arena, tables, records]) this.checkSize(byteLength);
      const result = await this.guarded(() => {
        const [words, table, record] = [
          filled(arena, STORAGE | COPY_SRC),
          filled(tables, STORAGE),
          filled(records, STORAGE),
        ];
        const encoder = this.handle.createCommandEncoder();
        const pass = encoder.beginComputePass();
        for (const [at, group] of groups.entries()) {
          const [offset, size] = starts[at]!;
          pass.setBindGroup(0, this.bound(words, { buffer: record, offset, size }, table));
          dispatch(pass, pipelines[at]!, group[0]!.passes, group.length);
        }
        pass.end();
        const result = this.handle.createBuffer({ size: Math.max(outputs, 16), usage: MAP_READ | COPY_DST });
        made.push(result);
        encoder.copyBufferToBuffer(words, 0, result, 0, outputs);
        this.handle.queue.submit([encoder.finish()]);
        return result;
      });
      await answer(result.mapAsync(MAP_READ));
      const all = new Uint8Array(result.getMappedRange());
      const parts = calls.map((call) => {
        const from = WORD * places.outputs.get(call)!;
        return all.slice(from, from + WORD * call.size);
      });
      result.unmap();
      return parts;
    } catch (cause) {
      throw this.named(cause);
    } finally {
      for (const buffer of made) buffer.destroy();
    }
  }

  /** Ends it: its memory is free again. */
  close(): void {
    open.delete(this);
    this.handle.destroy();
  }

  /** Whether it cannot be used any more. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** What a shader's bindings are: memory, records, tables. */
  bound(memory: GPUBuffer, records: BufferPart, tables: GPUBuffer): GPUBindGroup {
    const entries = [{ buffer: memory }, records, { buffer: tables }];
    return this.handle.createBindGroup({
      layout: this.#layout,
      entries: entries.map((resource, binding) => ({ binding, resource })),
    });
  }

  /** Errors: GpuError `gpu.limit` for more bytes than can be bound. */
  checkSize(bytes: number): void {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.handle.limits;
    const limit = Math.min(maxStorageBufferBindingSize, maxBufferSize);
    if (bytes <= limit) return;
    const told = { found: bytes, expected: limit };
    throw failure('gpu.limit', `A buffer of ${bytes} bytes: the GPU takes at most ${limit}`, told);
  }

  /** Does something with it that does not wait, and resolves once nothing was wrong with it: what failed leaves old bytes. Errors: `gpu.memory`, `gpu.shader`, `gpu.lost`. */
  async guarded<T>(work: () => T): Promise<T> {
    for (const scope of SCOPES) this.handle.pushErrorScope(scope);
    const problems = (): Promise<(GPUError | null)[]> =>
      Promise.all(SCOPES.map(() => answer(this.handle.popErrorScope())));
    try {
      let result: T;
      try {
        result = work();
      } catch (cause) {
        await problems().catch(() => {});
        throw cause;
      }
      // The last one that was pushed first.
      const [internal, memory, validation] = await problems();
      if (memory) throw failure('gpu.memory', `The GPU has no memory: ${memory.message}`);
      const wrong = validation ?? internal;
      if (wrong) throw failure('gpu.shader', `The GPU refused work: ${wrong.message}`);
      return result;
    } catch (cause) {
      throw this.named(cause);
    }
  }

  /** The pipelines of a shader, one for each pass. Errors: GpuError `gpu.shader`, `gpu.lost`. */
  pipelines({ source, passes }: Pick<ShaderCall, 'source' | 'passes'>): Promise<GPUComputePipeline[]> {
    let found = this.#pipelines.get(source);
    if (found === undefined) {
      found = this.#compiled(source, passes.length);
      this.#pipelines.set(source, found);
    }
    return found;
  }

  async #compiled(code: string, passes: number): Promise<GPUComputePipeline[]> {
    const layout = this.handle.createPipelineLayout({ bindGroupLayouts: [this.#layout] });
    // What is wrong with it is told below, and to nobody's console.
    this.handle.pushErrorScope('validation');
    const module = this.handle.createShaderModule({ code });
    void answer(this.handle.popErrorScope()).catch(() => {});
    const pipeline = (number: number): Promise<GPUComputePipeline> =>
      answer(
        this.handle.createComputePipelineAsync({ layout, compute: { module, entryPoint: `pass${number}` } }),
      );
    try {
      return await settled(Array.from({ length: passes }, (_, number) => pipeline(number)));
    } catch (cause) {
      const { messages } = await answer(module.getCompilationInfo());
      const [first] = messages.filter(({ type }) => type === 'error');
      const where = first && ` (line ${first.lineNum}: ${first.message})`;
      throw this.named(
        failure('gpu.shader', `The GPU does not take a shader${where ?? `: ${String(cause)}`}`, {}, cause),
      );
    }
  }

  /** What went wrong, which is the loss of the device where it was lost. */
  named(cause: unknown): unknown {
    if (this.#lost !== undefined) return failure('gpu.lost', `The GPU was lost: ${this.#lost}`, {}, cause);
    if (cause instanceof CipherloomError) return cause;
    return cause instanceof RangeError
      ? failure('gpu.memory', `No memory for what goes to the GPU: ${cause.message}`, {}, cause)
      : failure('gpu.lost', `The GPU gave no answer: ${String(cause)}`, {}, cause);
  }
}

/** As `Promise.all`, but where one fails, after all have ended: a thread of Node's that ends while something is compiled takes the process with it. */
export async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** All passes of a shader on so many operators. */
export function dispatch(
  pass: GPUComputePassEncoder,
  pipelines: readonly GPUComputePipeline[],
  passes: Uint32Array,
  operators: number,
): void {
  for (const [number, pipeline] of pipelines.entries()) {
    pass.setPipeline(pipeline);
    pass.dispatchWorkgroups(passes[number]!, operators);
  }
}

/** Operators of one shader together, as many as one dispatch takes. */
function byShader(calls: readonly ShaderCall[], most: number): ShaderCall[][] {
  const open = new Map<string, ShaderCall[]>();
  const groups: ShaderCall[][] = [];
  for (const call of calls) {
    let group = open.get(call.source);
    if (group === undefined || group.length === most) {
      group = [];
      open.set(call.source, group);
      groups.push(group);
    }
    group.push(call);
  }
  return groups;
}

/** Where everything lies, in words: outputs first, so that they are read in one go. */
interface Places {
  readonly outputs: Map<ShaderCall, number>;
  readonly inputs: Map<ShaderCall, number[]>;
  readonly tables: Map<ShaderCall, number>;
}

/** What goes there, and how many bytes of the arena are outputs. */
interface Arranged {
  readonly arena: Uint8Array;
  readonly outputs: number;
  readonly tables: Uint8Array;
  readonly places: Places;
}

export function arranged(calls: readonly ShaderCall[]): Arranged {
  const places: Places = { outputs: new Map(), inputs: new Map(), tables: new Map() };
  let words = 0;
  for (const call of calls) {
    places.outputs.set(call, words);
    words += call.size;
  }
  const outputs = WORD * words;
  for (const call of calls) {
    const own = call.inputs.map((input) => {
      const at = words;
      words += input.byteLength / WORD;
      return at;
    });
    places.inputs.set(call, own);
  }
  const tables: Uint8Array[] = [];
  let end = 0;
  for (const call of calls) {
    const { table } = call;
    const last = tables.at(-1);
    // Operators in a row often have one table.
    if (last === undefined || !same(last, table)) {
      tables.push(table);
      end += table.byteLength / WORD;
    }
    places.tables.set(call, end - table.byteLength / WORD);
  }
  const arena = new Uint8Array(WORD * words);
  arena.fill(RUBBISH, 0, outputs);
  for (const call of calls)
    for (const [index, input] of call.inputs.entries())
      arena.set(input, WORD * places.inputs.get(call)![index]!);
  return { arena, outputs, tables: joined(tables), places };
}

/** The records of each group, one after the other, and where in the bytes those of a group lie. */
export function recordsOf(
  groups: readonly (readonly ShaderCall[])[],
  places: Places,
): { records: Uint8Array; starts: [offset: number, size: number][] } {
  const parts: Uint8Array[] = [];
  const starts: [number, number][] = [];
  let at = 0;
  for (const group of groups) {
    const numbers = group.flatMap((call) => [
      places.outputs.get(call)!,
      ...places.inputs.get(call)!,
      ...call.constants,
      places.tables.get(call)!,
    ]);
    const bytes = new Uint8Array(Uint32Array.from(numbers).buffer);
    const padded = new Uint8Array(Math.ceil(bytes.byteLength / ALIGNMENT) * ALIGNMENT);
    padded.set(bytes);
    starts.push([at, bytes.byteLength]);
    parts.push(padded);
    at += padded.byteLength;
  }
  return { records: joined(parts), starts };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}
