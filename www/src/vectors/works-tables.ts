/** Works over tables. */
import {
  type Data,
  fromModule,
  fromProgram,
  type JobDefinition,
  linesOf,
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
import { FileError, isTable, pathOf } from './files.js';
import GROUPS from './operators/groups.ts?address';
import type { Columns } from './operators/groups.js';
import { cellsOf, delimiterOf, recordsOf } from './operators/records.js';
import type { Around, Hearing, Prepared, Work } from './work.js';

const noTable = (files: readonly File[]): string | undefined =>
  files.length === 0 ? 'Needs tables: files that end in .csv or .tsv' : undefined;

/** Means of a column by groups. */
export class GroupMeans implements Work {
  readonly id = 'groups';
  readonly title = 'Sums and means by group';
  readonly about = 'Of a column of numbers, for each value of another column, over all tables.';
  readonly maps = 'VectorMap + reducer';
  readonly takes = isTable;
  readonly problem = noTable;
  readonly #group = h('select', { 'data-testid': 'vectors-group' });
  readonly #value = h('select', { 'data-testid': 'vectors-value' });

  async fields([file]: readonly File[]): Promise<readonly HTMLElement[]> {
    const { cells, first } = await headerOf(file!);
    offer(this.#value, cells, (name) => isNumber(first[cells.indexOf(name)]), -1);
    offer(this.#group, cells, (name) => !isNumber(first[cells.indexOf(name)]), 0);
    return [field('Numbers of', this.#value), field('For each', this.#group)];
  }

  async prepare(files: readonly File[]): Promise<Prepared> {
    const [group, value] = [this.#group.value, this.#value.value];
    const tables = await Promise.all(files.map((file) => columnsOf(file, group, value)));
    const from = (name: string) => fromModule(GROUPS, { name });
    const definition: JobDefinition = {
      inputs: { records: VariableLenVector() },
      globals: { tables: Var() },
      rounds: [VectorMap(from('read'), { reduce: from('add') }), VectorMap(from('finish'))],
    };
    return {
      definition,
      async feed(job) {
        for (const [index, columns] of tables.entries())
          await job.globals['tables']!.emit(index, { ...columns });
        // No faster than workers are done with them.
        job.inputs['records']!.read(rowsOf(files));
      },
      columns: [group, 'Rows', `Sum of ${value}`, 'Mean', 'Least', 'Most'],
      cells: ([key, of]) => {
        const { count, sum, mean, least, most } = of as Record<string, number>;
        return [String(key), format.count(count!), ...[sum, mean, least, most].map((one) => number(one!))];
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
  readonly maps = 'VectorMap of a Program';
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
          typeof one === 'number' ? number(one) : 'none';
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

/** The first records of a table. */
async function headerOf(file: File): Promise<{ header: string; cells: string[]; first: string[] }> {
  const records: string[] = [];
  try {
    for await (const record of recordsOf(linesOf(pieces(file.slice(0, 2 ** 16))))) {
      if (records.push(record) === 2) break;
    }
  } catch (error) {
    throw new FileError(file, error);
  }
  const [header, first = ''] = records;
  if (header === undefined) throw new FileError(file, new Error('it is empty'));
  const delimiter = delimiterOf(header);
  return { header, cells: namesOf(header, delimiter), first: cellsOf(first, delimiter) };
}

async function columnsOf(file: File, group: string, value: string): Promise<Columns> {
  const { header, cells } = await headerOf(file);
  const at = (name: string): number => {
    const index = cells.indexOf(name);
    if (index < 0) throw new FileError(file, new Error(`it has no column “${name}”`));
    return index;
  };
  return { delimiter: delimiterOf(header), group: at(group), value: at(value) };
}

function namesOf(header: string, delimiter: string): string[] {
  return cellsOf(header.replace(/^\uFEFF/, ''), delimiter).map((name) => name.trim());
}

function columnOf({ numeric }: DataTable, name: string, file: File): NumericColumn {
  const column = numeric.find((one) => one.name === name);
  if (column === undefined) throw new FileError(file, new Error(`it has no column of numbers “${name}”`));
  return column;
}

/** Records of all tables, below their headers. */
async function* rowsOf(files: readonly File[]): AsyncGenerator<Row> {
  for (const [table, file] of files.entries()) {
    let number = -1;
    try {
      for await (const record of recordsOf(linesOf(pieces(file)))) {
        if (++number > 0) yield [`${pathOf(file)}, row ${number}`, [table, record]];
      }
    } catch (error) {
      throw new FileError(file, error);
    }
  }
}

/** A file's bytes as they are read; streams are no iterators in every browser. */
async function* pieces(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Fills a choice, unless what was chosen is still there; else with the first, or the last, that is likely. */
function offer(
  select: HTMLSelectElement,
  names: readonly string[],
  isLikely: (name: string) => boolean,
  at: 0 | -1,
) {
  const before = select.value;
  select.replaceChildren(...names.map((name) => h('option', { value: name }, name)));
  select.value = names.includes(before) ? before : (names.filter(isLikely).at(at) ?? names[0] ?? '');
}

function field(label: string, select: HTMLElement): HTMLElement {
  return h('label', { class: 'field' }, h('span', {}, label), select);
}

function isNumber(text = ''): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** Eight digits say enough here; downloads have all. */
function number(value: number): string {
  return new Intl.NumberFormat('en-US', { maximumSignificantDigits: 8 }).format(value);
}
