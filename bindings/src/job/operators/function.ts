/** Functions of modules, as a worker calls them. */
import { describe } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { FunctionOperator, MapFunction, PartitionerFunction, ReduceFunction } from '../types.js';
import { callFailed, type Computing, type Named, notOpened } from './computing.js';
import { importModule } from './modules.js';

/** What a function is of. `hash`: what its module is to be, where that is known. */
interface Placed {
  readonly module: string;
  readonly name: string;
  readonly hash?: string;
}

/** A function of a module. Errors: JobError `job.operator`, which names module and export; `job.refused` where the module was edited. */
async function importFunction({ module, name, hash }: Placed): Promise<(...args: never[]) => unknown> {
  const named = nameOf(module, name);
  const imported = await importModule(module, hash).catch((cause: unknown) => {
    throw notOpened(named, 'its module could not be imported', cause);
  });
  const found = Object.hasOwn(imported, name) ? imported[name] : undefined;
  if (typeof found === 'function') return found as (...args: never[]) => unknown;
  const [expected, there] = ['a function', Object.keys(imported)];
  const problem = `${named.words}: expected ${expected}, found ${describe(found)}; the module has ${there.join(', ') || 'nothing'}`;
  throw failure('job.operator', problem, { module, name, found: describe(found), expected, there });
}

/** A function that says which sub-vector gets a row. Errors: as of {@link importFunction}. */
export async function importPartitioner(
  { module, name = 'default' }: FunctionOperator,
  hash?: string,
): Promise<PartitionerFunction> {
  return (await importFunction({ module, name, ...(hash && { hash }) })) as PartitionerFunction;
}

/** A function of a module, to be called with rows. Errors: as of {@link importFunction}. */
export async function openFunction(placed: Placed): Promise<Computing> {
  const named = nameOf(placed.module, placed.name);
  const found = await importFunction(placed);
  const map = found as MapFunction;
  const reduce = found as ReduceFunction;
  return {
    // Without a promise where the function gives none: a turn of the event loop for each row is what most would wait for.
    call(row, context, other) {
      try {
        const value = other === undefined ? map(row, context) : map(row, context, other);
        if (!isPromise(value)) return value as Exclude<typeof value, void>;
        return Promise.resolve(value).then(
          (value) => value as Exclude<typeof value, void>,
          (cause: unknown) => {
            throw callFailed(named, row[0], context, cause);
          },
        );
      } catch (cause) {
        throw callFailed(named, row[0], context, cause);
      }
    },
    reduce(key, a, b, place) {
      try {
        const value = reduce(key, a, b);
        if (!isPromise(value)) return value;
        return Promise.resolve(value).catch((cause: unknown) => {
          throw callFailed(named, key, place, cause);
        });
      } catch (cause) {
        throw callFailed(named, key, place, cause);
      }
    },
  };
}

function nameOf(module: string, name: string): Named {
  return { words: `function "${name}" of ${module}`, details: { module, name } };
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
