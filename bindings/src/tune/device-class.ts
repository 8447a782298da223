/**
 * Which devices are alike: times that were measured on one hold on the others of its class (SPEC T6, R25). A class is a text of words, so that people read it and a
 * service keeps it; nothing but equality of classes means anything. It says no more of a device than that: no serial numbers, no exact versions.
 */
import { detectFeatures } from '../choose-mode.js';
import { checkNumber, checkObject, checkText, wrong } from './wrong.js';
import { describe } from '../arguments.js';

/** What is known of a device, or said instead. */
export interface DeviceTraits {
  /** The processor's name, as the system tells it. In pages there is none, and a fingerprint stands for it. */
  readonly processor?: string | undefined;
  /** What WebAssembly can do here, sorted: `relaxed-simd`, `threads`. */
  readonly wasm?: readonly string[] | undefined;
  /** How many threads run at a time. */
  readonly cores?: number | undefined;
  /** The GPU's adapter, where one is used: vendor and architecture, as WebGPU tells them. */
  readonly gpu?: { readonly vendor: string; readonly architecture: string } | undefined;
  /** The engine that compiles WebAssembly: `v8`, `spidermonkey`, `jsc`. */
  readonly engine?: string | undefined;
}

interface Os {
  cpus(): readonly { readonly model: string }[];
  arch(): string;
  availableParallelism(): number;
}

/**
 * The class of this device, or of one with other traits: `amd-ryzen-9-5950x-x64|v8|relaxed-simd,threads|32 cores`. Cores are counted in powers of two, downwards. In Node the processor is
 * what the system says; in a page it is a fingerprint, which takes about 20 ms once. Errors: TuneError `tune.option` of traits that are none.
 */
export function deviceClass(traits: DeviceTraits = {}): string {
  checkTraits(traits);
  const os = globalThis.process?.getBuiltinModule?.('node:os') as Os | undefined;
  const found = detectFeatures();
  const processor =
    traits.processor ??
    (os === undefined ? pageProcessor() : `${os.cpus()[0]?.model ?? 'unknown'} ${os.arch()}`);
  const wasm =
    traits.wasm ??
    [found.relaxedSimd && 'relaxed-simd', found.sharedMemory && 'threads'].filter((one) => one !== false);
  const cores = 2 ** Math.floor(Math.log2(Math.max(1, traits.cores ?? found.processors)));
  const gpu = traits.gpu === undefined ? [] : [gpuClass(traits.gpu)];
  const parts = [
    word(processor),
    word(traits.engine ?? engine()),
    [...wasm].sort().join(','),
    `${cores} cores`,
    ...gpu,
  ];
  return checkText('tune.option', 'class of the device', parts.join('|'), 256);
}

/** What feature of WebAssembly a class names: a comma or a bar in it would look like another one. */
const FEATURE = /^[a-z0-9-]{1,64}$/;
const MOST_CORES = 2 ** 20;

/** Errors: TuneError `tune.option`. */
function checkTraits(traits: DeviceTraits): void {
  const at = 'traits of a device';
  checkObject('tune.option', at, traits, [], ['processor', 'wasm', 'cores', 'gpu', 'engine']);
  const { processor, wasm, cores, gpu, engine } = traits;
  const check = (name: string, value: unknown, fits: (value: unknown) => boolean, expected: string): void => {
    if (value !== undefined && !fits(value))
      throw wrong('tune.option', `${at}, ${name}`, describe(value), expected);
  };
  const isText = (value: unknown): value is string => typeof value === 'string';
  check('processor', processor, isText, 'a text');
  check('engine', engine, isText, 'a text');
  check(
    'wasm',
    wasm,
    (value) => Array.isArray(value) && value.every((one) => isText(one) && FEATURE.test(one)),
    'an array of names of features, such as relaxed-simd',
  );
  if (cores !== undefined) checkNumber('tune.option', `${at}, cores`, cores, 1, MOST_CORES, true);
  // What gpuTraits gives has more.
  check(
    'gpu',
    gpu,
    (value) => {
      const { vendor, architecture } = (value ?? {}) as Record<string, unknown>;
      return isText(vendor) && isText(architecture);
    },
    'an object with vendor and architecture, as texts',
  );
}

/** What the class of a device says of its GPU. */
export function gpuClass({ vendor, architecture }: NonNullable<DeviceTraits['gpu']>): string {
  return `gpu ${word(vendor)} ${word(architecture)}`;
}

/** Whether a class of devices names this GPU. */
export function isOfGpu(device: string, gpu: NonNullable<DeviceTraits['gpu']>): boolean {
  return device.split('|').includes(gpuClass(gpu));
}

/** Letters, digits and single hyphens: marks, clock rates and counts of cores of a name mean nothing for a class. */
function word(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/\((r|tm|c)\)/g, ' ')
    .replace(/@.*?ghz/g, ' ')
    .replace(/\b(cpu|processor|\d+-core)\b/g, ' ');
  return (
    plain
      .replace(/[^a-z0-9.]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 100) || 'unknown'
  );
}

function engine(): string {
  const { process, navigator } = globalThis as {
    process?: { versions?: { v8?: string } };
    navigator?: { userAgent?: string };
  };
  if (process?.versions?.v8 !== undefined) return 'v8';
  const agent = navigator?.userAgent ?? '';
  if (/Firefox\//.test(agent)) return 'spidermonkey';
  return /Chrom(e|ium)\//.test(agent) ? 'v8' : /AppleWebKit\//.test(agent) ? 'jsc' : 'unknown';
}

/** What a page is told of its processor, and how it computes. */
function pageProcessor(): string {
  const { navigator } = globalThis as {
    navigator?: { platform?: string; userAgentData?: { platform?: string } };
  };
  return `${navigator?.userAgentData?.platform ?? navigator?.platform ?? 'unknown'} ${fingerprint()}`;
}

/**
 * How fast this processor is at three things, relative to each other, as powers of two: 32-bit products, double divisions, and reads that wait for each other. Ratios in
 * place of times: clock rates, load and coarse clocks hardly matter. The least of seven tries is taken.
 */
export function fingerprint(now: () => number = () => performance.now()): string {
  const chain = new Int32Array(1 << 16);
  // One cycle through all of it: 25173 is 1 modulo 4, 13849 is odd (Hull and Dobell, 1962).
  for (let at = 0; at < chain.length; at++) chain[at] = (Math.imul(25_173, at) + 13_849) & (chain.length - 1);
  let sink = 0;
  const least = (run: () => void): number => {
    let best = Infinity;
    for (let go = 0; go < 7; go++) {
      const began = now();
      run();
      best = Math.min(best, now() - began);
    }
    return Math.max(best, 1e-3);
  };
  const products = least(() => {
    for (let at = 1; at < 200_000; at++) sink = Math.imul(sink + at, 0x9e37_79b1);
  });
  const divisions = least(() => {
    let value = 1.5;
    for (let at = 1; at < 200_000; at++) value = 1 + 1 / value;
    sink += value;
  });
  const reads = least(() => {
    let at = 0;
    for (let step = 0; step < 200_000; step++) at = chain[at] as number;
    sink += at;
  });
  const power = (ratio: number): number => Math.round(Math.log2(ratio));
  return `f${power(divisions / products)}.${power(reads / products)}${Number.isNaN(sink) ? '?' : ''}`;
}
