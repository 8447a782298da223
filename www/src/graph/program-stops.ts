/** The stages of a program, to be looked at. */
import type { ExplainedValue, Program, ProgramStats, Stage } from 'cipherloom';
import type { Stop } from './explorer.js';
import { StagedGraphs, type StagedOptions } from './staged-graphs.js';

/** Operands of ciphertexts and what they become are made of words. */
const UNIT = 64;

/** The stages as they are called on the page. */
export const STAGE_TITLES: Readonly<Record<Stage, string>> = {
  server: 'Question',
  finish: 'Finish',
  packed: 'Slots',
  scheme: 'Scheme',
  polynomial: 'Polynomials',
  base: 'Base',
};
const MEANINGS: Readonly<Record<Stage, string>> = {
  server: 'What you asked for, as far as it is computed on encrypted values.',
  finish: 'What your side does with decrypted sums: quotients and roots.',
  packed: 'Operations on vectors of slots: which cells lie where, and what turns.',
  scheme: 'Operations on ciphertexts.',
  polynomial: 'Operations on polynomials modulo several primes.',
  base: 'What runs: operations on polynomials modulo one prime.',
};

/** The finish is made of what is decrypted, all others one of the other. */
const LOWERED = ['server', 'packed', 'scheme', 'polynomial', 'base'] as const;

export function stopsOf(program: Program, stats: ProgramStats): Stop[] {
  const staged = (
    names: readonly Stage[],
    options: Pick<StagedOptions, 'endsAtBase' | 'values'>,
  ): StagedGraphs => {
    const sources = names.map((name) => ({ name, view: () => program.graph(name) }));
    return new StagedGraphs(sources, { unit: UNIT, joinsUnchanged: false, ...options });
  };
  let values: Promise<readonly ExplainedValue[]> | undefined;
  const explained = (): Promise<readonly ExplainedValue[]> =>
    (values ??= program.explain().then((explanation) => explanation.values));
  const lowered = staged(LOWERED, { endsAtBase: true, values: explained });
  const finish = staged(['finish'], { endsAtBase: false });
  return stats.stages
    .filter(({ stage, operators }) => stage !== 'finish' || operators > 0)
    .map(({ stage, operators, depth }) => ({
      id: stage,
      title: STAGE_TITLES[stage],
      meaning: `${MEANINGS[stage]} `,
      operators,
      depth,
      graphs: stage === 'finish' ? finish : lowered,
      stage: stage === 'finish' ? 0 : LOWERED.indexOf(stage),
      waves: stage === 'base',
      sets: undefined,
      text: undefined,
    }));
}
