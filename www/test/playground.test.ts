// The playground without a page: programs that are compiled, looked at and exported; links; tables as text; lines of loops.
import { createTask } from 'cipherloom';
import { columnOptions, parseTable, type Table } from 'cipherloom/table';
import files from 'virtual:playground-types';
import { describe, expect, it, vi } from 'vitest';
import { codeOfRun } from '../src/playground/code-of-run.js';
import { freshName } from '../src/playground/fresh-name.js';
import { hashOf, LinkError, LONGEST, sharedOf } from '../src/playground/permalink.js';
import { PROGRAMS } from '../src/playground/programs.js';
import { resultsOf } from '../src/playground/results-of.js';
import { csvOfResults, jsonOfResults } from '../src/playground/results.js';
import { choiceOf, optionsOf, USUAL } from '../src/playground/settings.js';
import { lineIn } from '../src/playground/sandbox/stack-line.js';
import { csvOf } from '../src/playground/table-text.js';
import { compileProgram } from '../src/playground/types/compile.js';
import { lineMap } from '../src/playground/types/line-map.js';
import { Service } from '../src/playground/types/service.js';

// TypeScript reads its declarations at the first question.
vi.setConfig({ testTimeout: 60_000 });
const service = new Service(files);
const TABLE = parseTable('group,value,other\n0,1.5,7\n1,2.25,8\n2,3,9\n1,0.5,12\n');

/** Runs what was compiled for the sandbox; `lines` are those of loops, as often as they go round. */
function run(text: string, table: Table = TABLE): { lines: number[]; task: ReturnType<typeof createTask> } {
  const { code, wrong } = compileProgram(text);
  expect(wrong).toEqual([]);
  const exports: { default?: (task: unknown, table: unknown) => unknown } = {};
  const lines: number[] = [];
  const require = (name: string): unknown =>
    name === 'cipherloom' ? { createTask } : { columnOptions, parseTable };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('exports', 'require', 'cipherloomAt', code)(exports, require, (line: number) =>
    lines.push(line),
  );
  const task = createTask();
  exports.default!(task, table);
  return { lines, task };
}

describe('programs to start from', () => {
  for (const [name, { text }] of Object.entries(PROGRAMS)) {
    it(`${name}: right by its types, and describes a task`, () => {
      expect(service.check(text)).toEqual([]);
      expect(run(text).task.literal().outputs.length).toBeGreaterThan(0);
    });
  }
});

