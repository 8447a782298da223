/** One run of an application, from the task to what is decrypted; its program and keys are kept for the next one. */
import type { Decrypted, Loom, Client, CompileOptions, Explanation, Program } from 'cipherloom';
import { evaluateOn, type GpuOutcome, type GpuUse } from '../run/gpu-choice.js';
import type { Phases } from '../run/phases.js';
import type { Crossings } from '../run/runner.js';
import { totalBytes } from '../run/total-bytes.js';
import type { Application, Question } from './application.js';

/** What a run needs. */
export interface SessionRequest {
  readonly application: Application;
  readonly question: Question;
  readonly loom: Loom;
  readonly gpu: GpuUse;
  readonly phases: Phases;
  readonly signal: AbortSignal;
}

export interface SessionOutcome {
  readonly decrypted: Readonly<Record<string, Decrypted>>;
  readonly crossings: Crossings;
  readonly gpu: GpuOutcome;
}

interface Kept {
  readonly application: Application;
  readonly loom: Loom;
  readonly program: Program;
  readonly compileSeconds: number | undefined;
  client?: Client;
  keySeconds?: number | undefined;
  explanation?: Promise<Explanation>;
}

export class Session {
  readonly #options: CompileOptions;
  /** Of the application that ran last: keys of several would fill the memory. */
  #kept: Kept | undefined;

  constructor(options: CompileOptions) {
    this.#options = options;
  }

  /** Errors: those of the package, and `signal.reason`. */
  async run({
    application,
    question,
    loom,
    gpu: asked,
    phases,
    signal,
  }: SessionRequest): Promise<SessionOutcome> {
    const kept = await this.#compiled(application, loom, phases, signal);
    const client = await this.#keys(kept, phases, signal);
    const { program } = kept;
    const inputs = await phases.during('encrypt', (onProgress) =>
      client.encrypt(question.inputs, { onProgress, signal }),
    );
    const { plain } = question;
    const { value: results, gpu } = await phases.during('evaluate', (onProgress) =>
      evaluateOn(asked, (asking) =>
        program.run(inputs, client.evaluationKeys, { plain, onProgress, signal, ...asking }),
      ),
    );
    const decrypted = await phases.during('decrypt', (onProgress) =>
      client.decrypt(results, { onProgress, signal }),
    );
    const crossings = {
      program: program.toBytes().length,
      keys: totalBytes(client.evaluationKeys),
      upload: totalBytes(Object.values(inputs)),
      download: totalBytes(Object.values(results)),
    };
    return { decrypted, crossings, gpu };
  }

  /** Why the program is as it is, if it was compiled. Errors: those of the package. */
  async explanation(application: Application): Promise<Explanation | undefined> {
    const kept = this.#kept;
    if (kept?.application !== application) return undefined;
    kept.explanation ??= kept.program.explain();
    try {
      return await kept.explanation;
    } catch (error) {
      delete kept.explanation; // the next call tries anew
      throw error;
    }
  }

  /** Forgets program and keys. */
  forget(): void {
    this.#kept?.client?.dispose();
    this.#kept?.program.dispose();
    this.#kept = undefined;
  }

  async #compiled(application: Application, loom: Loom, phases: Phases, signal: AbortSignal): Promise<Kept> {
    const kept = this.#kept;
    if (kept?.application === application && kept.loom === loom) {
      phases.keep('compile', kept.compileSeconds);
      return kept;
    }
    this.forget();
    const program = await phases.during('compile', (onProgress) =>
      application.describe(loom).compile({ ...this.#options, onProgress, signal }),
    );
    const compileSeconds = phases.of('compile').seconds;
    return (this.#kept = { application, loom, program, compileSeconds });
  }

  async #keys(kept: Kept, phases: Phases, signal: AbortSignal): Promise<Client> {
    if (kept.client !== undefined) {
      phases.keep('keys', kept.keySeconds);
      return kept.client;
    }
    kept.client = await phases.during('keys', (onProgress) => kept.program.client({ onProgress, signal }));
    kept.keySeconds = phases.of('keys').seconds;
    return kept.client;
  }
}
