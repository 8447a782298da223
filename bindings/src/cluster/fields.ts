/** Names of tasks in a run: the task's id, the hash of what it is, and a number from the second one on that is equal to one of the same manager. */
import type { Task } from '../job/work.js';
import { hashOf } from './named.js';

const NUMBERED = /^(?<name>.*\.[0-9a-f]{16})(?:\.(?<number>\d+))?$/s;

/** What is the same in two tasks that are one: numbers of stored bytes are drawn anew each time. `only`: the process that can do it. */
export function nameOfTask(task: Task, only: string): string {
  const text = JSON.stringify([task, only]).replace(/([0-9a-f]{64})-[0-9a-f]{16}/g, '$1');
  return `${task.id}.${hashOf(text).slice(0, 16)}`;
}

/** A field of the journal. */
export function fieldOf(name: string, number: number): string {
  return number === 0 ? name : `${name}.${number}`;
}

/** The other way. */
export function partsOf(field: string): { readonly name: string; readonly number: number } {
  const { name = field, number = 0 } = NUMBERED.exec(field)?.groups ?? {};
  return { name, number: Number(number) };
}
