/** The workers of tasks over values, each started where it is first asked for. */
import { ClientWorkers } from './client-workers.js';
import type { Connection } from './connection.js';
import type { Engine } from './engine.js';
import { LazyEngine } from './lazy-engine.js';
import type { TaskClientMethods, TaskEvaluatorMethods } from './protocol.js';

type Clients = ClientWorkers<TaskClientMethods>;

/** See above. */
export class TaskEngines {
  readonly #startClient: () => Promise<Engine<TaskClientMethods>>;
  readonly #evaluator: LazyEngine<TaskEvaluatorMethods>;
  #clients: Promise<Clients> | undefined;
  /** Those that have started. */
  #started: Clients | undefined;
  #closed = false;

  /** Both start an engine, unless the loom has ended. */
  constructor(
    startClient: () => Promise<Engine<TaskClientMethods>>,
    startEvaluator: () => Promise<Engine<TaskEvaluatorMethods>>,
  ) {
    this.#startClient = startClient;
    this.#evaluator = new LazyEngine(startEvaluator);
  }

  /** The workers that hold secret keys. Errors: as of starting one; the next call tries again. */
  clients(): Promise<Clients> {
    this.#clients ??= this.#begin();
    // Whoever asked may have been told to stop meanwhile.
    this.#clients.catch(() => {});
    return this.#clients;
  }

  /** The worker that computes, dead ones too. Errors: as of starting it; the next call tries again. */
  async evaluator(): Promise<Connection<TaskEvaluatorMethods>> {
    return (await this.#evaluator.worker()).connection;
  }

  /** Replaces what is dead. Errors: as of starting it. */
  async restart(): Promise<void> {
    await this.#started?.restart();
    await this.#evaluator.restart();
  }

  /** Ends them. */
  close(): void {
    this.#closed = true;
    this.#started?.close();
    this.#evaluator.close();
  }

  async #begin(): Promise<Clients> {
    try {
      const start = async (): Promise<Connection<TaskClientMethods>> =>
        (await this.#startClient()).connection;
      const clients = new ClientWorkers(await start(), start);
      this.#started = clients;
      if (this.#closed) clients.close();
      return clients;
    } catch (error) {
      this.#clients = undefined;
      throw error;
    }
  }
}