describe('types', () => {
  const text = PROGRAMS.statistics.text;

  it('says what is wrong, and where', () => {
    const wrong = text.replace('a.mean()', 'a.meen()');
    const [finding] = service.check(wrong);
    expect(wrong.slice(finding!.from, finding!.to)).toBe('meen');
    expect(finding!.message).toMatch(/'meen' does not exist on type 'Value'/);
  });

  it('says at the export what a program has to be', () => {
    const wrong = text.replace(/return \{.*\};/, 'return { encrypted: { x: () => 1 } };');
    const [finding] = service.check(wrong);
    expect(wrong.slice(finding!.from, finding!.to)).toBe('export default');
    expect(finding!.message).toMatch(/not assignable/);
    expect(service.check('const x = 1;')[0]!.message).toMatch(/no "export default function/);
  });

  it('knows no browser and no Node', () => {
    for (const name of ['document', 'fetch', 'process', 'localStorage'])
      expect(service.check(text.replace('const [x, y]', `${name};\n  const [x, y]`))[0]!.message).toContain(
        name,
      );
  });

  it('completes, with a declaration and its documentation', () => {
    const at = text.indexOf('a.mean()') + 'a.co'.length;
    const begun = text.replace('a.mean()', 'a.co');
    const names = service.complete(begun, at)!.options.map(({ label }) => label);
    expect(names.toSorted()).toEqual(['concat', 'correlation', 'count', 'counts', 'covariance']);
    const info = service.details(begun, at, 'covariance')!;
    expect(info.code).toContain('covariance(other: ValueOperand, options?: MomentOf');
    expect(info.text).toContain('over the cells present in both');
  });

  it('explains a name', () => {
    const info = service.hover(text, text.indexOf('columnOptions(x)') + 3)!;
    expect(info.code).toContain('columnOptions(column: NumericColumn): IntegerOptions');
    expect(info.text).toContain('rounded outward');
  });
});

describe('compiled programs', () => {
  it('are watched in every loop, and lines lead back to the text', () => {
    const text = `import type { Task } from 'cipherloom';
interface Pair { readonly a: number }
export default function (task: Task) {
  const x = task.encrypted('x', { min: 0, max: 1 });
  task.output('x', x);
  const pairs: Pair[] = [{ a: 1 }, { a: 2 }];
  for (const { a } of pairs) void a;
  for (let i = 0; i < 2; i++)
    while (i === 7) { }
  let n = 0;
  do n++; while (n < 2);
  for (const key in { one: 1 }) { void key; }
  return {};
}
`;
    expect(run(text).lines).toEqual([7, 7, 8, 8, 11, 11, 12]);
    const { code, mappings } = compileProgram(text);
    const at = lineMap(mappings);
    const compiled = code.split('\n');
    for (const words of ["task.output('x', x)", 'let n = 0', 'return {}']) {
      const line = compiled.findIndex((one) => one.includes(words));
      const column = compiled[line]!.indexOf(words);
      expect(at(line + 1, column + 1)).toBe(text.split('\n').findIndex((one) => one.includes(words)) + 1);
    }
  });

  it('are refused where they cannot be read', () => {
    const { wrong } = compileProgram('export default function (task {\n}');
    expect(wrong[0]!.message).toMatch(/expected/);
    expect(compileProgram('const x = 1;').wrong[0]!.message).toMatch(/no "export default/);
  });

  it('give a module whose function has a name that nothing else has', () => {
    expect(compileProgram('export default function (a) { return a; }').name).toBe('program');
    expect(compileProgram('const program = 1;\nexport default (a) => a + program;').name).toBe('program1');
    const { module, name } = compileProgram('export const k = 2;\nconst f = () => k;\nexport default f;');
    expect(name).toBe('f');
    expect(module).not.toMatch(/export/);
    expect(freshName('load', 'load load1 reload2')).toBe('load2');
  });
});

describe('code of a run', () => {
  it('takes other names where the program has them, and writes the table as it is read', () => {
    const { module: code, name } = compileProgram(
      'const load = 1, csv = `a`, table = 2;\nexport default function (task) { return { table, load, csv }; }',
    );
    const columns = [{ name: 'a "`${b}\\', values: [1, Number.NaN] }];
    const text = codeOfRun({ code, name, options: { n: 8192 }, gpu: false, columns, file: 'run.mjs' });
    expect(text).not.toMatch(/gpu/i);
    expect(text).toContain('import { load as load1 } from');
    expect(text).toContain('"n": 8192');
    expect(text).toMatch(/^\/\/ In Node it runs without a sandbox/m);
    const template = /function csv1\(\) \{\n {2}return (`[^]*`);\n\}\n$/.exec(text)![1]!;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const csv = new Function(`return ${template}`)() as string;
    expect(parseTable(csv, { delimiter: ',' }).numeric[0]).toMatchObject({ name: 'a "`${b}\\', missing: 1 });
  });
});

describe('code of a run by a GPU', () => {
  const { module: code, name } = compileProgram('export default function (task) { return {}; }');
  const run = { code, name, options: {}, columns: [], file: 'run.mjs' };

  it('goes to the processors in a Node that has none, and says so', () => {
    const text = codeOfRun({ ...run, gpu: true });
    expect(text).toContain(', gpu: true }).catch((error) => {');
    expect(text).toContain("if (error.code !== 'gpu.none') throw error;");
    expect(text).toContain('console.error(`${error.message}. The processors compute it.`);');
    expect(text).toContain('npm i webgpu');
  });

  it('by measured times, which Node measures for itself', () => {
    const text = codeOfRun({ ...run, gpu: 'measured' });
    expect(text).toContain(", gpu: 'measured' });");
    expect(text).not.toContain('catch');
  });
});

describe('tables as text', () => {
  it('are the same columns when they are read', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
    const numbers = [
      () => Number.NaN,
      () => Math.round(random() * 100) / 100,
      () => -Math.round(random() * 1e6),
      () => random() * 10 ** Math.round(40 * random() - 20),
    ];
    for (let trial = 0; trial < 50; trial++) {
      const rows = 1 + Math.floor(random() * 6);
      const columns = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => ({
        name: ['plain', 'a, "b"', 'semi;colon | bar'][at]!,
        values: Float64Array.from({ length: rows }, () => numbers[Math.floor(random() * numbers.length)]!()),
      }));
      const read = parseTable(csvOf(columns), { delimiter: ',' });
      expect(read.numeric.map(({ name, values }) => ({ name, values }))).toEqual(columns);
    }
  });
});

