/** Programs over ciphertexts, as a worker runs them on rows. */
import { sortOf, tag } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { Ciphertexts, EvaluationKeys } from '../../types.js';
import type { Cells, Program } from '../../values/types.js';
import type { Ref } from '../store.js';
import type { Context, Data, Global } from '../types.js';
import { ofBoth } from './circuit-data.js';
import { callFailed, type Computing, type Named, noReducer, notOpened } from './computing.js';
import type { LazyLoom } from './worker-loom.js';

/**
 * Opens a program. A row's value has ciphertexts by the names of encrypted inputs, and numbers by those of the server's own and of public ones. Of two rows, those of
 * `CrossMap`, inputs are called `a_NAME` and `b_NAME`. Its keys are the rows of the global `keys`. Errors: JobError `job.operator`, which names the program by the name of
 * its bytes.
 */
export async function openProgram(
  loom: LazyLoom,
  { name, bytes: size }: Ref,
  bytes: () => Promise<Uint8Array>,
  keys: string,
): Promise<Computing> {
  const named: Named = { words: `program ${name} of ${size} bytes`, details: { program: name } };
  await loom
    .program(name, bytes, async () => {})
    .catch((cause: unknown) => {
      throw notOpened(named, 'it could not be opened', cause);
    });
  const known = new KnownKeys(keys);
  return {
    async call([key, value], context, other) {
      try {
        const given = other === undefined ? value : ofBoth(value, other[1]);
        return await loom.program(name, bytes, (program) => run(program, given, known.of(context)));
      } catch (cause) {
        throw callFailed(named, key, context, cause);
      }
    },
    reduce(key, _a, _b, place) {
      throw noReducer(named, key, place, 'it does not take its own results, as a reducer has to');
    },
  };
}

async function run(program: Program, value: Data, keys: EvaluationKeys): Promise<Data> {
  if (tag(value) !== 'Object') {
    const [found, expected] = [sortOf(value), 'an object with ciphertexts by name of their input'];
    throw failure('input.type', `The program takes ${expected}, found ${found}`, { found, expected });
  }
  const places = new Map(program.info.inputs.map(({ name, place }) => [name, place] as const));
  const inputs = { encrypted: [], plain: [], public: [] } as Record<string, [string, Data][]>;
  for (const [name, data] of Object.entries(value as Readonly<Record<string, Data>>))
    // The run says which names there are.
    inputs[places.get(name) ?? 'encrypted']?.push([name, data]);
  const given = (place: string): unknown => Object.fromEntries(inputs[place] ?? []);
  return program.run(given('encrypted') as Ciphertexts, keys, {
    plain: given('plain') as Record<string, Cells>,
    public: given('public') as Record<string, Cells>,
  });
}

/** Keys of a global, as the same array as long as they are the same: programs keep loaded what is given as the same. */
class KnownKeys {
  readonly #name: string;
  readonly #of = new WeakMap<Global, EvaluationKeys>();
  #last: EvaluationKeys = [];

  constructor(name: string) {
    this.#name = name;
  }

  of({ globals }: Context): EvaluationKeys {
    const global = Object.hasOwn(globals, this.#name) ? globals[this.#name] : undefined;
    if (global === undefined) {
      const [found, expected] = [Object.keys(globals), this.#name];
      const problem = `there is no global ${JSON.stringify(expected)} with its evaluation keys`;
      throw failure('input.missing', problem, { found, expected });
    }
    const known = this.#of.get(global);
    if (known !== undefined) return known;
    // A global that travels with each task is another object each time, with the same bytes.
    const given = [...global.getItr()].map(([, value]) => value as Uint8Array);
    const keys = sameKeys(given, this.#last) ? this.#last : given;
    this.#of.set(global, keys);
    this.#last = keys;
    return keys;
  }
}

function sameKeys(some: EvaluationKeys, others: EvaluationKeys): boolean {
  return (
    some.length === others.length &&
    some.every((key, index) => {
      const other = others[index] as Uint8Array;
      return key === other || (key.length === other.length && key.every((byte, at) => byte === other[at]));
    })
  );
}
