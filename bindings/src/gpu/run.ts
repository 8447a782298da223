/**
 * A run's part on a GPU: gives the device what is ready, and takes what comes back. Loaded where a run has operators that are placed there, and no sooner. The
 * device stays for later runs of this worker.
 */
import type { RawDevice, RawDeviceJob, RawSubmission } from '../raw.js';
import { answer } from './entry.js';
import { closeAll, COPY_DST, COPY_SRC, dispatch, GpuDevice, MAP_READ, settled, STORAGE } from './device.js';
import type { SubmissionTrace } from '../types.js';
import { GpuMemory, type RunMemory } from './memory.js';

const WORD = 8;
/** Submissions that are under way at most: one computes while the next one waits. Browsers end devices that do not answer for seconds, and a run has to be stopped. */
const MOST = 2;
/** What a submission is to take. */
const AIM_MS = 10;
/** Work of the first one, and bounds of all, in the core's unit: a millisecond of one thread is about a million. */
const [FIRST, FEWEST, MOST_WORK] = [1e7, 1e5, 1e11];
/** Numbers of a command. */
const COMMAND = 5;

/** What all runs of a worker share. */
interface Shared {
  readonly device: GpuDevice;
  readonly memory: GpuMemory;
  /** Work that takes about as long as a submission is to. */
  budget: number;
}

let shared: Promise<Shared> | undefined;

/** The device of this worker, opened on first use, and anew after it was lost. Errors: GpuError `gpu.none`. */
async function open(): Promise<Shared> {
  const known = await shared?.catch(() => undefined);
  if (known !== undefined && !known.device.isLost) return known;
  shared = GpuDevice.open().then((device) => ({ device, memory: new GpuMemory(device), budget: FIRST }));
  return shared;
}

/** See above. */
export class GpuRun {
  /** How often it was given work. */
  submissions = 0;
  /** What of it was done. */
  readonly queue: SubmissionTrace[] = [];
  readonly #shared: Shared;
  readonly #job: RawDeviceJob;
  readonly #shaders: { pipelines: GPUComputePipeline[]; passes: Uint32Array }[];
  readonly #memory: RunMemory;
  readonly #wake: () => void;
  #underWay = 0;
  /** What came back and was not taken yet. */
  readonly #landed: Uint8Array[] = [];
  #failed: { error: unknown } | undefined;
  /** When the last one landed. */
  #last = 0;
  /** Each lands after those before it. */
  #order: Promise<void> = Promise.resolve();

