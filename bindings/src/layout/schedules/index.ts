/** Schedules by mode. */
import type { Mode } from '../strategy.js';
import { data } from './data.js';
import { hybrid } from './hybrid.js';
import { model } from './model.js';
import type { Scheduler } from './task.js';

/** See {@link Mode}. */
export const SCHEDULES: Readonly<Record<Mode, Scheduler>> = { model, data, hybrid };
