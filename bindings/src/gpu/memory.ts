/** What a device holds beyond one submission: the memory of runs, tables, and inputs that come again, such as keys. It ends with the device. */
import type { RawDevice, RawDeviceJob } from '../raw.js';
import { COPY_DST, COPY_SRC, type GpuDevice, STORAGE } from './device.js';

const WORD = 8;
/** A binding is never empty. */
const LEAST = 16;
/** Most bytes of inputs that are kept. */
const KEPT = 1 << 29;
/** Most bytes of tables; where there are more, those of earlier runs are dropped. */
const TABLES = 1 << 28;

/** What a run has there. */
export interface RunMemory {
  readonly words: GPUBuffer;
  readonly tables: GPUBuffer;
  /** Inputs by their numbers. */
  readonly kept: ReadonlyMap<number, GPUBuffer>;
}

/** See above. One run at a time uses it. */
export class GpuMemory {
  readonly #device: GpuDevice;
  #words: GPUBuffer | undefined;
  #tables: { buffer: GPUBuffer; starts: Map<string, number>; end: number } | undefined;
  /** By their identities, those that were used last at the end. */
  readonly #kept = new Map<string, GPUBuffer>();

  constructor(device: GpuDevice) {
    this.#device = device;
  }

  /** Makes room for a run, and tells it where its tables are and what is kept. Errors: GpuError `gpu.limit`, `gpu.memory`, `gpu.lost`. */
  async open(job: RawDeviceJob, { words, tables, inputs }: RawDevice): Promise<RunMemory> {
    this.#device.checkSize(WORD * words);
    const opened = this.#device.guarded(() => {
      const size = Math.max(WORD * words, LEAST);
      // What is far larger than needed is another run's.
      if (this.#words === undefined || this.#words.size < size || this.#words.size > 4 * size) {
        this.#words?.destroy();
        this.#words = this.#device.handle.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
      }
      const starts = this.#placed(job, tables);
      const kept = this.#held(job, inputs);
      job.openDevice(starts, Uint32Array.from(kept.keys()));
      return { words: this.#words, tables: this.#tables!.buffer, kept };
    });
    // A buffer that could not be had is none.
    opened.catch(() => this.free());
    return opened;
  }

  /** Gives back what it has. */
  free(): void {
    this.#words?.destroy();
    this.#tables?.buffer.destroy();
    for (const buffer of this.#kept.values()) buffer.destroy();
    this.#words = this.#tables = undefined;
    this.#kept.clear();
  }

  /** Where tables begin; those that are not there are added. */
  #placed(job: RawDeviceJob, ids: readonly string[]): Uint32Array {
    const known = this.#tables;
    const added = ids.flatMap((id, index) => {
      if (known?.starts.has(id)) return [];
      return [{ id, bytes: job.table(index) as Uint8Array<ArrayBuffer> }];
    });
    const more = added.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    if (known === undefined || WORD * known.end + more > known.buffer.size) {
      const all = WORD * (known?.end ?? 0) + more;
      if (known !== undefined && all > TABLES) {
        known.buffer.destroy();
        this.#tables = undefined;
        return this.#placed(job, ids);
      }
      // Twice as large as needed, so that few runs move it.
      const size = Math.max(Math.min(2 * all, TABLES), all, LEAST);
      this.#device.checkSize(size);
      const buffer = this.#device.handle.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
      if (known !== undefined && known.end > 0) {
        const encoder = this.#device.handle.createCommandEncoder();
        encoder.copyBufferToBuffer(known.buffer, 0, buffer, 0, WORD * known.end);
        this.#device.handle.queue.submit([encoder.finish()]);
        known.buffer.destroy();
      }
      this.#tables = { buffer, starts: known?.starts ?? new Map(), end: known?.end ?? 0 };
    }
    const tables = this.#tables!;
    for (const { id, bytes } of added) {
      // No shader reads these yet.
      if (bytes.byteLength > 0)
        this.#device.handle.queue.writeBuffer(tables.buffer, WORD * tables.end, bytes);
      tables.starts.set(id, tables.end);
      tables.end += bytes.byteLength / WORD;
    }
    return Uint32Array.from(ids, (id) => tables.starts.get(id)!);
  }

  /** The buffers of inputs, by their numbers; those that do not fit are left to the run. */
  #held(job: RawDeviceJob, inputs: RawDevice['inputs']): Map<number, GPUBuffer> {
    const held = new Map<number, GPUBuffer>();
    const wanted = new Set(inputs.map(({ id }) => id));
    let free = KEPT - [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const { number, id, words } of inputs) {
      let buffer = this.#kept.get(id);
      const size = Math.max(WORD * words, LEAST);
      if (buffer === undefined) {
        for (const [old, other] of this.#kept) {
          if (free >= size) break;
          if (wanted.has(old)) continue;
          other.destroy();
          this.#kept.delete(old);
          free += other.size;
        }
        if (free < size || size > this.#device.handle.limits.maxBufferSize) continue;
        buffer = this.#device.handle.createBuffer({ size, usage: COPY_SRC | COPY_DST });
        this.#device.handle.queue.writeBuffer(buffer, 0, job.input(number) as Uint8Array<ArrayBuffer>);
        free -= size;
      }
      // Now the last one.
      this.#kept.delete(id);
      this.#kept.set(id, buffer);
      held.set(number, buffer);
    }
    return held;
  }
}
