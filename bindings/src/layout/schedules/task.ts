/** What schedules have in common. */
import type { LabelledOperator } from '../label-operator.js';

/** One computation: a part of the first operand with one of the second. */
export interface ScheduledTask {
  /** From 0. */
  readonly step: number;
  /** From 0. */
  readonly core: number;
  /** The part of the first operand that it is about; undefined: all of it that is needed. */
  readonly input: number | undefined;
  /** The part of the second operand; undefined: all of it that is needed. */
  readonly weight: number | undefined;
  /** What its result is a piece of, from 0: results of one group are put together before those of several are. */
  readonly group: number;
}

/** The order of computations of a mode. */
export interface Schedule {
  readonly tasks: readonly ScheduledTask[];
  /** The core at which the pieces of each group come together. */
  readonly owners: readonly number[];
}

/** Makes one of labels. Errors: LayoutError `layout.operands` for labels that do not suit the mode. */
export type Scheduler = (labelled: LabelledOperator) => Schedule;
