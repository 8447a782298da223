/** Works over texts. */
import { CrossMap, DirMap, fromModule, type Row, SparseTextVector, VectorMap } from 'cipherloom/job';
import * as format from '../format.js';
import { FileError, isTable, pathOf } from './files.js';
import { isUtf8Text } from './operators/texts.js';
import FACTS from './operators/file-facts.ts?address';
import LIKENESS from './operators/likeness.ts?address';
import COUNT from './operators/word-count.ts?address';
import INDEX from './operators/word-index.ts?address';
import type { Work } from './work.js';

/** Texts that can be compared with each other: each pair is a task, and more than about a thousand are no picture. */
const MOST_COMPARED = 32;

const isText = (file: File): boolean => !isTable(file);
const noText = (files: readonly File[]): string | undefined =>
  files.length === 0 ? 'Needs texts: any files that are not .csv or .tsv' : undefined;

const wordCount: Work = {
  id: 'word-count',
  title: 'Count words',
  about: 'How often each word occurs in all texts together.',
  maps: 'DirMap + reducer',
  takes: isText,
  problem: noText,
  async prepare(files) {
    const reduce = fromModule(COUNT, { name: 'add' });
    const operator = fromModule(COUNT, { name: 'count', type: 'int' });
    return {
      definition: { rounds: [DirMap(operator, { directory: files, reduce })] },
      expected: files.length,
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
  maps: 'DirMap + reducer',
  takes: isText,
  problem: noText,
  async prepare(files) {
    const reduce = fromModule(INDEX, { name: 'join' });
    const operator = fromModule(INDEX, { name: 'find', type: 'int' });
    return {
      definition: { rounds: [DirMap(operator, { directory: files, reduce })] },
      expected: files.length,
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

const fileFacts: Work = {
  id: 'file-facts',
  title: 'Measure files',
  about: 'Lines, words and bytes of each file.',
  maps: 'DirMap',
  takes: () => true,
  problem: (files) => (files.length === 0 ? 'Needs files' : undefined),
  async prepare(files) {
    return {
      definition: {
        rounds: [DirMap(fromModule(FACTS, { name: 'measure', type: 'int' }), { directory: files })],
      },
      expected: files.length,
      columns: ['File', 'Lines', 'Words', 'Size', 'Longest line'],
      cells: ([path, value]) => {
        const { bytes, lines, words, longest } = value as Record<string, number>;
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
  maps: 'VectorMap, CrossMap',
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
          const text = await file.text().catch((error: unknown) => {
            throw new FileError(file, error);
          });
          if (!isUtf8Text(text))
            throw new FileError(file, new Error('it has bytes that are no text (UTF-8)'));
          await job.inputs['texts']!.emit(index, text);
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

export const TEXT_WORKS: readonly Work[] = [wordCount, wordIndex, fileFacts, likeness];
