/** One program as it was described and compiled, and its runs; keys are kept for the next run. */
import type { Client, CompileOptions, DecryptedDetails, Explanation, Loom, Program, Task } from 'cipherloom';
import { evaluateOn, type GpuOutcome, type GpuUse } from '../run/gpu-choice.js';
import type { Phases } from '../run/phases.js';
import { totalBytes } from '../run/total-bytes.js';
import type { Described } from './sandbox/sandbox.js';

export interface Plan {
  readonly described: Described;
  readonly program: Program;
  readonly options: CompileOptions;
  readonly explanation: Explanation;
  readonly seconds: number;
}

export interface Outcome {
  readonly encrypted: Readonly<Record<string, DecryptedDetails>>;
  /** The same without encryption. */
  readonly plain: Readonly<Record<string, DecryptedDetails>>;
  /** Whether some of what is decrypted is off, as all is under CKKS. */
  readonly isReal: boolean;
  readonly bytes: { readonly keys: number; readonly upload: number; readonly download: number };
  readonly gpu: GpuOutcome;
}

/** What was described, as a task; the compiler checks it as it checks anything. */
export function taskOf({ literal, kept, refreshed }: Described): Task {
  const task: Pick<Task, 'literal' | 'ties'> = {
    literal: () => literal,
    ties: () => ({ results: new Map(), kept, refreshed }),
  };
  return task as Task;
}

/** Errors: those of `Loom.compile`, `signal.reason`. */
export async function compilePlan(
  loom: Loom,
  described: Described,
  options: CompileOptions,
  signal: AbortSignal,
): Promise<Plan> {
  const start = performance.now();
  const program = await loom.compile(taskOf(described), { ...options, signal });
  try {
    const explanation = await program.explain({ signal });
    return { described, program, options, explanation, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    program.dispose();
    throw error;
  }
}

export class Session {
  #client: { readonly plan: Plan; readonly client: Client; readonly seconds: number | undefined } | undefined;

  /** Errors: those of the package, and `signal.reason`. */
  async run(plan: Plan, asked: GpuUse, phases: Phases, signal: AbortSignal): Promise<Outcome> {
    phases.keep('compile', plan.seconds);
    const client = await this.#keys(plan, phases, signal);
    const { program, described } = plan;
    const { encrypted: secret = {}, plain = {}, public: known = {} } = described.given;
    const inputs = await phases.during('encrypt', (onProgress) =>
      client.encrypt(secret, { onProgress, signal }),
    );
    const clear = { plain, public: known };
    const { value: outputs, gpu } = await phases.during('evaluate', (onProgress) =>
      evaluateOn(asked, (asking) =>
        program.run(inputs, client.evaluationKeys, { ...clear, onProgress, signal, ...asking }),
      ),
    );
    const encrypted = await phases.during('decrypt', (onProgress) =>
      client.decryptDetails(outputs, { public: known, onProgress, signal }),
    );
    return {
      encrypted,
      plain: await client.plainDetails(secret, { ...clear, signal }),
      isReal: program.info.ciphertexts.some(({ errorBits }) => errorBits !== undefined),
      bytes: {
        keys: totalBytes(client.evaluationKeys),
        upload: totalBytes(Object.values(inputs)),
        download: totalBytes(Object.values(outputs)),
      },
      gpu,
    };
  }

  /** Ends the keys. */
  forget(): void {
    this.#client?.client.dispose();
    this.#client = undefined;
  }

  async #keys(plan: Plan, phases: Phases, signal: AbortSignal): Promise<Client> {
    if (this.#client?.plan === plan) {
      phases.keep('keys', this.#client.seconds);
      return this.#client.client;
    }
    this.forget();
    const client = await phases.during('keys', (onProgress) => plan.program.client({ onProgress, signal }));
    this.#client = { plan, client, seconds: phases.of('keys').seconds };
    return client;
  }
}
