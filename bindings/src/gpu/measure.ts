/**
 * Measures what operators take on the processors and on the GPU of this device, and what it costs to go there and back: the times that operators are placed by. Where a
 * worker for it is started, and nowhere else.
 *
 * Everything is the least of some tries, since whatever else a machine does only adds. A dispatch is repeated in one submission until that takes long against what any
 * submission does; one operator in it and many of them give its two prices.
 */
import { GpuError } from '../errors.js';
import type { RawConformances, RawSample, RawTimes, RawUse } from '../raw.js';
import type { Call } from '../worker/serve.js';
import {
  arranged,
  COPY_DST,
  COPY_SRC,
  dispatch,
  type GpuDevice,
  MAP_READ,
  recordsOf,
  type ShaderCall,
  STORAGE,
} from './device.js';
import { answer } from './entry.js';

const WORD = 8;
/** Tries of each. */
const TRIES = 3;
/** Milliseconds that a processor computes before it is believed: engines compile new code quickly first and well later. */
const WARM_MS = 30;
/** What a sample takes at least, on a processor, and beyond a submission's own time on a GPU. */
const [SAMPLE_MS, BEYOND_MS] = [1, 3];
/** What a dispatch is to take at most, and what is in it. */
const DISPATCH_MS = 10;
const [MOST_TOGETHER, MOST_WORDS] = [64, 1 << 21];
/** Most dispatches in one submission. */
const MOST_REPEATS = 256;
/** Words of a small block and of a large one, and how many small ones cross together. */
const [SMALL, LARGE, SOME] = [1 << 10, 1 << 17, 64];

/** Measures these uses; of what is no use that can be tried there is nothing, and nothing at all where none can. Errors: GpuError of a GPU that is lost; what `call` throws when it is cancelled. */
export async function measureTimes(
  call: Call,
  raw: RawConformances,
  device: GpuDevice,
  uses: readonly RawUse[],
): Promise<RawTimes | undefined> {
  const submission = await emptySubmission(device);
  const found: RawTimes['uses'][number][] = [];
  for (const [done, use] of uses.entries()) {
    await call.pause({ done, total: uses.length });
    const times = await timesOf(raw, device, use, submission);
    if (times !== undefined) found.push({ op: use.op, work: use.work, ...times });
  }
  if (found.length === 0) return undefined;
  const up = await line((words, copies) => crossing(device, 'up', words, copies));
  const down = await line((words, copies) => crossing(device, 'down', words, copies));
  return { uses: found, submission: submission * 1e6, up, down, shared: device.isSoftware };
}

/** In nanoseconds. */
type UseTimes = Omit<RawTimes['uses'][number], 'op' | 'work'>;

async function timesOf(
  raw: RawConformances,
  device: GpuDevice,
  { op, attributes, inputs, shader }: RawUse,
  submission: number,
): Promise<UseTimes | undefined> {
  let sample: RawSample;
  try {
    sample = raw.RawSample.toMeasure(op, attributes, [...inputs]);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return undefined;
  }
  try {
    const host = onHost(sample) * 1e6;
    if (!shader) return { host };
    try {
      return { host, ...(await onDevice(device, sample.shader(), submission)) };
    } catch (error) {
      // One that this device does not take is none of its.
      if (error instanceof GpuError && error.code !== 'gpu.lost') return { host };
      throw error;
    }
  } finally {
    sample.free();
  }
}

/** Milliseconds of one operator on this thread. */
function onHost(sample: RawSample): number {
  let runs = 1;
  const timed = (): number => {
    const began = performance.now();
    sample.run(runs);
    return performance.now() - began;
  };
  const end = performance.now() + WARM_MS;
  do {
    if (timed() < SAMPLE_MS) runs *= 2;
  } while (performance.now() < end);
  let best = Infinity;
  for (let go = 0; go < TRIES; go++) best = Math.min(best, timed());
  return Math.max(best, 1e-4) / runs;
}

/** Nanoseconds of a dispatch, and of an operator in one of many. */
async function onDevice(
  device: GpuDevice,
  call: ShaderCall,
  submission: number,
): Promise<{ wave: number; each: number }> {
  const one = await perDispatch(device, call, 1, submission);
  const fit = operatorsTogether(call, one);
  if (fit < 2) return { wave: 0, each: one * 1e6 };
  const each = (await perDispatch(device, call, fit, submission)) / fit;
  return { wave: Math.max(0, one - each) * 1e6, each: each * 1e6 };
}

/** A dispatch that can be repeated. */
export interface Repeated {
  /** Milliseconds of so many in one submission. */
  timed(repeats: number): Promise<number>;
  free(): void;
}

/** Milliseconds of a submission that has nothing to do. */
export function emptySubmission(device: GpuDevice): Promise<number> {
  return least(() => crossing(device, 'up', 2, 0));
}

/** How many operators of a call a dispatch is measured with, of which one takes so many milliseconds. */
export function operatorsTogether(call: ShaderCall, one: number): number {
  const words = call.size + call.inputs.reduce((sum, { byteLength }) => sum + byteLength / WORD, 0);
  return Math.min(MOST_TOGETHER, Math.floor(MOST_WORDS / words), Math.floor(DISPATCH_MS / one));
}

