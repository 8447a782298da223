/** One operand's parts stay with their cores, and the other's go round. */
import type { Machine } from '../machine.js';
import { coreOfPart } from '../storage.js';
import type { ScheduledTask } from './task.js';

/**
 * Each of some staying parts with each of some travelling ones, that of its own number first, then the next ones in turn, so that in each step as many different parts are read as there are (seed 004, paragraphs 81-90).
 * Several staying parts of one core follow each other.
 */
export function ring(
  on: Machine,
  staying: number,
  travelling: number,
  task: (stays: number, travels: number) => Pick<ScheduledTask, 'input' | 'weight' | 'group'>,
): readonly ScheduledTask[] {
  const tasks: ScheduledTask[] = [];
  for (let turn = 0; turn < travelling; turn++)
    for (let stays = 0; stays < staying; stays++)
      tasks.push({
        step: turn,
        core: coreOfPart(on, stays, staying),
        ...task(stays, (stays + turn) % travelling),
      });
  return tasks;
}
