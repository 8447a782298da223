/** Makes a failing recipe smaller. */
import { cuts, smallestFailing } from '../lib/shrink.mjs';
import { Dice } from '../differential/dice.mjs';
import { randomData } from './data.mjs';
import { lengthOf } from './elements.mjs';
import { sourceOf } from './recipe.mjs';

/** The smallest recipe found within a time. `fails(recipe)` tells whether it is still wrong. */
export function shrink(start, fails, milliseconds) {
  return smallestFailing(unused(start), { smaller, size: (one) => sourceOf(one).length, fails, milliseconds });
}

function* smaller(recipe) {
  const { steps, outputs } = recipe;
  if (outputs.length > 1) for (const kept of cuts(outputs)) yield unused({ ...recipe, outputs: kept });
  for (const [k, { name, step }] of outputs.entries()) {
    for (const input of steps[step].inputs)
      yield unused({ ...recipe, outputs: outputs.with(k, { name, step: input }) });
  }
  for (const [k, step] of steps.entries()) {
    yield* withoutInputs(recipe, k, step);
    for (const data of simplerData(step)) yield { ...recipe, steps: steps.with(k, { ...step, data }) };
  }
}

/** An input, or an operand of the same type, in the place of a step. */
function* withoutInputs(recipe, k, { inputs, type }) {
  const same = recipe.steps.findIndex((other) => String(Object.values(other.type)) === String(Object.values(type)));
  if (same < k) yield unused(instead(recipe, k, same));
  if (inputs.length === 0 || type.element === 'raw') return;
  for (let index = 0; index < 4; index++) {
    const data = randomData(new Dice(k, index), type.element, lengthOf(type.shape));
    const input = { kind: 'input', inputs: [], name: `in${k}`, type, data };
    yield unused({ ...recipe, steps: recipe.steps.with(k, input) });
  }
}

function* simplerData({ data, type }) {
  if (data === undefined) return;
  yield new data.constructor(data.length);
  for (let index = 0; index < 2; index++) {
    const few = randomData(new Dice(data.length, index), type.element, data.length);
    yield few;
  }
}

function instead(recipe, replaced, step) {
  const other = (one) => (one === replaced ? step : one);
  return mapped(recipe, other);
}

/** Without steps that lead to no output. */
function unused(recipe) {
  const used = new Set(recipe.outputs.map(({ step }) => step));
  for (let k = recipe.steps.length - 1; k >= 0; k--) {
    if (used.has(k)) for (const input of recipe.steps[k].inputs) used.add(input);
  }
  const kept = [...recipe.steps.keys()].filter((k) => used.has(k));
  const renumbered = mapped(recipe, (step) => kept.indexOf(step));
  return { ...renumbered, steps: renumbered.steps.filter((_, k) => used.has(k)) };
}

function mapped({ unit, steps, outputs }, other) {
  return {
    unit,
    steps: steps.map((step) => ({ ...step, inputs: step.inputs.map(other) })),
    outputs: outputs.map(({ name, step }) => ({ name, step: other(step) })),
  };
}
