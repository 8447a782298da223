/** One run, from the plan to the compared results. */
import type { Ciphertexts, Client, TraceView } from 'cipherloom';
import { areEqual, resultOf, type Result } from '../compare.js';
import type { NumericColumn } from '../data/messages.js';
import { wantedOf, type Wanted } from '../selection.js';
import { aborted } from './aborted.js';
import { evaluateOn, type GpuOutcome, type GpuUse } from './gpu-choice.js';
import type { Phase, Phases } from './phases.js';
import { totalBytes } from './total-bytes.js';
import type { Plan } from './planner.js';

/** One line of the results. */
export interface Line extends Wanted {
  readonly encrypted: Result;
  readonly plain: Result;
  readonly equal: boolean;
  /** Bits of noise budget that were left; Infinity for what is public. */
  readonly budgetBits: number;
}

/** Bytes that went from one worker to the other. */
export interface Crossings {
  readonly program: number;
  readonly keys: number;
  readonly upload: number;
  readonly download: number;
}

/** The bytes themselves. */
export interface Messages {
  readonly program: Uint8Array;
  readonly keys: readonly Uint8Array[];
  readonly inputs: Ciphertexts;
  readonly outputs: Ciphertexts;
}

export interface Outcome {
  readonly plan: Plan;
  /** Whose keys they are; the runner's own, as long as the plan is. */
  readonly client: Client;
  readonly messages: Messages;
  readonly lines: readonly Line[];
  readonly crossings: Crossings;
  readonly phases: readonly Phase[];
  /** Of each key that was made, of encryption, evaluation and decryption. */
  readonly traces: readonly TraceView[];
  /** What evaluations of this plan took, the first that was finished first, seconds. */
  readonly evaluations: readonly number[];
  readonly gpu: GpuOutcome;
}

/** Keys that were made before, and the time that took. */
interface KeptClient {
  readonly plan: Plan;
  readonly client: Client;
  readonly seconds: number | undefined;
  /** What evaluations under them took, seconds. */
  evaluations: number[];
  /** Where these were computed. */
  gpu: GpuUse;
  /** Of the last run. */
  inputs: Ciphertexts | undefined;
  outputs: Ciphertexts;
}

/** What another evaluation of the same ciphertexts was. */
export interface Again {
  /** What all evaluations of the plan took, seconds. */
  readonly evaluations: readonly number[];
  /** Whether its results are those of the run, byte by byte. */
  readonly same: boolean;
}

/** What a run needs. */
export interface RunRequest {
  readonly plan: Promise<Plan>;
  /** The plan was there before the run. */
  readonly planned: boolean;
  readonly columns: readonly NumericColumn[];
  readonly gpu: GpuUse;
  readonly phases: Phases;
  readonly signal: AbortSignal;
}

export class Runner {
  #kept: KeptClient | undefined;

  /** Errors: those of the package, and `signal.reason`. */
  async run({ plan: wanted, planned, columns, gpu: asked, phases, signal }: RunRequest): Promise<Outcome> {
    const plan = await this.#plan(wanted, planned, phases, signal);
    const traces: TraceView[] = [];
    const onTrace = (trace: TraceView): void => void traces.push(trace);
    const kept = await this.#client(plan, phases, signal, onTrace);
    // Times of other processors are not of the same work.
    if (kept.gpu !== asked) [kept.gpu, kept.evaluations] = [asked, []];
    const { client, evaluations } = kept;
    const { program } = plan;
    const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
    const inputs = await phases.during('encrypt', (onProgress) =>
      client.encrypt(values, { onProgress, signal, onTrace }),
    );
    const { value: outputs, gpu } = await phases.during('evaluate', (onProgress) =>
      evaluateOn(
        asked,
        (asking) => program.run(inputs, client.evaluationKeys, { onProgress, signal, ...asking }),
        onTrace,
      ),
    );
    evaluations.push(phases.of('evaluate').seconds!);
    kept.inputs = inputs;
    kept.outputs = outputs;
    const decrypted = await phases.during('decrypt', (onProgress) =>
      client.decryptDetails(outputs, { onProgress, signal, onTrace }),
    );
    // Last: it takes the client's worker, too.
    const expected = await client.plainDetails(values, { signal });
    const lines = wantedOf(plan.selection).map((line): Line => {
      const output = decrypted[line.output]!;
      const [encrypted, plain] = [resultOf(output), resultOf(expected[line.output]!)];
      const budgetBits = output.budgetBits ?? Number.POSITIVE_INFINITY;
      return { ...line, encrypted, plain, equal: areEqual(encrypted, plain), budgetBits };
    });
    const messages = { program: program.toBytes(), keys: client.evaluationKeys, inputs, outputs };
    const crossings = {
      program: messages.program.length,
      keys: totalBytes(messages.keys),
      upload: totalBytes(Object.values(inputs)),
      download: totalBytes(Object.values(outputs)),
    };
    return {
      plan,
      client,
      messages,
      lines,
      crossings,
      phases: phases.all,
      traces,
      evaluations: [...evaluations],
      gpu,
    };
  }

  /**
   * Evaluates the ciphertexts of the plan's last run again, and compares the results with that run's; undefined where there is no such run. Errors: those of the package,
   * and `signal.reason`.
   */
  async again(plan: Plan, signal: AbortSignal): Promise<Again | undefined> {
    const kept = this.#kept;
    if (kept?.plan !== plan || kept.inputs === undefined) return undefined;
    const start = performance.now();
    const { inputs, client } = kept;
    // With a trace, as the first one, so that times are of the same work.
    const { value: outputs } = await evaluateOn(
      kept.gpu,
      (asking) => plan.program.run(inputs, client.evaluationKeys, { signal, ...asking }),
      () => {},
    );
    kept.evaluations.push((performance.now() - start) / 1000);
    return { evaluations: [...kept.evaluations], same: sameBytes(kept.outputs, outputs) };
  }

  /** Forgets the keys, unless they are of the plan to `keep`. */
  forget(keep?: Plan): void {
    if (keep !== undefined && this.#kept?.plan === keep) return;
    this.#kept?.client.dispose();
    this.#kept = undefined;
  }

  async #plan(wanted: Promise<Plan>, planned: boolean, phases: Phases, signal: AbortSignal): Promise<Plan> {
    if (planned) {
      const plan = await wanted;
      phases.keep('compile', plan.seconds);
      return plan;
    }
    return phases.during('compile', () => Promise.race([wanted, aborted(signal)]));
  }

  /** The keys of the last run of the same plan, or new ones. */
  async #client(
    plan: Plan,
    phases: Phases,
    signal: AbortSignal,
    onTrace: (trace: TraceView) => void,
  ): Promise<KeptClient> {
    if (this.#kept?.plan === plan) {
      phases.keep('keys', this.#kept.seconds);
      return this.#kept;
    }
    this.forget();
    const client = await phases.during('keys', (onProgress) =>
      plan.program.client({ onProgress, signal, onTrace }),
    );
    this.#kept = {
      plan,
      client,
      seconds: phases.of('keys').seconds,
      evaluations: [],
      gpu: false,
      inputs: undefined,
      outputs: {},
    };
    return this.#kept;
  }
}

/** Whether both have the same names, and the same bytes at each. */
function sameBytes(one: Ciphertexts, other: Ciphertexts): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const [a, b] = [one[name], other[name]];
    return a?.length === b?.length && a!.every((byte, at) => byte === b![at]);
  });
}
