/** Works over texts. */
import {
  CrossMap,
  DirMap,
  fromModule,
  type JobDefinition,
  type Row,
  SparseTextVector,
  Var,
  VariableLenVector,
  VectorMap,
} from 'cipherloom/job';
import * as format from '../format.js';
import { isTable, pathOf } from './files.js';
import { linesIn, textOf } from './lines.js';
import { roundBy } from './maps.js';
import FACTS from './operators/file-facts.ts?address';
import LIKENESS from './operators/likeness.ts?address';
import COUNT from './operators/word-count.ts?address';
import INDEX from './operators/word-index.ts?address';
import type { Prepared, Way, Work } from './work.js';

/** Texts that can be compared with each other: each pair is a task, and more than about a thousand are no picture. */
export const MOST_COMPARED = 32;

const isText = (file: File): boolean => !isTable(file);
const noText = (files: readonly File[]): string | undefined =>
  files.length === 0 ? 'Needs texts: any files that are not .csv or .tsv' : undefined;

/** Names of a module's functions, by what they are called with. */
interface Functions {
  readonly module: string;
  readonly file: string;
  readonly line: string;
  readonly share?: string;
  readonly reduce?: string;
}

/** A job over texts: over files as they are, or over their lines, which this side reads. */
function overTexts(
  { module, file, line, share, reduce: reducer }: Functions,
  files: readonly File[],
  way: Way,
): Pick<Prepared, 'definition' | 'expected' | 'feed'> {
  const operator = (name: string) => fromModule(module, { name, type: 'int' });
  const reduce = reducer === undefined ? {} : { reduce: fromModule(module, { name: reducer }) };
  if (way.map === 'DirMap')
    return {
      definition: { rounds: [DirMap(operator(file), { directory: files, ...reduce })] },
      expected: files.length,
    };
  const isShared = way.map === 'GlobalMap';
  const definition: JobDefinition = {
    inputs: { lines: VariableLenVector({ parts: way.workers }) },
    globals: { ...(isShared && { shares: Var() }) },
    rounds: [roundBy(way, operator(isShared ? share! : line), reduce)],
  };
  return {
    definition,
    async feed(job) {
      if (isShared) await job.globals['shares']!.emit('count', way.workers);
      // No faster than workers are done with them.
      job.inputs['lines']!.read(linesIn(files));
    },
  };
}

const WORDS_BY = {
  DirMap: 'A call for each file, which a worker reads line by line.',
  VectorMap: 'A call for each line.',
  TaskMap: 'A call for each line; a worker’s lines are shared among its threads.',
  GlobalMap: 'Every worker reads all lines, and takes the words that fall to it by their letters.',
} as const;

const wordCount: Work = {
  id: 'word-count',
  title: 'Count words',
  about: 'How often each word occurs in all texts together.',
  ways: WORDS_BY,
  takes: isText,
  problem: noText,
  async prepare(files, _, way) {
    const functions = { file: 'count', line: 'countLine', share: 'countShare', reduce: 'add' };
    return {
      ...overTexts({ module: COUNT, ...functions }, files, way),
      before: ([a, some], [b, others]) => (others as number) - (some as number) || (a < b ? -1 : 1),
      order: 'the most frequent first',
      columns: ['Word', 'Times'],
      cells: ([word, times]) => [String(word), format.count(times as number)],
    };
  },
};

const wordIndex: Work = {
  id: 'word-index',
  title: 'Index words',
  about: 'In which texts each word is: an inverted index, as search engines have it.',
  ways: WORDS_BY,
  takes: isText,
  problem: noText,
  async prepare(files, _, way) {
    const functions = { file: 'find', line: 'findInLine', share: 'findShare', reduce: 'join' };
    return {
      ...overTexts({ module: INDEX, ...functions }, files, way),
      before: ([a, some], [b, others]) =>
        (some as string[]).length - (others as string[]).length || (a < b ? -1 : 1),
      order: 'the rarest first',
      columns: ['Word', 'Texts', 'Which'],
      cells: ([word, paths]) => [
        String(word),
        format.count((paths as string[]).length),
        (paths as string[]).join(', '),
      ],
    };
  },
};

const measure: Work = {
  id: 'file-facts',
  title: 'Measure lengths',
  about: 'Lines, words and bytes of each file; or letters and words of each line.',
  ways: {
    DirMap: 'A call for each file: its lines, words and bytes.',
    VectorMap: 'A call for each line: its letters and words.',
    TaskMap: 'A call for each line; a worker’s lines are shared among its threads.',
  },
  takes: (file, map) => map === 'DirMap' || isText(file),
  problem: (files, map) =>
    map === 'DirMap' ? (files.length === 0 ? 'Needs files' : undefined) : noText(files),
  async prepare(files, _, way) {
    const job = overTexts({ module: FACTS, file: 'measure', line: 'measureLine' }, files, way);
    const of = (value: unknown) => value as Record<string, number>;
    if (way.map !== 'DirMap')
      return {
        ...job,
        before: (a, b) => of(b[1])['letters']! - of(a[1])['letters']!,
        order: 'the longest first',
        columns: ['Line', 'Letters', 'Words'],
        cells: ([line, value]) => [
          String(line),
          format.count(of(value)['letters']!),
          format.count(of(value)['words']!),
        ],
      };
    return {
      ...job,
      columns: ['File', 'Lines', 'Words', 'Size', 'Longest line'],
      cells: ([path, value]) => {
        const { bytes, lines, words, longest } = of(value);
        return [
          String(path),
          format.count(lines!),
          format.count(words!),
          format.bytes(bytes!),
          format.plural(longest!, 'letter'),
        ];
      },
    };
  },
};

const likeness: Work = {
  id: 'likeness',
  title: 'Compare texts',
  about: 'Each text with every other one: the share of words that both have.',
  ways: { CrossMap: 'A VectorMap makes the words of each text; then a call for each two texts.' },
  takes: isText,
  problem(files) {
    if (files.length >= 2 && files.length <= MOST_COMPARED) return undefined;
    return `Needs 2 to ${MOST_COMPARED} texts; ${files.length === 0 ? 'there are none' : `here ${files.length === 1 ? 'is 1' : `are ${format.count(files.length)}`}`}`;
  },
  async prepare(files) {
    const [words, share] = ['words', 'share'].map((name) =>
      fromModule(LIKENESS, { name: name!, type: 'int' }),
    );
    const nameOf = (index: number): string => pathOf(files[index]!);
    return {
      definition: {
        // One sub-vector for each text: CrossMap gives rows of different ones.
        inputs: { texts: SparseTextVector({ parts: files.length }) },
        rounds: [VectorMap(words!), CrossMap(share!)],
      },
      expected: files.length * files.length,
      async feed(job, { signal }) {
        for (const [index, file] of files.entries()) {
          signal.throwIfAborted();
          await job.inputs['texts']!.emit(index, await textOf(file));
        }
      },
      before: (a, b) => (b[1] as number) - (a[1] as number),
      order: 'the most alike first',
      columns: ['Text', 'Other text', 'Words in common'],
      cells: ([key, value]: Row) => {
        const [one, other] = key as readonly [number, number];
        return [nameOf(one), nameOf(other), `${((value as number) * 100).toFixed(1)} %`];
      },
    };
  },
};

export const TEXT_WORKS: readonly Work[] = [wordCount, wordIndex, measure, likeness];