  private constructor(
    shared: Shared,
    job: RawDeviceJob,
    shaders: { pipelines: GPUComputePipeline[]; passes: Uint32Array }[],
    memory: RunMemory,
    wake: () => void,
  ) {
    [this.#shared, this.#job, this.#shaders] = [shared, job, shaders];
    [this.#memory, this.#wake] = [memory, wake];
  }

  /** Errors: GpuError `gpu.none`. What else is wrong with a device is told by {@link GpuStart.begin}. */
  static async open(): Promise<GpuStart> {
    const own = await open();
    return {
      device: own.device.name,
      begin: async (job, wanted, wake) => {
        const pipelines = wanted.shaders.map(async ({ source, passes }) => ({
          pipelines: await own.device.pipelines({ source, passes }),
          passes,
        }));
        const shaders = await settled(pipelines);
        return new GpuRun(own, job, shaders, await own.memory.open(job, wanted), wake);
      },
    };
  }

  /** Closes the device, where this thread is to end. */
  static end(): Promise<void> {
    return closeAll();
  }

  /** True when something has come back, or has gone wrong, that {@link work} takes. */
  get news(): boolean {
    return this.#landed.length > 0 || this.#failed !== undefined;
  }

  /** Takes what has come back, and gives the device what is ready. Errors: GpuError, after which the device has no part in the run any more. */
  work(): void {
    if (this.#failed !== undefined) throw this.#failed.error;
    for (const bytes of this.#landed.splice(0)) this.#job.landed(bytes);
    while (this.#underWay < MOST) {
      const submission = this.#job.encode(this.#shared.budget);
      if (submission === undefined) return;
      this.#submit(submission);
    }
  }

  /** Gives back the memory of a device that has failed: it may have too little for others. */
  drop(): void {
    this.#shared.memory.free();
  }

  #submit(submission: RawSubmission): void {
    this.#underWay++;
    this.submissions++;
    const before = this.#order;
    const started = performance.now();
    const back = this.#carriedOut(submission);
    this.#order = Promise.all([back, before]).then(
      ([bytes]) => {
        const { commands, downloads } = submission;
        const [up, down] = [uploaded(commands), WORD * downloads];
        const queued = performance.timeOrigin + started;
        const begun = Math.max(queued, this.queue.at(-1)?.ended ?? 0);
        this.#measure(submission.cost, started);
        this.queue.push({ queued, begun, ended: performance.timeOrigin + this.#last, up, down });
        this.#landed.push(bytes);
        this.#underWay--;
        this.#wake();
      },
      (error: unknown) => {
        this.#failed ??= { error };
        this.#wake();
      },
    );
  }

  /** Brings submissions to the time that they are to take: what comes after another one begins when that one ends. */
  #measure(cost: number, started: number): void {
    const now = performance.now();
    const took = now - Math.max(started, this.#last);
    this.#last = now;
    const { budget } = this.#shared;
    // One that was cut short by what was ready tells nothing of larger ones, unless it took long.
    if (cost < budget / 2 && took < AIM_MS) return;
    const wanted = (cost * AIM_MS) / Math.max(took, 0.1);
    const within = Math.min(Math.max(wanted, budget / 4), 4 * budget);
    this.#shared.budget = Math.min(Math.max(within, FEWEST), MOST_WORK);
  }

  /** The words that come back. Errors: GpuError. */
  async #carriedOut({ bytes, commands, downloads }: RawSubmission): Promise<Uint8Array> {
    const { device } = this.#shared;
    const made: GPUBuffer[] = [];
    try {
      const back = await device.guarded(() => {
        const size = Math.max(Math.ceil(bytes.byteLength / 16) * 16, 16);
        const given = device.handle.createBuffer({ size, usage: COPY_SRC | STORAGE, mappedAtCreation: true });
        made.push(given);
        new Uint8Array(given.getMappedRange()).set(bytes);
        given.unmap();
        let back: GPUBuffer | undefined;
        if (downloads > 0) {
          back = device.handle.createBuffer({ size: WORD * downloads, usage: MAP_READ | COPY_DST });
          made.push(back);
        }
        device.handle.queue.submit([this.#encoded(commands, given, back)]);
        return back;
      });
      if (back === undefined) {
        await answer(device.handle.queue.onSubmittedWorkDone());
        return new Uint8Array(0);
      }
      await answer(back.mapAsync(MAP_READ));
      return new Uint8Array(back.getMappedRange().slice(0));
    } catch (cause) {
      throw device.named(cause);
    } finally {
      for (const buffer of made) buffer.destroy();
    }
  }

  #encoded(commands: Uint32Array, given: GPUBuffer, back: GPUBuffer | undefined): GPUCommandBuffer {
    const { device } = this.#shared;
    const { words: memory, tables, kept } = this.#memory;
    const encoder = device.handle.createCommandEncoder();
    let pass: GPUComputePassEncoder | undefined;
    const copy = (from: GPUBuffer, at: number, to: GPUBuffer, place: number, words: number): void => {
      pass?.end();
      pass = undefined;
      encoder.copyBufferToBuffer(from, WORD * at, to, WORD * place, WORD * words);
    };
    for (let at = 0; at < commands.length; at += COMMAND) {
      const [kind, a, b, c, d] = commands.subarray(at, at + COMMAND) as unknown as [
        number,
        number,
        number,
        number,
        number,
      ];
      if (kind === 0) copy(given, a, memory, b, c);
      else if (kind === 1) copy(kept.get(a)!, b, memory, c, d);
      else if (kind === 3) copy(memory, a, back!, b, c);
      else {
        const { pipelines, passes } = this.#shaders[a]!;
        pass ??= encoder.beginComputePass();
        pass.setBindGroup(0, device.bound(memory, { buffer: given, offset: 4 * b, size: 4 * c }, tables));
        dispatch(pass, pipelines, passes, d);
      }
    }
    pass?.end();
    return encoder.finish();
  }
}

/** Bytes that go to the device. */
function uploaded(commands: Uint32Array): number {
  let words = 0;
  for (let at = 0; at < commands.length; at += COMMAND) if (commands[at] === 0) words += commands[at + 3]!;
  return WORD * words;
}

/** A device that was opened for a run. */
export interface GpuStart {
  /** What its adapter calls itself, if it does. */
  readonly device: string | undefined;
  /** Brings there what the run needs. `wake` is called whenever something has come back. Errors: GpuError. */
  begin(job: RawDeviceJob, wanted: RawDevice, wake: () => void): Promise<GpuRun>;
}
