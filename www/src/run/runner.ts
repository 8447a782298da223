/** One run, from the plan to the compared results. */
import type { Ciphertexts, Client, TraceView } from 'cipherloom';
import { areEqual, resultOf, type Result } from '../compare.js';
import type { NumericColumn } from '../data/messages.js';
import { wantedOf, type Wanted } from '../selection.js';
import { aborted } from './aborted.js';
import type { Phases } from './phases.js';
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
  readonly trace: TraceView | undefined;
}

/** Keys that were made before, and the time that took. */
interface KeptClient {
  readonly plan: Plan;
  readonly client: Client;
  readonly seconds: number | undefined;
}

/** What a run needs. */
export interface RunRequest {
  readonly plan: Promise<Plan>;
  /** The plan was there before the run. */
  readonly planned: boolean;
  readonly columns: readonly NumericColumn[];
  readonly phases: Phases;
  readonly signal: AbortSignal;
}

export class Runner {
  #kept: KeptClient | undefined;

  /** Errors: those of the package, and `signal.reason`. */
  async run({ plan: wanted, planned, columns, phases, signal }: RunRequest): Promise<Outcome> {
    const plan = await this.#plan(wanted, planned, phases, signal);
    const client = await this.#client(plan, phases, signal);
    const { program } = plan;
    const values = Object.fromEntries(columns.map((column) => [column.name, column.values]));
    const inputs = await phases.during('encrypt', (onProgress) =>
      client.encrypt(values, { onProgress, signal }),
    );
    let trace: TraceView | undefined;
    const onTrace = (view: TraceView): void => void (trace = view);
    const outputs = await phases.during('evaluate', (onProgress) =>
      program.run(inputs, client.evaluationKeys, { onProgress, signal, onTrace }),
    );
    const decrypted = await phases.during('decrypt', (onProgress) =>
      client.decryptDetails(outputs, { onProgress, signal }),
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
    return { plan, client, messages, lines, crossings, trace };
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
  async #client(plan: Plan, phases: Phases, signal: AbortSignal): Promise<Client> {
    if (this.#kept?.plan === plan) {
      phases.keep('keys', this.#kept.seconds);
      return this.#kept.client;
    }
    this.forget();
    const client = await phases.during('keys', (onProgress) => plan.program.client({ onProgress, signal }));
    this.#kept = { plan, client, seconds: phases.of('keys').seconds };
    return client;
  }
}
