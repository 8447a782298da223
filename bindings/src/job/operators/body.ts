/** Operators one after the other over one row: bodies of `while` and `if`. */
import { copyOfRow } from '../data.js';
import { checkRow, templateFor } from '../templates.js';
import type { Context, Data, Row } from '../types.js';
import type { Computing } from './computing.js';

/**
 * The row's value after all steps; undefined where one of them gave no row. What a step emits goes through those that follow it, as rows of a sequence do, and what the
 * last one emits through `context.emit`. `other`: the row beside it that `CrossMap` calls the first step with. Errors: those of the steps; JobError `job.key`, `job.template`.
 */
export async function runBody(
  steps: readonly Computing[],
  row: Row,
  context: Context,
  other?: Row,
): Promise<Data | undefined> {
  let value: Data | undefined = row[1];
  let emitted: Row[] = [];
  for (const [index, step] of steps.entries()) {
    const next: Row[] = [];
    const last = index === steps.length - 1;
    const within = last ? context : emittingTo(context, next);
    for (const each of emitted) {
      const given = await step.call(each, within);
      if (given !== undefined) within.emit(each[0], given);
    }
    if (value !== undefined)
      value = await step.call([row[0], value], within, index === 0 ? other : undefined);
    emitted = next;
    if (value === undefined && emitted.length === 0) break;
  }
  return value;
}

/** The same but for where emitted rows go; the worker's own context may be of a class, with what it has behind getters. */
function emittingTo(context: Context, rows: Row[]): Context {
  return {
    emit: (key, value) => {
      const row: Row = [key, value];
      const where = `round ${context.round}, part ${context.part}`;
      checkRow(templateFor(row, where), row, where);
      rows.push(copyOfRow(row));
    },
    log: (text) => context.log(text),
    globals: context.globals,
    round: context.round,
    part: context.part,
    worker: context.worker,
    kind: context.kind,
  };
}
