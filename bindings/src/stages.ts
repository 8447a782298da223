/** The stages of a program, in order: what was asked, ciphertext operators, polynomials, and what is run. */
export const STAGES = ['task', 'scheme', 'polynomial', 'base'] as const;

/** Those of a program over values: the server's half of the task and the client's, vectors of slots, ciphertexts, polynomials, and what is run. */
export const TASK_STAGES = ['server', 'finish', 'packed', 'scheme', 'polynomial', 'base'] as const;

/** Those that are no circuits: what they mean is compared with what the task means. */
export const MEANING_STAGES = ['server', 'finish', 'packed'] as const;

/** One of them. */
export type MeaningStage = (typeof MEANING_STAGES)[number];

/** The passes of the compiler of tasks over values, in order. */
export const VALUE_PASSES = [
  'square',
  'balance',
  'turns',
  'dedup',
  'factors',
  'flatten',
  'giantSteps',
  'lateSums',
  'lazyRelinearization',
  'earlySwitching',
  'hoist',
  'fuse',
] as const;
