/** What operators over texts have in common. */
import type { Context, JobFile, Row } from 'cipherloom/job';

/** What an operator of `DirMap` is called with: a file under its path. */
export type FileRow = readonly [path: string, file: JobFile];

/** A row of a `DirMap`. */
export function fileOf(row: Row): FileRow {
  return row as unknown as FileRow;
}

/** What an operator over lines is called with: a line, and the path of its text. */
export type Line = readonly [path: string, line: string];

/** A row of lines. */
export function lineOf([, value]: Row): Line {
  return value as unknown as Line;
}

/** Of so many shares, the one that a word belongs to: the same on every worker (FNV-1a, 32 bits). */
export function shareOf(word: string, shares: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shares;
}

/** Words of a line that fall to a sub-vector, where all of them see all lines: the global `shares` says among how many. */
export function wordsOfShare(line: string, { part, globals }: Context): readonly string[] {
  const shares = globals['shares']!.get('count') as number;
  return wordsOf(line).filter((word) => shareOf(word, shares) === part);
}

/** Whether bytes that were read as UTF-8 were a text: what is none is read as U+FFFD, and texts have no zeros. */
export function isUtf8Text(read: string): boolean {
  return !/[\0\uFFFD]/.test(read);
}

/** Lines of a text. Errors: if the file is none, since then whatever is counted in it is nonsense. */
export async function* linesOfText(file: JobFile): AsyncGenerator<string> {
  let number = 0;
  for await (const line of file.lines()) {
    number += 1;
    if (!isUtf8Text(line)) throw new Error(`line ${number} has bytes that are no text (UTF-8)`);
    yield line;
  }
}

const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

/** Words of a line, in lower case: letters and digits, with apostrophes and hyphens inside. */
export function wordsOf(line: string): readonly string[] {
  return line.toLowerCase().match(WORD) ?? [];
}

/** How often each word of a text occurs. Errors: as of {@link linesOfText}. */
export async function countWords(file: JobFile): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const line of linesOfText(file))
    for (const word of wordsOf(line)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
