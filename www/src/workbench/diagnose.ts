/** Where in a text an error is. */
import { type Circuit, CipherloomError } from 'cipherloom';
import type { Problem } from './editor.js';

/** Opens a text; the circuit is disposed by the caller. */
type Open = (text: string, signal: AbortSignal) => Promise<Circuit>;

/** Beginnings of a longer text take too long to be tried. */
const MOST_LINES = 4000;

/**
 * The place of an error that opening a text gave. Errors of syntax name their line; those of operators name the operator
 * alone, and are looked for: the line is the last one of the shortest beginning of the text that gives the same error.
 */
export async function diagnose(
  text: string,
  error: unknown,
  open: Open,
  signal: AbortSignal,
): Promise<Problem> {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof CipherloomError)) return { line: 1, word: undefined, message };
  const { line, found, operator } = error.details as Record<string, unknown>;
  const lines = text.split('\n');
  if (line !== undefined) {
    // 0 is the end of the text.
    const at = Number(line) || lastFilled(lines);
    return { line: at, word: wordOf(found), message: message.replace(/^line \d+: /, '') };
  }
  const word = typeof operator === 'string' ? operator : undefined;
  const at = lines.length <= MOST_LINES ? await shortestWith(error, lines, open, signal) : undefined;
  const named = word === undefined ? -1 : lines.findIndex((one) => one.includes(`${word}`));
  return { line: at ?? Math.max(named, 0) + 1, word, message };
}

/** Number of lines of the shortest beginning with the same error, if shorter ones are without it. */
async function shortestWith(
  { code, message }: CipherloomError,
  lines: readonly string[],
  open: Open,
  signal: AbortSignal,
): Promise<number | undefined> {
  const fails = async (count: number): Promise<boolean> => {
    try {
      (await open(`${lines.slice(0, count).join('\n')}\n`, signal)).dispose();
      return false;
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof CipherloomError && error.code === code && error.message === message;
    }
  };
  let [without, having] = [1, lines.length];
  if (!(await fails(having))) return undefined;
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2);
    if (await fails(middle)) having = middle;
    else without = middle;
  }
  return having;
}

function lastFilled(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== '') + 1 || 1;
}

/** The beginning of what was found, up to a space. */
function wordOf(found: unknown): string | undefined {
  if (typeof found !== 'string' || found.startsWith('the end')) return undefined;
  return found;
}
