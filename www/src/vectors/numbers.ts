/** Numbers of tables as rows: the columns of numbers of the first table, of all of them. */
import type { Row } from 'cipherloom/job';
import type { DataClient } from '../data/data-client.js';
import { FileError, pathOf } from './files.js';
import type { Point } from './operators/columns.js';
import { numberOf } from './operators/decimals.js';
import { cellsOf } from './operators/records.js';
import { type Layout, layoutOf, recordsIn } from './tables.js';

interface NumberTable {
  readonly file: File;
  readonly layout: Layout;
  /** Where it has each of the columns. */
  readonly at: readonly number[];
}

export class Numbers {
  readonly names: readonly string[];
  readonly #tables: readonly NumberTable[];
  /** By table, how many rows are before it, as far as was read. */
  readonly #before: number[] = [];

  private constructor(names: readonly string[], tables: readonly NumberTable[]) {
    this.names = names;
    this.#tables = tables;
  }

  /** Of some columns, or of all that the first table has. Errors: FileError, where there are none, or one is missing. */
  static async of(
    files: readonly File[],
    data: Pick<DataClient, 'read'>,
    signal: AbortSignal,
    wanted?: readonly string[],
  ): Promise<Numbers> {
    const tables: NumberTable[] = [];
    let names = wanted;
    for (const file of files) {
      signal.throwIfAborted();
      const layout = await layoutOf(file, data);
      names ??= layout.columns.filter(({ numbers }) => numbers).map(({ name }) => name);
      if (names.length === 0) throw new FileError(file, new Error('it has no column of numbers'));
      const at = names.map((name) => {
        const index = layout.columns.findIndex((column) => column.name === name);
        if (index < 0) throw new FileError(file, new Error(`it has no column “${name}”`));
        return index;
      });
      tables.push({ file, layout, at });
    }
    return new Numbers(names ?? [], tables);
  }

  /** Rows, numbered from 0 over all tables. Errors: FileError. */
  async *points(): AsyncGenerator<readonly [row: number, point: Point]> {
    let row = 0;
    for (const [table, { file, layout, at }] of this.#tables.entries()) {
      this.#before[table] = row;
      let number = 0;
      for await (const record of recordsIn(file, layout)) {
        number += 1;
        try {
          const cells = cellsOf(record, layout.delimiter);
          yield [row++, at.map((index) => numberOf(cells[index] ?? '', layout.mark) ?? null)];
        } catch (error) {
          throw new FileError(
            file,
            new Error(`row ${number}: ${error instanceof Error ? error.message : String(error)}`),
          );
        }
      }
    }
  }

  /** Cells that are there, under their row and column. Errors: FileError. */
  async *cells(): AsyncGenerator<Row<readonly [number, number]>> {
    for await (const [row, point] of this.points())
      for (const [column, number] of point.entries()) if (number !== null) yield [[row, column], number];
  }

  /** A row in words, once it was read: "shops/north.csv, row 7". */
  nameOf(row: number): string {
    const table = this.#before.findLastIndex((before) => before <= row);
    return `${pathOf(this.#tables[table]!.file)}, row ${row - this.#before[table]! + 1}`;
  }
}
