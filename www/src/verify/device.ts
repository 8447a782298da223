/** Where a report was made. */
import type { Loom } from 'cipherloom';

export interface Device {
  readonly browser: string;
  /** Kind of processor, where the browser tells it. */
  readonly processor: string;
  readonly processors: number;
  /** Build of the core, and how many threads it may have. */
  readonly build: string;
  readonly threads: number;
  readonly isolated: boolean;
  readonly core: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Facts that Chromium tells when it is asked; no types come with TypeScript. */
interface Hints {
  readonly architecture?: string;
  readonly bitness?: string;
  readonly platform?: string;
}

interface Navigator extends globalThis.Navigator {
  readonly userAgentData?: { getHighEntropyValues(names: string[]): Promise<Hints> };
}

/** `threads`: how many what was done may have had, if not those of the loom. */
export async function deviceOf({ mode, version }: Loom, threads = mode.threads): Promise<Device> {
  const navigator: Navigator = globalThis.navigator;
  const hints = await navigator.userAgentData
    ?.getHighEntropyValues(['architecture', 'bitness', 'platform'])
    .catch(() => undefined);
  return {
    browser: navigator.userAgent,
    processor: processorOf(hints),
    processors: navigator.hardwareConcurrency,
    build: mode.variant,
    threads,
    isolated: globalThis.crossOriginIsolated,
    core: version,
    at: new Date().toISOString(),
  };
}

function processorOf({ architecture, bitness, platform }: Hints = {}): string {
  if (!architecture) return 'not told by this browser';
  return [architecture, bitness && `${bitness} bits`, platform].filter(Boolean).join(', ');
}

/** As terms and texts, for people. */
export function factsOf(device: Device): (readonly [term: string, text: string])[] {
  const { browser, processor, processors, build, threads, isolated, core, at } = device;
  return [
    ['Browser', browser],
    ['Processor', `${processor}; ${processors} logical processors`],
    ['Build', `${build}, core ${core}`],
    ['Threads', `${threads}${isolated ? '' : ' (the page is not cross-origin isolated)'}`],
    ['Time', at],
  ];
}
