/** Programs to start from: their texts are files of their own, which are compiled with the page, too. */
import groups from './programs/groups.ts?raw';
import matrix from './programs/matrix.ts?raw';
import score from './programs/score.ts?raw';
import statistics from './programs/statistics.ts?raw';
import type { SampleName } from './samples.js';

export interface ReadyProgram {
  readonly title: string;
  readonly text: string;
  /** What it is shown on, and which columns of it. */
  readonly sample: SampleName;
  readonly columns: readonly string[];
}

export const PROGRAMS = {
  statistics: {
    title: 'Statistics of two columns',
    text: statistics,
    sample: 'masses',
    columns: ['mean radius', 'mean texture'],
  },
  score: {
    title: 'A score for every row (real numbers)',
    text: score,
    sample: 'masses',
    columns: ['mean radius', 'mean texture', 'mean concavity'],
  },
  groups: {
    title: 'Rows of each group above a limit',
    text: groups,
    sample: 'staff',
    columns: ['department', 'years'],
  },
  matrix: {
    title: 'A product of matrices',
    text: matrix,
    sample: 'staff',
    columns: ['years', 'hours', 'distance'],
  },
} as const satisfies Readonly<Record<string, ReadyProgram>>;
export type ProgramName = keyof typeof PROGRAMS;
