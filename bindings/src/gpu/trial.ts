/**
 * Tries shaders of one operator on the GPU of this device: each against the reference, on the largest residues and others, then those that are right are measured in turns. Where a
 * worker for it is started, and nowhere else.
 */
import { GpuError } from '../errors.js';
import { isShader, offerKernels, type RawConformances, type RawKernel } from '../raw.js';
import { measure } from '../tune/measure.js';
import type { Args, ConformanceMethods, Trial } from '../worker/protocol.js';
import type { Call } from '../worker/serve.js';
import type { GpuDevice, ShaderCall } from './device.js';
import { emptySubmission, operatorsTogether, type Repeated, repeatedDispatch, repeatsOf } from './measure.js';
import { checkNeeds, workgroupLimits } from './needs.js';

/** See above, and {@link ConformanceMethods}. Errors: those of the core for what is no use of an operator; GpuError `gpu.lost`. */
export async function trialOnDevice(
  raw: RawConformances,
  device: GpuDevice,
  call: Call,
  ...[{ operator, attributes, inputs }, candidates, settings]: Args<ConformanceMethods, 'trial'>
): Promise<Trial[]> {
  const trials: Trial[] = [];
  const right: { at: number; shader: ShaderCall }[] = [];
  for (const [at, { kernels = [] }] of candidates.entries()) {
    await call.pause({ done: at, total: candidates.length });
    try {
      const found = await tried(raw, device, { operator, attributes, inputs }, kernels);
      trials.push(typeof found === 'string' ? { problem: found } : {});
      if (typeof found !== 'string') right.push({ at, shader: found });
    } catch (error) {
      // One that this device does not take is none of its.
      if (!(error instanceof GpuError) || error.code === 'gpu.lost') throw error;
      trials.push({ problem: error.message });
    }
  }
  if (settings.warmUp > 0) await measured(device, call, right, settings, trials);
  return trials;
}

/** What is wrong with what comes of it, or its shader, over random residues. */
async function tried(
  raw: RawConformances,
  device: GpuDevice,
  { operator, attributes, inputs }: Args<ConformanceMethods, 'trial'>[0],
  kernels: readonly RawKernel[],
): Promise<string | ShaderCall> {
  for (const kernel of kernels)
    if (isShader(kernel)) checkNeeds(kernel.needs, workgroupLimits(device.handle));
  raw.withdrawKernels();
  offerKernels(raw, undefined, kernels.filter(isShader));
  let sample: InstanceType<RawConformances['RawSample']> | undefined;
  try {
    sample = new raw.RawSample('scalar', operator, attributes, inputs);
    const random = sample.shader();
    for (let way = 0; way < raw.RawSample.patterns(); way++) {
      const given = sample.given(way);
      // Two of them, so that each finds its own record.
      for (const out of await device.compute([given, { ...given }])) {
        const problem = sample.judge(out);
        if (problem !== undefined) return problem;
      }
    }
    return random;
  } finally {
    sample?.free();
    raw.withdrawKernels();
  }
}

/** Nanoseconds of one operator of many in a dispatch: as many for all, and so many dispatches in a submission that what is fixed in it hardly counts. */
async function measured(
  device: GpuDevice,
  call: Call,
  right: readonly { at: number; shader: ShaderCall }[],
  { warmUp, rounds }: Args<ConformanceMethods, 'trial'>[2],
  trials: Trial[],
): Promise<void> {
  const [first] = right;
  if (first === undefined) return;
  const submission = await emptySubmission(device);
  const all: Repeated[] = [];
  const dispatch = async (shader: ShaderCall, operators: number): Promise<Repeated> => {
    const made = await repeatedDispatch(device, shader, operators);
    all.push(made);
    return made;
  };
  try {
    const one = await repeatsOf(await dispatch(first.shader, 1), submission);
    const operators = Math.max(1, operatorsTogether(first.shader, one.took / one.repeats));
    const runs: { name: string; run: () => Promise<void> }[] = [];
    let repeats: number | undefined;
    for (const { at, shader } of right) {
      const repeated = await dispatch(shader, operators);
      repeats ??= (await repeatsOf(repeated, submission)).repeats;
      const times = repeats;
      runs.push({ name: String(at), run: async () => void (await repeated.timed(times)) });
    }
    let round = 0;
    const idle = (): Promise<void> => call.pause({ done: round++, total: warmUp + rounds });
    const each = operators * (repeats ?? 1);
    for (const { name, time, spread, samples } of await measure(runs, { warmUp, rounds, idle })) {
      // What a submission takes without anything in it is no operator's.
      const own = Math.max(time - submission * 1e6, 1);
      trials[Number(name)] = { time: own / each, spread: spread / each, samples };
    }
  } finally {
    for (const made of all) made.free();
  }
}
