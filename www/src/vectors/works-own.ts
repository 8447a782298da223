/** A visitor's own function, by any map. */
import {
  DirMap,
  fromModule,
  type JobDefinition,
  type Row,
  SparseMatrix,
  Var,
  VariableLenVector,
} from 'cipherloom/job';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import type { Editor } from '../workbench/editor.js';
import { isTable, pathOf } from './files.js';
import { linesIn, textOf } from './lines.js';
import { roundBy } from './maps.js';
import { Numbers } from './numbers.js';
import OWN from './operators/own.ts?address';
import { NO_SCRIPT, OwnCode, type OwnNames } from './operators/own-code.js';
import { STARTERS } from './own-starters.js';
import { field, noTable } from './table-fields.js';
import { rowsOfTables } from './table-rows.js';
import type { Around, Hearing, MapName, Prepared, Way, Work } from './work.js';
import { MOST_POINTS } from './works-numbers.js';
import { MOST_COMPARED } from './works-texts.js';

const ROWS = {
  lines: 'lines of texts',
  texts: 'texts as a whole',
  records: 'rows of tables',
} as const;
type Rows = keyof typeof ROWS;

/** The rows that there are of some files: pairs are of few. */
function rowsOf(files: readonly File[], map: MapName): Rows[] {
  if (map === 'DirMap' || map === 'MatrixMap') return [];
  const [tables, texts] = [files.some(isTable), files.some((file) => !isTable(file))];
  return [
    ...(texts ? [map === 'CrossMap' ? 'texts' : 'lines'] : []),
    ...(tables ? ['records'] : []),
  ] as Rows[];
}

export class OwnFunction implements Work {
  readonly id = 'own';
  readonly title = 'A function of your own';
  readonly about =
    'A module in JavaScript that you write here. It runs in workers of this tab, and in Node as it stands, by fromModule.';
  readonly ways = {
    DirMap: 'A call for each file, with its path and its text.',
    VectorMap: 'A call for each row.',
    TaskMap: 'A call for each row; a worker’s rows are shared among its threads.',
    GlobalMap: 'A call for each row on every worker; the context says which of them it is.',
    CrossMap: `A call for each two rows, of at most ${MOST_COMPARED} texts or ${MOST_POINTS} rows of tables.`,
    MatrixMap: 'A call for each number of the tables, under its row and column.',
  };
  readonly #around: Around;
  readonly #rows = h('select', { 'data-testid': 'vectors-rows' });
  readonly #host = h('div', { class: 'vectors-code', 'data-testid': 'vectors-code' });
  readonly #texts = new Map<MapName, string>(Object.entries(STARTERS) as [MapName, string][]);
  #map: MapName = 'VectorMap';
  #editor: Promise<Editor> | undefined;

  constructor(around: Around) {
    this.#around = around;
  }

  takes(file: File, map: MapName): boolean {
    return map === 'MatrixMap' ? isTable(file) : true;
  }

  problem(files: readonly File[], map: MapName): string | undefined {
    if (map === 'MatrixMap') return noTable(files);
    return files.length === 0 ? 'Needs files' : undefined;
  }

