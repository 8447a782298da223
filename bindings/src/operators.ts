/**
 * Written by scripts/operators.mjs from the core's lists: names that editors complete. Types alone; the core knows what
 * there is.
 */

/** Attributes of each operator, by the operator's name. */
export interface OperatorAttributes {}

/** Passes of the optimizer. */
export type KnownPass = never;

/** The name of an operator. Others than those known here are left to the core. */
export type OperatorName = keyof OperatorAttributes | (string & {});

/** The name of a pass. */
export type PassName = KnownPass | (string & {});
