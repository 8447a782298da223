/** What conformance workers do: they try the kernels and shaders of this device, operator type by operator type. */
import { GpuError } from '../errors.js';
import { closeAll, GpuDevice, type ShaderCall } from '../gpu/device.js';
import type { Open, RawConformances, RawShaders, RawTried } from '../raw.js';
import type { ConformancePlatform } from '../verification-types.js';
import type { ConformanceMethods, PlatformRecord } from './protocol.js';
import { beforeEnd, type Call, type Handlers, isTrap } from './serve.js';

/** Bytes of cases that go to a GPU together. */
const TOGETHER = 1 << 22;

/** The handlers of one worker; `start` starts its instance. */
export function conformanceMethods(start: Open<RawConformances>): Handlers<ConformanceMethods> {
  let raw: RawConformances;
  return {
    async start(_, options) {
      const instance = await start(options);
      raw = instance.raw;
      return { version: raw.version(), memoryBytes: instance.memoryBytes };
    },
    conformance: (call, platforms) => conformance(call, platforms, (platform) => suiteOf(raw, platform)),
  };
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

async function suiteOf(raw: RawConformances, platform: ConformancePlatform): Promise<Suite> {
  if (platform !== 'gpu') {
    const suite = new raw.RawConformance(platform);
    return { names: suite.names(), check: (index) => suite.check(index), free: () => suite.free() };
  }
  beforeEnd(closeAll);
  const device = await GpuDevice.open();
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
