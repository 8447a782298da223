/** A conformance worker: tries the kernels and shaders of this device, operator type by operator type. */
import { GpuDevice, type ShaderCall } from '../gpu/device.js';
import type { RawConformances, RawShaders, RawTried } from '../raw.js';
import { openConformance } from '../raw-conformance.js';
import type { ConformancePlatform } from '../verification-types.js';
import type { ConformanceMethods, PlatformRecord } from './protocol.js';
import { type Call, serve } from './serve.js';

/** Bytes of cases that go to a GPU together. */
const TOGETHER = 1 << 22;

let raw: RawConformances;

serve<ConformanceMethods>({
  start(_, options) {
    const instance = openConformance(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  conformance,
});

/** A platform whose operator types are tried one by one. */
interface Suite {
  readonly names: readonly string[];
  readonly device?: string;
  check(index: number): RawTried | Promise<RawTried>;
  free(): void;
}

async function conformance(call: Call, platforms: readonly ConformancePlatform[]): Promise<PlatformRecord[]> {
  const suites: { platform: ConformancePlatform; suite: Suite }[] = [];
  try {
    for (const platform of platforms) suites.push({ platform, suite: await suiteOf(platform) });
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
  } finally {
    for (const { suite } of suites) suite.free();
  }
}

async function suiteOf(platform: ConformancePlatform): Promise<Suite> {
  if (platform !== 'gpu') {
    const suite = new raw.RawConformance(platform);
    return { names: suite.names(), check: (index) => suite.check(index), free: () => suite.free() };
  }
  const device = await GpuDevice.open();
  const shaders = new raw.RawShaders();
  const free = (): void => {
    device.close();
    shaders.free();
  };
  return {
    names: shaders.names(),
    device: device.name,
    check: (index) => onDevice(device, shaders, index),
    free,
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
    for (const [at, out] of (await device.compute(calls)).entries()) {
      const wrong = shaders.check(first + at, out);
      if (wrong === undefined) passed++;
      problem ??= wrong;
    }
    first += calls.length;
  }
  return { cases, passed, ...(problem !== undefined && { problem }) };
}
