/** Evaluators of one program in a worker: the one that holds the keys used last, and others while they are in use. */
import { failure } from '../errors.js';
import { movable } from '../bytes.js';
import type { EvaluationKeys } from '../types.js';
import { type Connection, Remote } from './connection.js';
import type { EvaluatorMethods, Handle } from './protocol.js';

/** Looks at a key before it is copied, by its number. */
type CheckKey = (key: Uint8Array, index: number) => Uint8Array;

/** Bytes of a program, and whether it may be insecure. */
type OpenArguments = Readonly<Parameters<EvaluatorMethods['open']>>;

/** An evaluator that has its keys. */
interface KeyedEvaluator {
  keys: EvaluationKeys;
  remote: Remote<EvaluatorMethods>;
  /** Runs that go on with it; it is freed when others took its place and the last of them ends. */
  users: number;
}

/** See above. */
export class KeyedEvaluators {
  readonly #program: OpenArguments;
  readonly #check: CheckKey;
  #current: KeyedEvaluator | undefined;

  constructor(program: OpenArguments, check: CheckKey) {
    this.#program = program;
    this.#check = check;
  }

  /** Works with the evaluator that holds these keys; one with other keys is freed once nobody works with it. */
  async use<T>(keys: EvaluationKeys, work: (remote: Remote<EvaluatorMethods>) => Promise<T>): Promise<T> {
    const before = this.#current;
    const [program, check] = [this.#program, this.#check];
    const entry =
      before?.keys === keys
        ? before
        : {
            keys,
            remote: new Remote<EvaluatorMethods>(
              (connection) => openEvaluator(connection, program, keys, check),
              (connection, handle) => connection.send('free', [handle]),
            ),
            users: 0,
          };
    this.#current = entry;
    if (before !== entry && before?.users === 0) before.remote.free();
    entry.users++;
    try {
      return await work(entry.remote);
    } finally {
      entry.users--;
      if (entry.users === 0 && this.#current !== entry) entry.remote.free();
    }
  }

  /** Frees the one that is kept. */
  free(): void {
    this.#current?.remote.free();
  }
}

async function openEvaluator(
  connection: Connection<EvaluatorMethods>,
  program: OpenArguments,
  keys: EvaluationKeys,
  check: CheckKey,
): Promise<Handle> {
  const evaluator = await connection.call('open', [...program]);
  try {
    for (const [index, key] of keys.entries()) {
      const sent = movable(check(key, index));
      await connection.call('loadKey', [evaluator, sent], { transfer: [sent.buffer] });
    }
    const missing = await connection.call('missingKeys', [evaluator]);
    if (missing.length === 0) return evaluator;
    throw failure('key.missing', `Evaluation keys are missing: ${missing.join(', ')}`, {
      name: missing.join(', '),
    });
  } catch (error) {
    connection.send('free', [evaluator]);
    throw error;
  }
}
