/** Rows of tables as objects, for who writes a function of them. */
import type { Data, Row } from 'cipherloom/job';
import type { DataClient } from '../data/data-client.js';
import { pathOf } from './files.js';
import { isNumber, numberOf } from './operators/decimals.js';
import { cellsOf } from './operators/records.js';
import { layoutOf, recordsIn } from './tables.js';

/** By "path, row 7", cells by their columns' names: numbers where they are some, null where one is missing, else text. Errors: FileError. */
export async function* rowsOfTables(
  files: readonly File[],
  data: Pick<DataClient, 'read'>,
): AsyncGenerator<Row> {
  for (const file of files) {
    const layout = await layoutOf(file, data);
    let number = 0;
    for await (const record of recordsIn(file, layout)) {
      const cells = cellsOf(record, layout.delimiter);
      const value: Record<string, Data> = {};
      for (const [at, { name, numbers }] of layout.columns.entries()) {
        const cell = cells[at] ?? '';
        if (!numbers) value[name] = cell;
        else value[name] = isNumber(cell, layout.mark) ? (numberOf(cell, layout.mark) ?? null) : null;
      }
      yield [`${pathOf(file)}, row ${++number}`, value];
    }
  }
}
