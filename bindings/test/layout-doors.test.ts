// What callers hand to layouts that is not what a function takes: a typed error, whatever it is; options and operands that there are not; and everything that is exported has been tried.
import { describe, expect, it } from 'vitest';
import * as layout from '../src/layout/index.js';
import { CipherloomError } from '../src/errors.js';
import { codeOf, messageOf } from './code.js';

const {
  compile,
  deriveLabel,
  deviceMachine,
  detectLabels,
  execute,
  labelOperator,
  machine,
  packPlan,
  partsOf,
  prepare,
  ruleStrategy,
  runPlan,
  split,
  tableStrategy,
  tensor,
} = layout;
type Call = (...given: never[]) => unknown;

const on = machine({ clusters: [{ cores: 2 }] });
const input: layout.StaticLabel = { category: 'in', type: 'float32', dims: 'NC', sizes: [2, 4] };
const weight: layout.StaticLabel = { category: 'iw', type: 'float32', dims: 'NC', sizes: [3, 4] };
const data = {
  input: tensor('NC', [2, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
  weight: tensor(
    'NC',
    [3, 4],
    Array.from({ length: 12 }, (_, k) => k),
  ),
};
const labelled = labelOperator('mlp', { input, weight }, on);
const plan = compile(labelled);
const packets = packPlan(plan, labelled, data.weight).map(({ bytes }) => bytes);
const parts = new Map(
  (['input', 'weight'] as const).flatMap((port) =>
    prepare(labelled[port] as layout.LabelPair, data[port]).parts.map(
      (part, index) => [`${port[0] as string}${index + 1}`, part] as const,
    ),
  ),
);
const cases = layout.trainingCases('mlp', 2);
const operand = {};
const g = { unit: 32, op: () => operand, view: () => operand, merge: () => operand, constant: () => operand };
const instruction = plan.steps[0]?.[0]?.instructions[0];

/** Each function that is exported, with arguments that it takes. */
const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  categoryOf: [{ inDegree: 0, outDegree: 1, role: 'neuron', constant: false }],
  compile: [labelled],
  countMoves: [plan],
  cutTiles: [labelled.input.dynamic],
  deriveLabel: [input, on, { operator: 'relu', port: 'input', operands: { input: { N: 2, C: 4 } } }],
  deviceMachine: [{ threads: 2 }],
  dynamicLabel: [labelled.input.dynamic, input, on],
  execute: ['mlp', data, on, { attributes: {}, statics: {}, labels: {}, fill: 0, type: 'float32' }],
  fitTree: [cases, 0],
  labelOperator: ['mlp', { input, weight }, on, { mode: 'data', strategy: ruleStrategy, rest: 'spread' }],
  learnedStrategy: [{ mlp: { choice: 'items' } }],
  levelsOf: [plan],
  machine: [{ clusters: [{ cores: 1 }] }],
  numberKind: ['float16'],
  openPacket: [packets[0]],
  openPlan: [plan, labelled, packets],
  operationSizes: [labelled.input.dynamic, input],
  packConstants: [
    1,
    { constants: [{ name: 'a', whole: Uint8Array.of(1) }], hidden: [{ name: 'b', value: 1 }] },
  ],
  packPlan: [plan, labelled, data.weight],
  parseDynamic: [layout.printDynamic(labelled.input.dynamic)],
  parseStatic: [layout.printStatic(input)],
  partsOf: [4, 2, 2, { rounding: 'round', rest: 'spread', multiple: 1 }],
  placesOf: [labelled.input.dynamic, on],
  prepare: [labelled.input, data.input],
  printDynamic: [labelled.input.dynamic],
  printInstruction: [instruction],
  printStatic: [input],
  regret: [cases[0], 'items'],
  restore: [labelled.input, data.input],
  runPlan: [plan, labelled, data],
  simulate: [plan, parts],
  split: [g, labelled, { input: operand, weight: operand }],
  splitBatch: [labelOperator('relu', { input }, on).input, on, ['a', 'b']],
  staticLabel: [input],
  tableStrategy: [layout.STRATEGY_TABLE, 'mine'],
  targetOf: [[{ dimension: 'N' }], { N: 2 }, 1],
  tensor: ['N', [2], [1, 2]],
  timeOf: [plan],
  trainingCases: ['mlp', 1, 1],
};
/** Those of numbers alone take what JavaScript takes for one, `detectLabels` is asynchronous, and `trainStrategy` takes nothing. */
const OTHERS = ['detectLabels', 'fromHalfBits', 'halfBits', 'roundToHalf', 'trainStrategy'];

const NONE: readonly unknown[] = [
  undefined,
  null,
  7,
  -1,
  NaN,
  '',
  'x',
  true,
  10n,
  Symbol('s'),
  {},
  [],
  [null],
  [[]],
  [{}],
  { input: null },
  { dims: 'N', sizes: [1] },
  new Map([['i1', null]]),
  new Float64Array(8),
  Promise.resolve(),
  () => 7,
];

const functions = Object.entries(layout).filter(([, value]) => typeof value === 'function') as [
  string,
  Call,
][];

it('every function that is exported is tried', () => {
  expect(functions.map(([name]) => name).sort()).toEqual([...Object.keys(CALLS), ...OTHERS].sort());
});

describe.each(functions.filter(([name]) => CALLS[name] !== undefined))('%s', (name, call) => {
  const good = CALLS[name] as readonly unknown[];
  const called = (given: readonly unknown[]): string => codeOf(() => call(...(given as never[])));

  it('takes what it takes', () => {
    expect(called(good)).toBe('no error');
  });

  it('refuses what is no argument with an error of the package', () => {
    for (const at of good.keys())
      for (const none of NONE)
        expect(called(good.map((one, index) => (index === at ? none : one)))).toMatch(
          /^(no error|\w+\.\w+)$/,
        );
    // What has no default is missed.
    if (name !== 'deviceMachine' && name !== 'learnedStrategy' && name !== 'tableStrategy')
      expect(called([])).toMatch(/^\w+\.\w+$/);
  });

  it('refuses arguments that are wrong in one place with an error of the package', () => {
    for (const [at, argument] of good.entries())
      for (const wrong of variants(argument, 7))
        expect(called(good.map((one, index) => (index === at ? wrong : one)))).toMatch(
          /^(no error|\w+\.\w+)$/,
        );
  });
});

/** An object with one field, down to some depth, left out or replaced. */
function* variants(value: unknown, depth: number): Generator<unknown> {
  if (depth === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (value instanceof Map) return;
  // Of long arrays the first, and the last.
  const keys = Object.keys(value).filter(
    (_, k, all) => !Array.isArray(value) || k === 0 || k === all.length - 1,
  );
  for (const key of keys) {
    const change = (to: unknown): unknown => {
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<
        string,
        unknown
      >;
      copy[key] = to;
      return copy;
    };
    for (const none of [undefined, null, 7, 'x', {}, [], [null]]) yield change(none);
    for (const inner of variants((value as Record<string, unknown>)[key], depth - 1)) yield change(inner);
  }
}

describe('options', () => {
  const one = { input: tensor('N', [1], [1]) };
  const of: layout.StaticLabel = { category: 'in', type: 'float32', dims: 'N', sizes: [1] };
  it.each<[string, (options: never) => unknown]>([
    ['execute', (options) => execute('relu', one, on, options)],
    ['labelOperator', (options) => labelOperator('relu', { input: of }, on, options)],
    ['deriveLabel', (options) => deriveLabel(of, on, { operator: 'relu', ...(options as object) } as never)],
    ['partsOf', (options) => partsOf(4, 2, 2, options)],
    ['deviceMachine', (options) => deviceMachine(options)],
  ])('of %s that there are not are refused', (_, call) => {
    expect(codeOf(() => call({} as never))).toBe('no error');
    expect(codeOf(() => call({ fil: 2 } as never))).toBe('input.option');
    expect(messageOf(() => call({ fil: 2 } as never))).toMatch(/there is no option "fil"; there are \w+/);
  });

  it.each<[string, object, string]>([
    ['a fill that is no number', { fill: '1' }, 'input.type'],
    ['a fill that is NaN', { fill: NaN }, 'input.type'],
    ['attributes that are none', { attributes: null }, 'input.type'],
    ['a type that there is not', { type: 'float8', statics: { input: of } }, 'input.type'],
    ['static labels that are none', { statics: null }, 'input.type'],
    ['labels that are none', { labels: null }, 'layout.operands'],
    ['a label that is null', { labels: { input: null } }, 'layout.label'],
    ['a strategy that is null', { strategy: null }, 'layout.strategy'],
    ['a mode that there is not', { mode: 'pipeline' }, 'layout.operator'],
    ['a rounding that there is not, where nothing is cut', { rounding: 'nearest' }, 'layout.label'],
    ['a rest that there is not', { rest: 'drop' }, 'layout.label'],
    ['what there is not for tiles', { tiles: 'cut' }, 'layout.label'],
  ])('%s are refused whatever there is to do', (_, options, code) => {
    const strategy = tableStrategy([
      { operator: 'relu', port: 'input', mode: 'model', rows: [] },
      { operator: 'relu', port: 'output', mode: 'model', rows: [] },
    ]);
    expect(codeOf(() => execute('relu', one, on, { strategy }))).toBe('no error');
    expect(codeOf(() => execute('relu', one, on, { strategy, ...options }))).toBe(code);
  });

  it('of detectLabels are refused, and what is no circuit', async () => {
    const circuit = { inputs: [], graph: () => undefined, toText: () => undefined };
    const code = async (...given: unknown[]): Promise<string> =>
      detectLabels(...(given as [never, never])).then(
        () => 'no error',
        (error: unknown) => (error instanceof CipherloomError ? error.code : String(error)),
      );
    expect(await code(circuit, { dim: {} })).toBe('input.option');
    expect(await code(circuit, { dims: 7 })).toBe('input.type');
    expect(await code(circuit, { signal: 7 })).toBe('input.type');
    expect(await code(circuit, null)).toBe('input.type');
    for (const none of NONE) expect(await code(none)).toBe('input.type');
  });
});

describe('operands that an operator has not', () => {
  const x = tensor('NC', [2, 4], Array<number>(8).fill(1));
  const relu = labelOperator('relu', { input }, on);
  const reluPlan = compile(relu);
  it.each<[string, () => unknown, string]>([
    ['a weight of relu', () => execute('relu', { input: x, weight: x }, on), 'layout.data'],
    ['a weight of a plan of relu', () => runPlan(reluPlan, relu, { input: x, weight: x }), 'layout.data'],
    ['a weight in packets of relu', () => packPlan(reluPlan, relu, x), 'layout.operands'],
    [
      'a weight of relu on the device',
      () => split(g as never, relu, { input: operand, weight: operand } as never),
      'layout.operands',
    ],
    ['labels of one', () => compile({ ...relu, weight: relu.input }), 'layout.operands'],
    ['another name', () => execute('relu', { input: x, kernel: x } as never, on), 'layout.data'],
    [
      'static labels by another name',
      () => execute('relu', { input: x }, on, { statics: { kernel: input } as never }),
      'layout.operands',
    ],
    ['labels that are missing', () => compile({ ...labelled, weight: undefined }), 'layout.operands'],
  ])('are refused: %s', (_, call, code) => {
    expect(codeOf(call)).toBe(code);
  });

  it('may be undefined', () => {
    expect(codeOf(() => execute('relu', { input: x, weight: undefined }, on))).toBe('no error');
  });
});