/** How often a dispatch is repeated until that takes long against a submission that has nothing to do, and what that takes. */
export async function repeatsOf(
  { timed }: Repeated,
  submission: number,
): Promise<{ repeats: number; took: number }> {
  let repeats = 1;
  // The first one brings the data there.
  let took = await timed(1).then(() => timed(1));
  while (took < submission + BEYOND_MS && repeats < MOST_REPEATS) {
    repeats *= 4;
    took = await timed(repeats);
  }
  return { repeats, took };
}

/** Milliseconds of a dispatch of so many operators. */
async function perDispatch(
  device: GpuDevice,
  call: ShaderCall,
  operators: number,
  submission: number,
): Promise<number> {
  const repeated = await repeatedDispatch(device, call, operators);
  try {
    const { repeats, took } = await repeatsOf(repeated, submission);
    let best = took;
    for (let go = 1; go < TRIES; go++) best = Math.min(best, await repeated.timed(repeats));
    return Math.max(best - submission, 0.001) / repeats;
  } finally {
    repeated.free();
  }
}

/** A dispatch of so many operators of one call, over data of its own, until it is freed. Errors: GpuError. */
export async function repeatedDispatch(
  device: GpuDevice,
  call: ShaderCall,
  operators: number,
): Promise<Repeated> {
  const calls = Array.from({ length: operators }, () => ({ ...call }));
  const { arena, tables, places } = arranged(calls);
  const { records } = recordsOf([calls], places);
  for (const { byteLength } of [arena, tables, records]) device.checkSize(byteLength);
  const pipelines = await device.pipelines(call);
  const made: GPUBuffer[] = [];
  const filled = (bytes: Uint8Array): GPUBuffer => {
    const size = Math.max(bytes.byteLength, 16);
    const buffer = device.handle.createBuffer({ size, usage: STORAGE | COPY_DST });
    made.push(buffer);
    device.handle.queue.writeBuffer(buffer, 0, bytes as Uint8Array<ArrayBuffer>);
    return buffer;
  };
  const free = (): void => made.forEach((buffer) => buffer.destroy());
  try {
    const group = await device.guarded(() =>
      device.bound(filled(arena), { buffer: filled(records) }, filled(tables)),
    );
    const timed = async (repeats: number): Promise<number> => {
      const began = performance.now();
      await device.guarded(() => {
        const encoder = device.handle.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setBindGroup(0, group);
        for (let at = 0; at < repeats; at++) dispatch(pass, pipelines, call.passes, operators);
        pass.end();
        device.handle.queue.submit([encoder.finish()]);
      });
      await answer(device.handle.queue.onSubmittedWorkDone());
      return performance.now() - began;
    };
    return { timed, free };
  } catch (error) {
    free();
    throw error;
  }
}

/** Nanoseconds of a block, and of a word of it. */
async function line(
  timed: (words: number, copies: number) => Promise<number>,
): Promise<{ fixed: number; each: number }> {
  const one = await least(() => timed(SMALL, 1));
  const each = Math.max(0, (await least(() => timed(LARGE, 1))) - one) / (LARGE - SMALL);
  const fixed = Math.max(0, ((await least(() => timed(SMALL, SOME))) - one) / (SOME - 1) - each * SMALL);
  return { fixed: fixed * 1e6, each: each * 1e6 };
}

async function least(timed: () => Promise<number>): Promise<number> {
  let best = Infinity;
  // The first one is not counted.
  for (let go = -1; go < TRIES; go++) {
    const took = await timed();
    if (go >= 0) best = Math.min(best, took);
  }
  return best;
}

/** Milliseconds in which so many blocks go there, or come back, in one submission, as those of runs do. */
async function crossing(
  device: GpuDevice,
  way: 'up' | 'down',
  words: number,
  copies: number,
): Promise<number> {
  const size = WORD * words * Math.max(copies, 1);
  const made: GPUBuffer[] = [];
  const buffer = (usage: number, mappedAtCreation = false): GPUBuffer => {
    const own = device.handle.createBuffer({ size, usage, mappedAtCreation });
    made.push(own);
    return own;
  };
  const bytes = new Uint8Array(size).fill(1);
  try {
    // What stays there from run to run.
    const memory = await device.guarded(() => buffer(STORAGE | COPY_SRC | COPY_DST));
    const began = performance.now();
    const back = await device.guarded(() => {
      const host = way === 'up' ? buffer(COPY_SRC, true) : buffer(MAP_READ | COPY_DST);
      if (way === 'up') {
        new Uint8Array(host.getMappedRange()).set(bytes);
        host.unmap();
      }
      const encoder = device.handle.createCommandEncoder();
      const [from, to] = way === 'up' ? [host, memory] : [memory, host];
      for (let at = 0; at < copies; at++)
        encoder.copyBufferToBuffer(from, at * WORD * words, to, at * WORD * words, WORD * words);
      device.handle.queue.submit([encoder.finish()]);
      return host;
    });
    if (way === 'down') {
      await answer(back.mapAsync(MAP_READ));
      bytes.set(new Uint8Array(back.getMappedRange()));
    } else await answer(device.handle.queue.onSubmittedWorkDone());
    return performance.now() - began;
  } finally {
    for (const own of made) own.destroy();
  }
}
