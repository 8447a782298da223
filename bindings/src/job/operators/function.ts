/** Functions of modules, as a worker calls them. */
import { describe } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { MapFunction, ReduceFunction } from '../types.js';
import { callFailed, type Computing, type Named, notOpened } from './computing.js';

/** Imports a module and finds its function. Errors: JobError `job.operator`, which names module and export. */
export async function openFunction(module: string, name: string): Promise<Computing> {
  const named: Named = { words: `function "${name}" of ${module}`, details: { module, name } };
  const imported = await load(module).catch((cause: unknown) => {
    throw notOpened(named, 'its module could not be imported', cause);
  });
  const found = imported[name];
  if (typeof found !== 'function') {
    const [expected, there] = ['a function', Object.keys(imported)];
    const problem = `${named.words}: expected ${expected}, found ${describe(found)}; the module has ${there.join(', ') || 'nothing'}`;
    throw failure('job.operator', problem, { module, name, found: describe(found), expected, there });
  }
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

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}

/** An address, told at run time: no bundler follows. */
function load(module: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ module) as Promise<Record<string, unknown>>;
}
