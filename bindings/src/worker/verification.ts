/** Verification in workers, check by check. */
import type { Platform } from '../graph-types.js';
import type { RawCircuit, RawGraphs, RawReport, RawTrials } from '../raw.js';
import type { CheckRecord, Rounds, VerifyRequest } from './protocol.js';
import { type Call, isTrap, recordOf } from './serve.js';

/** Rounds between two looks at the messages. Not by time: what is found must not depend on it. */
const ROUNDS = 16;

/** One check to be made. */
export interface Pending<T extends Rounds> {
  readonly kind: CheckRecord['kind'];
  readonly name?: string;
  /** Some of the rounds. */
  run(trials: T): RawReport;
  /** Once it was made. */
  after?(): void;
}

/** Makes all checks of a circuit that were asked for. */
export async function verify(
  call: Call,
  raw: RawGraphs,
  circuit: RawCircuit,
  against: RawCircuit | undefined,
  { passes, platforms, trials }: VerifyRequest,
  isElsewhere: (operator: string) => boolean,
): Promise<CheckRecord[]> {
  const reference = platforms.at(-1) as Platform;
  const passed = new Passed(circuit);
  const pending: Pending<RawTrials>[] = [
    ...(against
      ? [{ kind: 'circuit' as const, run: (t: RawTrials) => circuit.verifyAgainst(against, t) }]
      : []),
    ...(passes ?? raw.defaultPasses()).map((name) => ({
      kind: 'pass' as const,
      name,
      run: (trials: RawTrials) => passed.before.verifyPass(name, trials),
      after: () => passed.take(name),
    })),
    ...platforms.slice(0, -1).map((name) => ({
      kind: 'platform' as const,
      name,
      run: (trials: RawTrials) => circuit.verifyPlatform(reference, { ...trials, platform: name }),
    })),
  ];
  const work = async () => {
    const checks = await makeChecks(call, pending, trials, [structure(circuit)]);
    return checks.map((record) => {
      const missing = missingIn(record);
      if (missing === undefined || !isElsewhere(missing)) return record;
      const why = `operator ${missing} is computed by a function of yours, which checks do not call`;
      return { ...nothing(record.kind, record.name), skipped: [{ what: 'everything', why }] };
    });
  };
  return freeing(work, () => passed.free());
}

/** Makes checks one after the other; some were made before. */
export async function makeChecks<T extends Rounds>(
  call: Call,
  pending: readonly Pending<T>[],
  trials: T,
  before: readonly CheckRecord[] = [],
): Promise<CheckRecord[]> {
  const total = before.length + pending.length;
  const checks = [...before];
  for (const check of pending) {
    const done = checks.length;
    checks.push(await made(check, trials, (part) => call.pause({ done: done + part, total })));
  }
  return checks;
}

/** Works, and frees what the work used; but not after a trap, when nothing of the instance may be touched any more. */
async function freeing<T>(work: () => Promise<T>, free: () => void): Promise<T> {
  const result = await work().catch((error: unknown) => {
    if (!isTrap(error)) free();
    throw error;
  });
  free();
  return result;
}

/** A circuit that goes through passes; each is given what the one before made, also where that is wrong. */
class Passed {
  #circuit: RawCircuit;
  readonly #first: RawCircuit;

  constructor(circuit: RawCircuit) {
    this.#first = this.#circuit = circuit;
  }

  /** As it is now. */
  get before(): RawCircuit {
    return this.#circuit;
  }

  /** Goes through a pass. */
  take(pass: string): void {
    const { before } = this;
    this.#circuit = before.optimize([pass]);
    if (before !== this.#first) before.free();
  }

  free(): void {
    if (this.#circuit !== this.#first) this.#circuit.free();
  }
}

function structure(circuit: RawCircuit): CheckRecord {
  return found('structure', undefined, () => circuit.verifyStructure()) ?? nothing('structure');
}

/** Makes a check, some rounds at a time; `pause` is told how much of it is done. */
async function made<T extends Rounds>(
  { kind, name, run, after }: Pending<T>,
  trials: T,
  pause: (part: number) => Promise<void>,
): Promise<CheckRecord> {
  const record = nothing(kind, name);
  for (let first = 0; first < trials.rounds; first += ROUNDS) {
    await pause(first / trials.rounds);
    const rounds = Math.min(ROUNDS, trials.rounds - first);
    const wrong = found(kind, name, () => {
      const { compared, skipped, bytes } = run({ ...trials, first, rounds });
      record.compared = [...new Set([...record.compared, ...compared])];
      record.skipped = skipped.filter(({ what }) => !record.compared.includes(what));
      record.bytes += bytes;
    });
    if (wrong !== undefined) {
      // What the pass made is handed on, if it is a graph at all.
      found(kind, name, () => after?.());
      return wrong;
    }
  }
  return found(kind, name, () => after?.()) ?? record;
}

function nothing(kind: CheckRecord['kind'], name?: string): CheckRecord {
  return { kind, name, error: undefined, compared: [], skipped: [], bytes: 0 };
}

/** The operator that no kernel computes, where that is what a check found. */
function missingIn({ error }: CheckRecord): string | undefined {
  const known = error?.code === 'operator.no_expansion' || error?.code === 'operator.not_implemented';
  return known ? (error.details['operator'] as string) : undefined;
}

/** The check that did not pass, if what is done finds something wrong with the graph. */
function found(
  kind: CheckRecord['kind'],
  name: string | undefined,
  work: () => void,
): CheckRecord | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const record = recordOf(error);
    if (isTrap(error) || !isFinding(record.code)) throw error;
    return { ...nothing(kind, name), error: record };
  }
}

/** Whether an error tells of the graph, and not of what was asked, of memory, or of an operator not known here yet. */
function isFinding(code: string): boolean {
  return code !== 'operator.not_recorded' && !/^(input|memory|pass|worker|cancelled)\b/.test(code);
}