  async fields(files: readonly File[], map: MapName): Promise<readonly HTMLElement[]> {
    const before = this.#rows.value;
    const rows = rowsOf(files, map);
    this.#rows.replaceChildren(...rows.map((name) => h('option', { value: name }, ROWS[name])));
    if (rows.includes(before as Rows)) this.#rows.value = before;
    const editor = await (this.#editor ??= this.#makeEditor());
    if (editor.text === '' || map !== this.#map) {
      // What was written for the other map is there again with it.
      if (editor.text !== '') this.#texts.set(this.#map, editor.text);
      this.#map = map;
      editor.text = this.#texts.get(map)!;
    }
    return [...(rows.length > 0 ? [field('Rows are', this.#rows)] : []), this.#host];
  }

  async prepare(files: readonly File[], { signal, say }: Hearing, way: Way): Promise<Prepared> {
    const { text } = await this.#editor!;
    const names = await this.#look(text);
    const operator = (name: string) => fromModule(`${OWN}#${encodeURIComponent(text)}`, { name });
    const reduce = names.reduce ? { reduce: operator('reduce') } : {};
    const shown = {
      columns: ['Key', 'Value'],
      cells: ([key, value]: Row) => [typeof key === 'object' ? key.join(', ') : String(key), told(value)],
    };
    if (way.map === 'DirMap')
      return {
        ...shown,
        definition: { rounds: [DirMap(operator('map'), { directory: files, ...reduce })] },
        expected: files.length,
      };
    if (way.map === 'MatrixMap') {
      const numbers = await Numbers.of(files, this.#around.data, signal);
      return {
        ...shown,
        columns: ['Cell', 'Value'],
        cells: ([key, value]) => {
          const of = ([row, column]: readonly number[]): string =>
            `${numbers.nameOf(row!)}, ${numbers.names[column!] ?? column}`;
          return [typeof key === 'object' ? of(key) : String(key), told(value)];
        },
        definition: { inputs: { rows: SparseMatrix() }, rounds: [roundBy(way, operator('map'), reduce)] },
        async feed(job) {
          job.inputs['rows']!.read(numbers.cells());
        },
      };
    }
    const rows = this.#read(this.#rows.value as Rows, files);
    if (way.map === 'CrossMap') {
      say('Reading the rows…');
      const most = this.#rows.value === 'texts' ? MOST_COMPARED : MOST_POINTS;
      const all: Row[] = [];
      let isCut = false;
      for await (const row of rows) {
        signal.throwIfAborted();
        isCut = all.length === most;
        if (isCut) break;
        all.push(row);
      }
      return {
        ...shown,
        definition: {
          // One sub-vector for each row: CrossMap gives rows of different ones.
          inputs: { rows: VariableLenVector({ parts: Math.max(all.length, 1) }) },
          rounds: [roundBy(way, operator('map'), reduce)],
        },
        columns: ['Rows', 'Value'],
        cells: ([key, value]) => {
          const of = (index: number): string => String(all[index]?.[0] ?? index);
          return [typeof key === 'object' ? key.map(of).join(' and ') : String(key), told(value)];
        },
        expected: all.length * (all.length - 1),
        ...(isCut && { note: `Of the first ${most}: each two of them are a task.` }),
        async feed(job) {
          for (const [index, [, value]] of all.entries()) await job.inputs['rows']!.emit(index, value);
        },
      };
    }
    const isShared = way.map === 'GlobalMap';
    const definition: JobDefinition = {
      inputs: { rows: VariableLenVector({ parts: way.workers }) },
      globals: { ...(isShared && { shares: Var() }) },
      rounds: [roundBy(way, operator('map'), reduce)],
    };
    return {
      ...shown,
      definition,
      async feed(job) {
        if (isShared) await job.globals['shares']!.emit('count', way.workers);
        job.inputs['rows']!.read(rows);
      },
    };
  }

  blame(sentence: string | undefined): void {
    const [, line, message] = /line (\d+) of your function: (.*)$/s.exec(sentence ?? '') ?? [];
    void this.#editor?.then((editor) => {
      if (line === undefined) return editor.showProblem(undefined);
      editor.showProblem({ line: Number(line), word: undefined, message: message! });
    });
  }

  /** What the module has. Errors: that it cannot be read, or has no `map`. */
  async #look(text: string): Promise<OwnNames> {
    const code = new OwnCode(text);
    try {
      const { value } = await code.ask('names', []);
      const names = value as OwnNames;
      if (!names.map) throw new Error('The module exports no function “map”');
      return names;
    } catch (error) {
      const line = (error as Error).message === NO_SCRIPT ? await wrongLine(text) : undefined;
      throw line === undefined
        ? error
        : new Error(`line ${line} of your function: ${NO_SCRIPT}`, { cause: error });
    } finally {
      code.close();
    }
  }

  async *#read(which: Rows, files: readonly File[]): AsyncGenerator<Row> {
    const texts = files.filter((file) => !isTable(file));
    if (which === 'records') yield* rowsOfTables(files.filter(isTable), this.#around.data);
    else if (which === 'texts') for (const file of texts) yield [pathOf(file), await textOf(file)];
    else for await (const [key, value] of linesIn(texts)) yield [key, (value as readonly string[])[1]!];
  }

  async #makeEditor(): Promise<Editor> {
    const [{ Editor }, { javascript, javascriptLanguage }] = await Promise.all([
      import('../workbench/editor.js'),
      import('@codemirror/lang-javascript'),
    ]);
    return new Editor(this.#host, {
      label: 'Your function, JavaScript',
      language: javascriptLanguage,
      extensions: [javascript().support],
      complete: undefined,
      changed: () => this.blame(undefined),
    });
  }
}

/** The first line that the editor's parser does not understand. */
async function wrongLine(text: string): Promise<number | undefined> {
  const { javascriptLanguage } = await import('@codemirror/lang-javascript');
  let at: number | undefined;
  javascriptLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) at ??= from;
    },
  });
  return at === undefined ? undefined : text.slice(0, at).split('\n').length;
}

/** A value as people read it: no longer than a line or two. */
function told(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 20 });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${format.plural(text.length, 'letter')})` : text;
}
