/** Verification in the graph worker, check by check. */
import type { Platform } from '../graph-types.js';
import type { RawCircuit, RawGraphs, RawReport } from '../raw.js';
import type { CheckRecord, VerifyRequest } from './protocol.js';
import { type Call, isTrap, recordOf } from './serve.js';

/** One check to be made. */
interface Pending {
  readonly kind: CheckRecord['kind'];
  readonly name?: string;
  run(): RawReport;
}

const NOTHING: RawReport = { compared: [], skipped: [], bytes: 0 };

/** Makes all checks that were asked for. */
export async function verify(
  call: Call,
  raw: RawGraphs,
  circuit: RawCircuit,
  against: RawCircuit | undefined,
  { passes, platforms, trials }: VerifyRequest,
): Promise<CheckRecord[]> {
  const reference = platforms.at(-1) as Platform;
  const after = new Passed(circuit);
  const pending: Pending[] = [
    { kind: 'structure', run: () => (circuit.verifyStructure(), NOTHING) },
    ...(against ? [{ kind: 'circuit' as const, run: () => circuit.verifyAgainst(against, trials) }] : []),
    ...(passes ?? raw.defaultPasses()).map((name) => ({
      kind: 'pass' as const,
      name,
      run: () => after.verify(name, (before) => before.verifyPass(name, trials)),
    })),
    ...platforms.slice(0, -1).map((name) => ({
      kind: 'platform' as const,
      name,
      run: () => circuit.verifyPlatform(reference, { ...trials, platform: name }),
    })),
  ];
  const checks: CheckRecord[] = [];
  try {
    for (const check of pending) {
      await call.pause({ done: checks.length, total: pending.length });
      checks.push(made(check));
    }
  } finally {
    after.free();
  }
  return checks;
}

/** A circuit that goes through passes; each is given what the one before made, also where that is wrong. */
class Passed {
  #circuit: RawCircuit;
  readonly #first: RawCircuit;

  constructor(circuit: RawCircuit) {
    this.#first = this.#circuit = circuit;
  }

  verify(pass: string, check: (before: RawCircuit) => RawReport): RawReport {
    const before = this.#circuit;
    const report = check(before);
    this.#circuit = before.optimize([pass]);
    if (before !== this.#first) before.free();
    return report;
  }

  free(): void {
    if (this.#circuit !== this.#first) this.#circuit.free();
  }
}

function made({ kind, name, run }: Pending): CheckRecord {
  try {
    return { kind, name, error: undefined, ...run() };
  } catch (error) {
    const record = recordOf(error);
    if (isTrap(error) || !isFinding(record.code)) throw error;
    return { kind, name, error: record, ...NOTHING };
  }
}

/** Whether an error tells of the graph, and not of what was asked, of memory, or of an operator not known here yet. */
function isFinding(code: string): boolean {
  return code !== 'operator.not_recorded' && !/^(input|memory|pass|worker|cancelled)\b/.test(code);
}
