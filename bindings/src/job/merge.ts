/** Runs of rows that are sorted by key, made one. */
import { compareKeys } from './order.js';
import type { AnyKey, Data, Row } from './types.js';

/** One value of two with equal keys. */
export type Reduce = (key: AnyKey, a: Data, b: Data) => Data | Promise<Data>;

/** Rows in pieces, each no more than is held at once. */
export type Run = AsyncIterable<readonly Row[]>;

/**
 * Merges runs, each sorted by key with each key once, into one such. Values of equal keys are reduced in the order of the runs. Holds one piece of each run. With r runs, a row
 * costs r comparisons: runs are few.
 */
export async function* merge(runs: readonly Run[], reduce: Reduce): AsyncGenerator<Row> {
  const cursors = await Promise.all(runs.map((run) => Cursor.open(run)));
  for (;;) {
    let least: Cursor | undefined;
    for (const cursor of cursors) {
      if (
        cursor.row !== undefined &&
        (least?.row === undefined || compareKeys(cursor.row[0], least.row[0]) < 0)
      )
        least = cursor;
    }
    if (least?.row === undefined) return;
    const [key] = least.row;
    let value: Data | undefined;
    for (const cursor of cursors) {
      if (cursor.row === undefined || compareKeys(cursor.row[0], key) !== 0) continue;
      const next = cursor.row[1];
      value = value === undefined ? next : await reduce(key, value, next);
      if (!cursor.step()) await cursor.refill();
    }
    yield [key, value as Data];
  }
}

/** Where a run is read. */
class Cursor {
  readonly #pieces: AsyncIterator<readonly Row[]>;
  #piece: readonly Row[] = [];
  #at = 0;

  private constructor(run: Run) {
    this.#pieces = run[Symbol.asyncIterator]();
  }

  static async open(run: Run): Promise<Cursor> {
    const cursor = new Cursor(run);
    await cursor.refill();
    return cursor;
  }

  /** The row that is next; none at the end. */
  get row(): Row | undefined {
    return this.#piece[this.#at];
  }

  /** Goes on; false where the piece is over. */
  step(): boolean {
    this.#at += 1;
    return this.#at < this.#piece.length;
  }

  async refill(): Promise<void> {
    this.#at = 0;
    do {
      const { value, done } = await this.#pieces.next();
      this.#piece = done ? [] : value;
      if (done) return;
    } while (this.#piece.length === 0);
  }
}
