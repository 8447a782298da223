/** One measurement of this device, in a worker: schedules are searched, then all that there is of each operator is compared. */
import { deviceClass } from 'cipherloom/tune';
import { KernelExplorer, type Schedule } from 'cipherloom/tune/kernels';
import type { Finding } from './findings.js';
import { OPERATORS } from './operators.js';
import type { Working } from '../verify/job.js';

export interface Asked {
  readonly n: number;
  /** Schedules that are tried for each operator that has some; 0: built-in kernels alone. */
  readonly trials: number;
}

export interface Measured {
  readonly device: string;
  /** Whether kernels made at run time run in this browser. */
  readonly generated: boolean;
}

/** Measures, and hands each operator's finding on as soon as it is there. Errors: of the worker, and of `signal`. */
export async function measureDevice(
  { n, trials }: Asked,
  { signal, tell }: Working,
  found: (finding: Finding) => void,
): Promise<Measured> {
  const device = deviceClass();
  const explorer = new KernelExplorer({ device, trials: Math.max(trials, 1) });
  try {
    const { generated } = explorer;
    const searched = new Map<string, Schedule>();
    const parts = OPERATORS.length;
    for (const [at, operator] of OPERATORS.entries()) {
      const key = operator.key(n, device);
      const own = operator.made.includes(operator.name);
      tell(at, parts, `${operator.title}: built-in kernels…`);
      if (own && generated && trials > 0) {
        const best = await explorer.explore(key, {
          signal,
          onTried: (tried, most) =>
            tell(at + (0.9 * tried) / most, parts, `${operator.title}: ${tried} of ${most} schedules tried…`),
        });
        if (best.generated !== undefined)
          searched.set(operator.name, best.generated.schedule as unknown as Schedule);
      }
      tell(at + 0.9, parts, `${operator.title}: side by side…`);
      const made = operator.made.flatMap((name) => searched.get(name) ?? []);
      const compared = await explorer.compare(key, made.length > 0 ? [made] : [], { signal });
      found({ operator, compared });
    }
    return { device, generated };
  } finally {
    explorer.close();
  }
}