describe('links', () => {
  const shared = {
    text: PROGRAMS.score.text,
    choice: { ...USUAL, scheme: 'CKKS', n: 16384, quantum: true },
  } as const;

  it('hold program and settings, and come back', async () => {
    const hash = await hashOf(shared);
    expect(hash).toMatch(/^#playground\?p=[\w-]+$/);
    expect(await sharedOf(hash)).toEqual(shared);
    expect(await sharedOf('#playground')).toBeUndefined();
  });

  it('are read from what was packed otherwise, with what is unknown left out', async () => {
    const packed = async (said: unknown): Promise<string> => {
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
      return `#playground?p=${btoa(binary).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '')}`;
    };
    const said = { text: 'x', choice: { n: 8192, bits: 100, scheme: 'RSA', key: 'secret' }, data: [1, 2] };
    expect(await sharedOf(await packed(said))).toEqual({ text: 'x', choice: { ...USUAL, n: 8192 } });
    expect(optionsOf(choiceOf({ n: 8192 }))).toEqual({ n: 8192 });
    for (const wrong of [
      await packed('{'),
      await packed({ text: 1 }),
      '#playground?p=AA',
      '#playground?p=%',
      '#playground?p=',
    ])
      await expect(sharedOf(wrong)).rejects.toThrow(LinkError);
    // Small as it travels, large when it is unpacked.
    await expect(sharedOf(await packed({ text: ' '.repeat(6 * LONGEST.text + 2000) }))).rejects.toThrow(
      /unpacks to more/,
    );
    await expect(hashOf({ ...shared, text: ' '.repeat(LONGEST.text + 1) })).rejects.toThrow(LinkError);
    // Letters that cannot be packed: a link that its reader would refuse is not made.
    let seed = 1;
    const letter = (): string =>
      String.fromCodePoint(0x4e00 + ((seed = (seed * 48271) % 0x7fffffff) % 0x5000));
    const random = Array.from({ length: LONGEST.text }, letter).join('');
    await expect(hashOf({ ...shared, text: random })).rejects.toThrow(/The link would have/);
  });
});

describe('lines of stacks', () => {
  const lineOf = (line: number, column: number): number | undefined =>
    line > 100 ? line * 10 + column : undefined;

  it('are those of the script made of text, as browsers write them', () => {
    const chromium =
      'Error: x\n    at f (blob:null/a-b:7:1)\n    at blob:null/a-b:101:3\n    at blob:null/a-b:102:3';
    expect(lineIn(chromium, lineOf)).toBe(1013);
    expect(lineIn('g@blob:null/a-b:103:4\n', lineOf)).toBe(1034);
    expect(lineIn('f@https://host/x.js:103:4\n', lineOf)).toBeUndefined();
  });

  it('are looked for in proportion to the stack, whatever it says', () => {
    for (const piece of ['blob:', 'blob:1', 'blob::1:1', ':1', '1', ' '])
      expect(lineIn(`blob:${piece.repeat(1e6)}x`, lineOf)).toBeUndefined();
  });
});

describe('results as files', () => {
  const decimal = {
    units: -50n,
    decimals: 2,
    toNumber: () => -0.5,
    toString: () => '-0.50',
    toJSON: () => '-0.50',
  };
  const one = (value: never) => ({ value, problem: undefined, budgetBits: undefined, error: undefined });
  const details = {
    '=sum, "x"': one(decimal as never),
    rows: one([
      [1.5, null],
      [true, decimal],
    ] as never),
    none: {
      value: undefined,
      problem: new Error('no mean of nothing'),
      budgetBits: undefined,
      error: undefined,
    },
  };

  it('are numbers in JSON where these have the same digits', () => {
    const decimal = (text: string) => ({
      value: { toNumber: () => Number(text), toString: () => text },
    });
    const details = Object.fromEntries(
      ['0.0000005', '0.00', '1200', '9007199254740993', '9007199254740994.5', '-0.290'].map((text) => [
        `of ${text}`,
        decimal(text),
      ]),
    );
    expect(Object.values(resultsOf(details as never))).toEqual([
      5e-7,
      0,
      1200,
      '9007199254740993',
      '9007199254740994.5',
      -0.29,
    ]);
  });

  it('have every cell', () => {
    expect(csvOfResults(details)).toBe(
      `output,cell,value\n"'=sum, ""x""",,-0.50\nrows,[0][0],1.5\nrows,[0][1],\nrows,[1][0],true\nrows,[1][1],-0.50\nnone,,\n`,
    );
    expect(JSON.parse(jsonOfResults(details))).toEqual({
      '=sum, "x"': -0.5,
      rows: [
        [1.5, null],
        [true, -0.5],
      ],
      none: null,
    });
  });
});
