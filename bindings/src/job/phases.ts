/** A round's operator as phases: what one task does with its rows, between two points where rows have to be counted anew. */
import { failure } from '../errors.js';
import { moduleOn } from './placement.js';
import { splitLoop, splitOperator, type SubOperator } from './split-operator.js';
import type { Kind } from './kinds.js';
import type { Ref } from './store.js';
import type { JobDefinition, Loop, Operator } from './types.js';
import type { Range } from './units.js';
import type { PlacedOperator } from './work.js';

/** Sub-operators, one after the other. */
export interface Phase {
  readonly steps: readonly SubOperator[];
  /** Of a loop: positions of the rows of each of its parts. */
  readonly ranges: readonly Range[] | undefined;
}

/** Splits an operator, and cuts it before and after each loop, whose parts go by positions in the sub-vector. Errors: as of `splitOperator`. */
export function phasesOf(operator: string | Operator, { library, operators }: JobDefinition): Phase[] {
  const phases: Phase[] = [];
  let steps: SubOperator[] = [];
  const cut = (): void => {
    if (steps.length > 0) phases.push({ steps, ranges: undefined });
    steps = [];
  };
  for (const part of splitOperator(operator, library, operators).parts) {
    for (const one of wholeOf(part)) {
      if (one.operator.kind !== 'for') {
        steps.push(one);
        continue;
      }
      cut();
      phases.push(loopPhase(one, one.operator));
    }
  }
  cut();
  return phases;
}

/** One whole may be a sequence all the same: its steps go where the whole goes. */
function wholeOf(part: SubOperator): SubOperator[] {
  return stepsIn(part.operator).map((operator) => ({ ...part, operator }));
}

function loopPhase(part: SubOperator, loop: Loop): Phase {
  const steps = wholeOf({ ...part, operator: loop.body as Operator });
  if (steps.some(({ operator }) => operator.kind === 'for')) {
    const problem = 'A loop whose body is a loop: its turns are rows, which have no rows of their own';
    throw failure('job.definition', problem, { found: 'for', expected: 'another operator', at: 'body' });
  }
  return { steps, ranges: splitLoop(loop).map(({ from, to }): Range => [from, to]) };
}

/** What operators of tasks are made with. */
export interface Placer {
  /** Puts bytes into the store. */
  blob(bytes: Uint8Array): Promise<Ref>;
  /** What a module is, where it can be read. */
  hashOf(module: string): Promise<string | undefined>;
}

/** An operator as tasks for a kind of worker have it. */
export async function placed(operator: Operator, kind: Kind, placer: Placer): Promise<PlacedOperator> {
  const all = (operator: string | Operator | undefined): Promise<PlacedOperator[]> => {
    const steps = operator === undefined ? [] : stepsIn(operator as Operator);
    return Promise.all(steps.map((step) => placed(step, kind, placer)));
  };
  switch (operator.kind) {
    case 'function': {
      const { module, name } = moduleOn(operator, kind);
      const hash = await placer.hashOf(module);
      return { kind: 'function', module, name, ...(hash !== undefined && { hash }) };
    }
    case 'circuit':
      return { kind: 'circuit', bytes: await placer.blob(operator.bytes) };
    case 'program':
      return { kind: 'program', bytes: await placer.blob(operator.bytes), keys: operator.keys };
    case 'while': {
      const condition = await placed(operator.condition, kind, placer);
      return { kind: 'while', condition, body: await all(operator.body), most: operator.most };
    }
    case 'if': {
      const condition = await placed(operator.condition, kind, placer);
      return {
        kind: 'if',
        condition,
        then: await all(operator.then),
        otherwise: await all(operator.otherwise),
      };
    }
    case 'sequence':
    case 'for':
      throw failure(
        'job.definition',
        `An operator of kind "${operator.kind}" stands where one row is computed`,
        {
          found: operator.kind,
          expected: 'an operator over one row',
          at: 'operator',
        },
      );
  }
}

function stepsIn(operator: Operator): readonly Operator[] {
  return operator.kind === 'sequence'
    ? operator.steps.flatMap((step) => stepsIn(step as Operator))
    : [operator];
}
