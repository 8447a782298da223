/** Works over tables. */
import {
  type Data,
  fromModule,
  fromProgram,
  type JobDefinition,
  PVar,
  type Row,
  Var,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';
import { areEqual, resultOf, textOf } from '../compare.js';
import type { DataTable, NumericColumn } from '../data/messages.js';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { allDigits } from './digits.js';
import { FileError, isTable, pathOf } from './files.js';
import { roundBy } from './maps.js';
import GROUPS from './operators/groups.ts?address';
import type { Columns } from './operators/groups.js';
import { field, noTable, offer } from './table-fields.js';
import { columnsOf, type Layout, layoutOf, recordsIn } from './tables.js';
import type { Around, Hearing, Prepared, Way, Work } from './work.js';

/** Means of a column by groups. */
export class GroupMeans implements Work {
  readonly id = 'groups';
  readonly title = 'Sums and means by group';
  readonly about = 'Of a column of numbers, for each value of another column, over all tables.';
  readonly ways = {
    VectorMap: 'A call for each row; sums of a group are put together, and a second round divides.',
    TaskMap: 'A call for each row; a worker’s rows are shared among its threads.',
  };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;
  readonly #group = h('select', { 'data-testid': 'vectors-group' });
  readonly #value = h('select', { 'data-testid': 'vectors-value' });

  constructor(around: Around) {
    this.#around = around;
  }

  async fields([file]: readonly File[]): Promise<readonly HTMLElement[]> {
    const { columns } = await layoutOf(file!, this.#around.data);
    const names = columns.map(({ name }) => name);
    const isNumbers = (name: string) => columns.some((column) => column.name === name && column.numbers);
    offer(this.#value, names, isNumbers, -1);
    offer(this.#group, names, (name) => !isNumbers(name), 0);
    return [field('Numbers of', this.#value), field('For each', this.#group)];
  }

  async prepare(files: readonly File[], { say, signal }: Hearing, way: Way): Promise<Prepared> {
    const [group, value] = [this.#group.value, this.#value.value];
    say(`Looking at ${format.plural(files.length, 'table')}…`);
    const tables: { readonly file: File; readonly layout: Layout; readonly columns: Columns }[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      const layout = await layoutOf(file, this.#around.data);
      tables.push({ file, layout, columns: columnsOf(file, layout, group, value) });
    }
    const from = (name: string) => fromModule(GROUPS, { name });
    const definition: JobDefinition = {
      inputs: { records: VariableLenVector() },
      globals: { tables: Var() },
      rounds: [roundBy(way, from('read'), { reduce: from('add') }), VectorMap(from('finish'))],
    };
    return {
      definition,
      async feed(job) {
        for (const [index, { columns }] of tables.entries())
          await job.globals['tables']!.emit(index, { ...columns });
        // No faster than workers are done with them.
        job.inputs['records']!.read(rowsOf(tables));
      },
      columns: [group, 'Rows', `Sum of ${value}`, 'Mean', 'Least', 'Most'],
      cells: ([key, of]) => {
        const { count, sum, mean, least, most } = of as Record<string, number | string>;
        return [
          String(key),
          format.count(Number(count)),
          ...[sum, mean, least, most].map((one) => allDigits(one!)),
        ];
      },
    };
  }
}

/** Statistics of each table, by one program over ciphertexts. */
export class EncryptedStatistics implements Work {
  readonly id = 'encrypted';
  readonly title = 'Encrypted statistics of each table';
  readonly about =
    'Each table is encrypted here; the workers get ciphertexts and a compiled program, and no secret key.';
  readonly ways = { VectorMap: 'A call of the compiled program for each encrypted table.' };
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #around: Around;
  readonly #column = h('select', { 'data-testid': 'vectors-column' });

  constructor(around: Around) {
    this.#around = around;
  }

  async fields([file]: readonly File[]): Promise<readonly HTMLElement[]> {
    const { numeric } = await this.#read(file!);
    const names = numeric.map(({ name }) => name);
    offer(this.#column, names, () => true, -1);
    return [field('Column', this.#column)];
  }

  async prepare(files: readonly File[], { say, signal }: Hearing): Promise<Prepared> {
    const name = this.#column.value;
    say(`Reading ${format.plural(files.length, 'table')}…`);
    const columns = await Promise.all(
      files.map(async (file) => columnOf(await this.#read(file), name, file)),
    );
    const rows = Math.max(...columns.map(({ values }) => values.length));
    const tables = columns.map(({ values }) => {
      const padded = new Float64Array(rows).fill(NaN);
      padded.set(values);
      return padded;
    });
    say('Compiling the program, making keys…');
    const loom = await this.#around.loom();
    const task = loom.task();
    const declared = columns.map(({ declared }) => declared);
    const cells = task.encrypted('column', {
      shape: [rows],
      min: Math.min(...declared.map(({ min }) => Number(min))),
      max: Math.max(...declared.map(({ max }) => Number(max))),
      decimals: Math.max(...declared.map(({ decimals }) => decimals ?? 0)),
      missing: columns.some(({ values, missing }) => missing > 0 || values.length < rows),
    });
    task.output('count', cells.count());
    task.output('mean', cells.mean());
    task.output('variance', cells.variance());
    const program = await task.compile({ signal });
    const client = await program.client({ signal }).catch((error: unknown) => {
      program.dispose();
      throw error;
    });
    const definition: JobDefinition = {
      inputs: { tables: VariableLenVector({ parts: files.length }) },
      globals: { keys: PVar() },
      rounds: [VectorMap(fromProgram(program.toBytes(), 'keys'))],
    };
    return {
      definition,
      expected: files.length,
      async feed(job, { say, signal }) {
        for (const [index, key] of client.evaluationKeys.entries())
          await job.globals['keys']!.emit(index, key);
        for (const [index, column] of tables.entries()) {
          say(`Encrypting table ${index + 1} of ${tables.length}…`);
          const ciphertexts = await client.encrypt({ column }, { signal });
          await job.inputs['tables']!.emit(pathOf(files[index]!), ciphertexts as Data);
        }
      },
      async finish(given, { say, signal }) {
        say('Decrypting the results…');
        const results: Row[] = [];
        const byPath = new Map(files.map((file, index) => [pathOf(file), tables[index]!] as const));
        for await (const [path, value] of given) {
          const outputs = await client.decryptDetails(value as Record<string, Uint8Array>, { signal });
          const clear = await client.plainDetails({ column: byPath.get(String(path))! }, { signal });
          const told = Object.keys(outputs).map((name) => {
            const [encrypted, plain] = [resultOf(outputs[name]!), resultOf(clear[name]!)];
            return { name, text: textOf(encrypted), equal: areEqual(encrypted, plain) };
          });
          const numbers = told.map(
            ({ name, text }) => [name, text === 'undefined' ? null : Number(text)] as const,
          );
          results.push([path, { ...Object.fromEntries(numbers), equal: told.every(({ equal }) => equal) }]);
        }
        return results;
      },
      columns: [
        'Table',
        'Rows',
        `Mean of ${name}`,
        'Standard deviation',
        'Compared with the same in the clear',
      ],
      cells: ([path, value]) => {
        const { count, mean, variance, equal } = value as Record<string, number | null>;
        const told = (one: number | null | undefined): string =>
          typeof one === 'number' ? allDigits(one) : 'none';
        return [
          String(path),
          format.count(count!),
          told(mean),
          told(typeof variance === 'number' ? Math.sqrt(variance) : null),
          equal ? '= equal' : '≠ different',
        ];
      },
      close() {
        client.dispose();
        program.dispose();
      },
    };
  }

  async #read(file: File): Promise<DataTable> {
    const bytes = await file.arrayBuffer().catch((error: unknown) => {
      throw new FileError(file, error);
    });
    return this.#around.data.read(bytes).catch((error: unknown) => {
      throw new FileError(file, error);
    });
  }
}

function columnOf({ numeric }: DataTable, name: string, file: File): NumericColumn {
  const column = numeric.find((one) => one.name === name);
  if (column === undefined) throw new FileError(file, new Error(`it has no column of numbers “${name}”`));
  return column;
}

/** Records of all tables, below their headers. */
async function* rowsOf(
  tables: readonly { readonly file: File; readonly layout: Layout }[],
): AsyncGenerator<Row> {
  for (const [table, { file, layout }] of tables.entries()) {
    let number = 0;
    for await (const record of recordsIn(file, layout))
      yield [`${pathOf(file)}, row ${++number}`, [table, record]];
  }
}
