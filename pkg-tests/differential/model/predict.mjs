/** What a program has to give, or where and with which codes it is refused. */
import { NO_VALUE } from '../cells.mjs';
import { at, build, modelHost, perform, Refused } from '../recipe.mjs';
import { readCells } from './data.mjs';
import { ModelTask } from './task.mjs';
import { ACCEPTED, Refusal } from './value.mjs';

export { ACCEPTED };

/**
 * `{ refusal: { step, codes } }`, or `{ outputs, trace }`: outputs by name, each a value of the model, and the types of all values, by where they were made. `off`: what
 * reals that are decrypted may be off by; `unencrypted`: nothing is encrypted, whatever is said of it.
 */
export function predict(program, off, { unencrypted = false, before } = {}) {
  const { scheme, inputs } = program;
  const data = Object.fromEntries(inputs.map(({ name, cells }) => [name, cells]));
  const task = new ModelTask({ scheme, data, off, unencrypted });
  const trace = new Map();
  try {
    build(modelHost(task, before), program, (label, value) => trace.set(label, value));
    if (task.outputs.length === 0) at('compile', () => refuse('graph.no_outputs'));
    checkData(program);
  } catch (error) {
    if (!(error instanceof Refused) || !(error.cause instanceof Refusal)) throw error;
    return { refusal: { step: error.step, codes: error.cause.codes }, trace };
  }
  return { outputs: task.outputs, trace };
}

/** What the program gives that takes results of another one, whose outputs these are. */
export function predictNext({ next }, outputs) {
  return predict(next, undefined, { before: Object.fromEntries(outputs.map(({ name, value }) => [name, value])) });
}

/** Tries a step on operands of the model: what it gives, or undefined where it is refused. */
export function tried(task, operands, step) {
  try {
    return perform(modelHost(task), operands, step, 'step');
  } catch (error) {
    if (!(error instanceof Refused) || !(error.cause instanceof Refusal)) throw error;
    return undefined;
  }
}

function refuse(...codes) {
  throw new Refusal(...codes);
}

/** Errors: Refused for data that are not as they were declared, in the order in which they are read. */
function checkData({ inputs, surplus }) {
  for (const [place, step] of [
    ['encrypted', 'encrypt'],
    ['plain', 'run'],
    ['public', 'run'],
  ]) {
    const own = inputs.filter((input) => input.place === place);
    if (surplus?.place === place) at(step, () => refuse('input.unknown'));
    for (const { options, cells, lacking } of own) {
      if (lacking) continue;
      const { kind = 'integer' } = options;
      const { codes } = readCells({ ...options, kind }, cells);
      if (codes) at(step, () => refuse(...codes));
    }
  }
  const lacking = inputs.find((input) => input.lacking);
  if (lacking) at('run', () => refuse('input.missing', ...(lacking.place === 'encrypted' ? [] : [ACCEPTED])));
}

/** True for an output without a value. */
export function isUndefined({ cells }) {
  return cells === NO_VALUE;
}
