/** A conformance worker: tries the kernels of this device, operator type by operator type. */
import type { RawConformances } from '../raw.js';
import { openConformance } from '../raw-conformance.js';
import type { Platform } from '../graph-types.js';
import type { ConformanceMethods, PlatformRecord } from './protocol.js';
import { type Call, serve } from './serve.js';

let raw: RawConformances;

serve<ConformanceMethods>({
  start(_, options) {
    const instance = openConformance(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  conformance,
});

async function conformance(call: Call, platforms: readonly Platform[]): Promise<PlatformRecord[]> {
  const suites = platforms.map((platform) => ({ platform, suite: new raw.RawConformance(platform) }));
  const named = suites.map((one) => ({ ...one, names: one.suite.names() }));
  const total = named.reduce((sum, { names }) => sum + names.length, 0);
  let done = 0;
  const records: PlatformRecord[] = [];
  for (const { platform, suite, names } of named) {
    const operators: PlatformRecord['operators'][number][] = [];
    for (const [index, name] of names.entries()) {
      await call.pause({ done: done++, total });
      operators.push({ name, ...suite.check(index) });
    }
    records.push({ platform, operators });
  }
  for (const { suite } of suites) suite.free();
  return records;
}
