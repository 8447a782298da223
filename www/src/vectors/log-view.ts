/** The log of a job as it is written: its last lines. */
import { h } from '../ui/dom.js';
import { type Journal, laneName } from './journal.js';
import type { LogLine } from 'cipherloom/job';

export class LogView {
  /** Not read out as it comes: hundreds of lines in a second are for eyes. */
  readonly element = h('pre', {
    class: 'vectors-log',
    role: 'log',
    'aria-live': 'off',
    'aria-label': 'Log of the job',
    tabindex: 0,
    'data-testid': 'vectors-log',
  });

  show(journal: Journal, began: number): void {
    const { element } = this;
    const follows = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    const hidden = journal.lineCount - journal.tail.length;
    const lines = journal.tail.map((line) => lineText(line, began));
    element.textContent = [...(hidden > 0 ? [`… ${hidden} lines before`] : []), ...lines].join('\n');
    if (follows) element.scrollTop = element.scrollHeight;
  }
}

/** "   0.120 s  CPU 0  0-0-3 begins (round 0, part 1)" */
export function lineText(line: LogLine, began: number): string {
  const { event, time, round, part, task, text, calls = 0, milliseconds = 0 } = line;
  const at = `${(Math.max(time - began, 0) / 1000).toFixed(3)} s`.padStart(10);
  const what = {
    text,
    begin: `${task} begins (round ${round}, part ${part})`,
    end: `${task} ends after ${milliseconds.toFixed(1)} ms, ${calls} ${calls === 1 ? 'call' : 'calls'}`,
  }[event];
  return `${at}  ${laneName(line).padEnd(6)} ${what}`;
}
