/** What conformance workers do: they try the kernels and shaders of this device, operator type by operator type. */
import { GpuError } from '../errors.js';
import { keyOf, NO_TIMES } from '../gpu/table.js';
import type { KnownTimes } from '../gpu/times.js';
import { closeAll, GpuDevice, type ShaderCall } from '../gpu/device.js';
import { workgroupLimits } from '../gpu/needs.js';
import {
  offerKernels,
  type Open,
  type RawConformances,
  type RawInstance,
  type RawSample,
  type RawShaders,
  type RawTried,
} from '../raw.js';
import { measure } from '../tune/measure.js';
import type { ConformancePlatform } from '../verification-types.js';
import type { Args, ConformanceMethods, PlatformRecord, Trial } from './protocol.js';
import { beforeEnd, type Call, type Handlers, isTrap } from './serve.js';

/** Bytes of cases that go to a GPU together. */
const TOGETHER = 1 << 22;

/** The handlers of one worker; `start` starts its instance. */
export function conformanceMethods(start: Open<RawConformances>): Handlers<ConformanceMethods> {
  let instance: RawInstance<RawConformances>;
  return {
    async start(_, options) {
      instance = await start(options);
      return { version: instance.raw.version(), memoryBytes: instance.memoryBytes };
    },
    conformance: (call, platforms) =>
      conformance(call, platforms, (platform) => suiteOf(instance.raw, platform)),
    async gpu() {
      const device = await opened();
      try {
        return { ...device.kind, limits: workgroupLimits(device.handle) };
      } finally {
        device.close();
      }
    },
    trial: (call, ...args) =>
      args[1][0]?.platform === 'gpu' ? onGpu(instance.raw, call, ...args) : trial(instance, call, ...args),
    times: (call, ...args) => times(instance.raw, call, ...args),
  };
}

/** A device whose last answers are waited for where this worker is to end. Errors: GpuError `gpu.none`. */
function opened(): Promise<GpuDevice> {
  beforeEnd(closeAll);
  return GpuDevice.open();
}

/** See {@link ConformanceMethods}. */
async function onGpu(
  raw: RawConformances,
  call: Call,
  ...args: Args<ConformanceMethods, 'trial'>
): Promise<Trial[]> {
  // Who tries kernels of the processors alone does not load it.
  const { trialOnDevice } = await import('../gpu/trial.js');
  const device = await opened();
  try {
    return await trialOnDevice(raw, device, call, ...args);
  } finally {
    device.close();
  }
}

/** See {@link ConformanceMethods}. */
async function times(
  raw: RawConformances,
  call: Call,
  ...[about, known, uses]: Args<ConformanceMethods, 'times'>
): Promise<KnownTimes> {
  // Who tries kernels alone does not load it.
  const { measureTimes } = await import('../gpu/measure.js');
  const device = await opened();
  try {
    const of = [about, engineName(), device.told].join(' | ');
    const before = known?.of === of ? known.times : undefined;
    const keys = new Set(before?.uses.map(keyOf));
    const missing = uses.filter((use) => !keys.has(keyOf(use)));
    if (before !== undefined && missing.length === 0) return { of, times: before };
    const found = (await measureTimes(call, raw, device, missing)) ?? before ?? NO_TIMES;
    return {
      of,
      times: found === before ? before : { ...found, uses: [...(before?.uses ?? []), ...found.uses] },
    };
  } finally {
    device.close();
  }
}

/** What runs WebAssembly and brings WebGPU, with its version. */
function engineName(): string {
  const { process, navigator } = globalThis as {
    process?: { versions?: { node?: string; v8?: string } };
    navigator?: { userAgent?: string };
  };
  const { node, v8 } = process?.versions ?? {};
  return node === undefined ? (navigator?.userAgent ?? '') : `node ${node}, v8 ${v8}`;
}

/** A platform whose operator types are tried one by one. */
interface Suite {
  readonly names: readonly string[];
  readonly device?: string | undefined;
  check(index: number): RawTried | Promise<RawTried>;
  /** Frees what is the core's. */
  free(): void;
  /** Ends what is not. */
  close?(): void;
}

async function conformance(
  call: Call,
  platforms: readonly ConformancePlatform[],
  open: (platform: ConformancePlatform) => Promise<Suite>,
): Promise<PlatformRecord[]> {
  const suites: { platform: ConformancePlatform; suite: Suite }[] = [];
  let trapped = false;
  try {
    for (const platform of platforms) suites.push({ platform, suite: await open(platform) });
    const total = suites.reduce((sum, { suite }) => sum + suite.names.length, 0);
    let done = 0;
    const records: PlatformRecord[] = [];
    for (const { platform, suite } of suites) {
      const operators: PlatformRecord['operators'][number][] = [];
      for (const [index, name] of suite.names.entries()) {
        await call.pause({ done: done++, total });
        operators.push({ name, ...(await suite.check(index)) });
      }
      records.push({ platform, device: suite.device, operators });
    }
    return records;
  } catch (error) {
    trapped = isTrap(error);
    throw error;
  } finally {
    for (const { suite } of suites) {
      // After a trap nothing of the instance may be touched any more.
      if (!trapped) suite.free();
      suite.close?.();
    }
  }
}

