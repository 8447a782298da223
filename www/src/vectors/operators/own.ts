/** A visitor's function, an operator of every map, and their reducer: its text is the fragment of this module's address, so that another text is another module. */
import type { Data, JobFile, MapFunction, ReduceFunction } from 'cipherloom/job';
import { OwnCode } from './own-code.js';

const code = new OwnCode(decodeURIComponent(new URL(import.meta.url).hash.slice(1)));

export const map: MapFunction = async ([key, value], context, other) => {
  const { round, part, worker, kind } = context;
  const shares = context.globals['shares']?.get('count');
  const given = isFile(value) ? await value.text() : value;
  const about = { round, part, worker, kind, ...(shares !== undefined && { parts: shares }) };
  const { value: result, emitted, said } = await code.ask('map', [[key, given], about, other]);
  for (const line of said) context.log(line);
  for (const [to, what] of emitted) context.emit(to as string | number, what as Data);
  return result as Data | undefined;
};

export const reduce: ReduceFunction = async (key, a, b) =>
  (await code.ask('reduce', [key, a, b])).value as Data;

function isFile(value: unknown): value is JobFile {
  return typeof (value as Partial<JobFile> | null)?.text === 'function';
}
