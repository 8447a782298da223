/** The stages of a program, to be looked at. */
import { type Program, type Stage, STAGES } from 'cipherloom';
import type { Stop } from './explorer.js';
import { StagedGraphs } from './staged-graphs.js';

/** Operands of programs are made of words. */
const UNIT = 64;

/** The stages as they are called on the page. */
export const STAGE_TITLES: Readonly<Record<Stage, string>> = {
  task: 'Task',
  scheme: 'Scheme',
  polynomial: 'Polynomials',
  base: 'Base',
};
const MEANINGS: Readonly<Record<Stage, string>> = {
  task: 'What you asked for.',
  scheme: 'Operations on ciphertexts.',
  polynomial: 'Operations on polynomials modulo several primes.',
  base: 'What runs: operations on polynomials modulo one prime.',
};

export function stopsOf(program: Program): Stop[] {
  const sources = STAGES.map((name) => ({ name, view: () => program.graph(name) }));
  const graphs = new StagedGraphs(sources, { unit: UNIT, endsAtBase: true, joinsUnchanged: false });
  return program.stats().map(({ stage, operators, depth }) => ({
    id: stage,
    title: STAGE_TITLES[stage],
    meaning: `${MEANINGS[stage]} `,
    operators,
    depth,
    graphs,
    stage: STAGES.indexOf(stage),
    waves: stage === 'base',
    sets: undefined,
  }));
}
