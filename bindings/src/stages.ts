/** The stages of a program, in order: what was asked, ciphertext operators, polynomials, and what is run. */
export const STAGES = ['task', 'scheme', 'polynomial', 'base'] as const;
