/** The stages of a program, in order: the server's half of the task and the client's, vectors of slots, ciphertexts, polynomials, and what is run. */
export const STAGES = ['server', 'finish', 'packed', 'scheme', 'polynomial', 'base'] as const;

/** Those that are no circuits: what they mean is compared with what the task means. */
export const MEANING_STAGES = ['server', 'finish', 'packed'] as const;

/** One of them. */
export type MeaningStage = (typeof MEANING_STAGES)[number];

/** The passes of the compiler of tasks, in order. */
export const TASK_PASSES = [
  'square',
  'balance',
  'turns',
  'dedup',
  'factors',
  'flatten',
  'giantSteps',
  'lateSums',
  'extract',
  'lazyRelinearization',
  'openResults',
  'earlySwitching',
  'hoist',
  'fuse',
] as const;