/** See {@link ConformanceMethods}. A sample has its kernel from the moment on when it first runs, whatever is offered later. */
async function trial(
  { raw, memory }: RawInstance<RawConformances>,
  call: Call,
  ...[{ operator, attributes, inputs }, candidates, settings]: Args<ConformanceMethods, 'trial'>
): Promise<Trial[]> {
  const samples: { at: number; sample: RawSample }[] = [];
  let trapped = false;
  try {
    const trials: Trial[] = [];
    for (const [at, { platform, kernels = [] }] of candidates.entries()) {
      await call.pause({ done: at, total: candidates.length });
      raw.withdrawKernels();
      if (kernels.length > 0) {
        if (memory === undefined) {
          trials.push({ problem: 'this build takes no kernels that are made at run time' });
          continue;
        }
        offerKernels(raw, memory, kernels);
      }
      let sample: RawSample;
      try {
        sample = new raw.RawSample(platform, operator, attributes, inputs);
      } catch (error) {
        // A family that this build has not; what is wrong with the operator is so for all.
        if (at === 0 || isTrap(error)) throw error;
        trials.push({ problem: String(error), absent: true });
        continue;
      }
      samples.push({ at, sample });
      const problem = sample.check();
      if (problem === undefined) await warm(call, sample, settings.warmUp > 0);
      trials.push(problem === undefined ? {} : { problem });
    }
    const right = samples.filter(({ at }) => trials[at]?.problem === undefined);
    const runs = right.map(({ at, sample }) => ({ name: String(at), run: () => sample.run(1) }));
    let round = 0;
    const total = settings.warmUp + settings.rounds;
    const idle = (): Promise<void> => call.pause({ done: round++, total });
    if (runs.length > 0)
      for (const { name, ...times } of await measure(runs, { ...settings, idle }))
        trials[Number(name)] = times;
    return trials;
  } catch (error) {
    trapped = isTrap(error);
    throw error;
  } finally {
    if (!trapped) {
      for (const { sample } of samples) sample.free();
      raw.withdrawKernels();
    }
  }
}

/** Milliseconds, and runs, after which an engine has compiled what it runs as well as it can, in the background. */
const WARM = { milliseconds: 40, runs: 16 } as const;

/** The first run makes the kernel; more of them are for what is to be measured. */
async function warm(call: Call, sample: RawSample, much: boolean): Promise<void> {
  sample.run(1);
  const end = performance.now() + WARM.milliseconds;
  for (let runs = 1; much && (runs < WARM.runs || performance.now() < end); runs++) {
    sample.run(1);
    if (runs % WARM.runs === 0) await call.pause({ done: 0, total: 1 });
  }
}

async function suiteOf(raw: RawConformances, platform: ConformancePlatform): Promise<Suite> {
  if (platform !== 'gpu') {
    const suite = new raw.RawConformance(platform);
    return { names: suite.names(), check: (index) => suite.check(index), free: () => suite.free() };
  }
  const device = await opened();
  const shaders = new raw.RawShaders();
  return {
    names: shaders.names(),
    device: device.name,
    check: (index) => onDevice(device, shaders, index),
    free: () => shaders.free(),
    close: () => device.close(),
  };
}

async function onDevice(device: GpuDevice, shaders: RawShaders, index: number): Promise<RawTried> {
  const cases = shaders.open(index);
  let passed = 0;
  let problem: string | undefined;
  for (let first = 0; first < cases;) {
    const calls: ShaderCall[] = [];
    for (let bytes = 0; first + calls.length < cases && bytes < TOGETHER;) {
      const call = shaders.given(first + calls.length);
      bytes += call.inputs.reduce((sum, { byteLength }) => sum + byteLength, call.table.byteLength);
      calls.push(call);
    }
    const found = await computed(device, calls);
    if (typeof found === 'string') problem ??= found;
    else
      for (const [at, out] of found.entries()) {
        const wrong = shaders.check(first + at, out);
        if (wrong === undefined) passed++;
        problem ??= wrong;
      }
    first += calls.length;
  }
  return { cases, passed, ...(problem !== undefined && { problem }) };
}

/** What a device makes of them, or why it takes them not: that is an operator's failure, and no reason to try no others. */
async function computed(device: GpuDevice, calls: readonly ShaderCall[]): Promise<Uint8Array[] | string> {
  try {
    return await device.compute(calls);
  } catch (error) {
    if (error instanceof GpuError && error.code !== 'gpu.lost') return error.message;
    throw error;
  }
}
