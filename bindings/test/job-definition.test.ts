import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../src/job/definition.js';
import { CrossMap, DirMap, GlobalMap, MatrixMap, TaskMap, VectorMap } from '../src/job/maps.js';
import {
  fromCircuit,
  fromModule,
  fromProgram,
  loop,
  repeatWhile,
  sequence,
  when,
} from '../src/job/operators.js';
import type { JobDefinition, Operator, Round, Template } from '../src/job/types.js';
import { codeOf, thrownBy } from './code.js';

const F = { kind: 'function', module: 'https://example.org/f.js' } as const;
const IN: Template = { template: 'SparseValueVector' };
const BYTES = Uint8Array.of(1, 2, 3);
const ROUND: Round = { map: 'VectorMap', operator: F };

/** A definition with something in the place of its parts. */
const job = (parts: Record<string, unknown> = {}): unknown => ({
  inputs: { x: IN },
  rounds: [ROUND],
  ...parts,
});
/** One with a first round of its own. */
const round = (parts: Record<string, unknown>): unknown => job({ rounds: [{ ...ROUND, ...parts }] });
/** One with that operator. */
const calling = (operator: unknown, parts: Record<string, unknown> = {}): unknown =>
  job({ rounds: [{ map: 'VectorMap', operator }], ...parts });

const itself: { kind: string; steps: unknown[] } = { kind: 'sequence', steps: [] };
itself.steps.push(itself);
const nested = (depth: number): unknown =>
  depth === 0 ? F : { kind: 'sequence', steps: [nested(depth - 1)] };
/** 2^n operators in n names. */
const doubling = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `n${n}`,
    { kind: 'sequence', steps: n === 0 ? [F, F] : [`n${n - 1}`, `n${n - 1}`] },
  ]),
);

/** What is wrong, where, what was found, what was expected. */
const BAD: readonly (readonly [
  what: string,
  definition: unknown,
  at: string,
  found: RegExp,
  expected: RegExp,
])[] = [
  ['no definition', undefined, '', /nothing/, /definition of a job/],
  ['an array', [], '', /array of 0/, /definition of a job/],
  [
    'an unknown property',
    job({ steps: [] }),
    'steps',
    /"steps"/,
    /inputs, globals, rounds, library, operators/,
  ],
  ['no rounds', { inputs: {} }, 'rounds', /nothing/, /at least one round/],
  ['empty rounds', job({ rounds: [] }), 'rounds', /array of 0/, /at least one round/],
  ['a round that is none', job({ rounds: [ROUND, null] }), 'rounds[1]', /null/, /a round/],
  ['a hole in rounds', job({ rounds: [, ROUND] }), 'rounds[0]', /nothing/, /a round/],
  ['inputs that are a list', job({ inputs: [IN] }), 'inputs', /array of 1/, /each name/],
  ['an input without template', job({ inputs: { x: {} } }), 'inputs.x.template', /nothing/, /"SparseMatrix"/],
  [
    'another template',
    job({ inputs: { x: { template: 'Var' } } }),
    'inputs.x.template',
    /"Var"/,
    /"FixValueVector"/,
  ],
  [
    'a template with more',
    job({ inputs: { x: { ...IN, size: 1 } } }),
    'inputs.x.size',
    /"size"/,
    /template, parts, partitioner/,
  ],
  ['no parts', job({ inputs: { x: { ...IN, parts: 0 } } }), 'inputs.x.parts', /^0$/, /from 1 to 65536/],
  [
    'too many parts',
    job({ inputs: { x: { ...IN, parts: 65_537 } } }),
    'inputs.x.parts',
    /65537/,
    /from 1 to 65536/,
  ],
  ['parts as text', job({ inputs: { x: { ...IN, parts: '3' } } }), 'inputs.x.parts', /"3"/, /whole number/],
  ['half a part', job({ inputs: { x: { ...IN, parts: 1.5 } } }), 'inputs.x.parts', /1\.5/, /whole number/],
  [
    'a Partitioner that is a closure',
    job({ inputs: { x: { ...IN, partitioner: () => 0 } } }),
    'inputs.x.partitioner',
    /a function/,
    /an operator/,
  ],
  [
    'a Partitioner that is a circuit',
    job({ inputs: { x: { ...IN, partitioner: { kind: 'circuit', bytes: BYTES } } } }),
    'inputs.x.partitioner.kind',
    /"circuit"/,
    /"function"/,
  ],
  ['a name with nothing in it', job({ inputs: { '': IN } }), 'inputs[""]', /""/, /not empty/],
  [
    'the name __proto__',
    job({ inputs: JSON.parse('{"__proto__": {"template": "SparseMatrix"}}') }),
    'inputs.__proto__',
    /__proto__/,
    /not __proto__/,
  ],
  ['an odd name', job({ inputs: { 'a b': { template: 5 } } }), 'inputs["a b"].template', /^5$/, /one of/],
  [
    'a global of a vector',
    job({ globals: { g: IN } }),
    'globals.g.template',
    /"SparseValueVector"/,
    /"Var", "PVar"/,
  ],
  [
    'a global in parts',
    job({ globals: { g: { template: 'Var', parts: 3 } } }),
    'globals.g.parts',
    /"parts"/,
    /template/,
  ],
  [
    'a global called as an input',
    job({ globals: { x: { template: 'Var' } } }),
    'globals.x',
    /"x", which inputs\.x has/,
    /of its own/,
  ],
  ['another map', round({ map: 'Map' }), 'rounds[0].map', /"Map"/, /"VectorMap", "MatrixMap"/],
  [
    'a map from the prototype',
    round({ map: 'constructor' }),
    'rounds[0].map',
    /"constructor"/,
    /"VectorMap"/,
  ],
  ['a round with more', round({ reducer: F }), 'rounds[0].reducer', /"reducer"/, /reduce/],
  ['no operator', round({ operator: undefined }), 'rounds[0].operator', /nothing/, /an operator/],
  ['a closure', calling(() => 1), 'rounds[0].operator', /a function/, /fromModule/],
  ['no kind', calling({ module: 'x:y' }), 'rounds[0].operator.kind', /nothing/, /"function", "circuit"/],
  [
    'a kind from the prototype',
    calling({ kind: 'toString' }),
    'rounds[0].operator.kind',
    /"toString"/,
    /"while"/,
  ],
  [
    'a relative module',
    calling({ ...F, module: './f.js' }),
    'rounds[0].operator.module',
    /"\.\/f\.js"/,
    /absolute URL/,
  ],
  [
    'an export without a name',
    calling({ ...F, name: '' }),
    'rounds[0].operator.name',
    /""/,
    /name of an export/,
  ],
  [
    'a function with more',
    calling({ ...F, bytes: BYTES }),
    'rounds[0].operator.bytes',
    /"bytes"/,
    /module, name, on/,
  ],
  [
    'a module for no kind',
    calling({ ...F, on: { tpu: F } }),
    'rounds[0].operator.on.tpu',
    /"tpu"/,
    /cpu, gpu/,
  ],
  [
    'a module for a kind without address',
    calling({ ...F, on: { gpu: {} } }),
    'rounds[0].operator.on.gpu.module',
    /nothing/,
    /absolute URL/,
  ],
  [
    'another number type',
    calling({ ...F, type: 'double' }),
    'rounds[0].operator.type',
    /"double"/,
    /"int", "float"/,
  ],
  ['a need below 0', calling({ ...F, need: -1 }), 'rounds[0].operator.need', /-1/, /number of bytes/],
  [
    'an endless need',
    calling({ ...F, need: Infinity }),
    'rounds[0].operator.need',
    /Infinity/,
    /number of bytes/,
  ],
  [
    'another processor',
    calling({ ...F, processor: 'tpu' }),
    'rounds[0].operator.processor',
    /"tpu"/,
    /"cpu", "gpu"/,
  ],
  [
    'a circuit of text',
    calling({ kind: 'circuit', bytes: 'abc' }),
    'rounds[0].operator.bytes',
    /"abc"/,
    /Circuit\.toBytes/,
  ],
  [
    'a circuit of nothing',
    calling({ kind: 'circuit', bytes: new Uint8Array() }),
    'rounds[0].operator.bytes',
    /no bytes/,
    /Circuit\.toBytes/,
  ],
  [
    'a program without keys',
    calling({ kind: 'program', bytes: BYTES }),
    'rounds[0].operator.keys',
    /nothing/,
    /a name/,
  ],
  [
    'a program whose keys are no global',
    calling({ kind: 'program', bytes: BYTES, keys: 'x' }, { globals: { g: { template: 'Var' } } }),
    'rounds[0].operator.keys',
    /"x"/,
    /a global.*: g/,
  ],
  [
    'a program whose keys come later',
    job({
      rounds: [
        { ...ROUND, operator: { kind: 'program', bytes: BYTES, keys: 'k' } },
        { ...ROUND, global: 'k' },
      ],
    }),
    'rounds[0].operator.keys',
    /"k"/,
    /there is none/,
  ],
  [
    'an empty sequence',
    calling({ kind: 'sequence', steps: [] }),
    'rounds[0].operator.steps',
    /array of 0/,
    /at least one/,
  ],
  [
    'a step that is none',
    calling({ kind: 'sequence', steps: [F, 5] }),
    'rounds[0].operator.steps[1]',
    /^5$/,
    /an operator/,
  ],
  [
    'a step of an unknown name',
    calling({ kind: 'sequence', steps: [F, 'f'] }, { library: { g: F } }),
    'rounds[0].operator.steps[1]',
    /"f"/,
    /which have g/,
  ],
  [
    'an operator from the prototype',
    calling('constructor'),
    'rounds[0].operator',
    /"constructor"/,
    /which have none/,
  ],
  [
    'an unknown name in a library',
    job({ library: { a: { kind: 'sequence', steps: ['b'] } } }),
    'library.a.steps[0]',
    /"b"/,
    /which have a/,
  ],
  [
    'an operator within itself by name',
    job({ operators: { a: { kind: 'sequence', steps: ['b'] }, b: { kind: 'if', condition: F, then: 'a' } } }),
    'operators.b.then',
    /a > b > a/,
    /one that ends/,
  ],
  [
    'an operator within itself',
    calling(itself),
    'rounds[0].operator.steps[0]',
    /within itself/,
    /one that ends/,
  ],
  [
    'operators too deep',
    calling(nested(64)),
    `rounds[0].operator${'.steps[0]'.repeat(64)}`,
    /64 levels/,
    /at most 64/,
  ],
  [
    'more operators than memory',
    calling('n19', { operators: doubling }),
    'operators.n12',
    /more than 10000/,
    /at most 10000/,
  ],
  [
    'one name twice',
    job({ library: { a: F }, operators: { a: F } }),
    'operators.a',
    /library\.a has/,
    /of its own/,
  ],
  [
    'the name of what is built in',
    job({ library: { while: F } }),
    'library.while',
    /"while"/,
    /for, while, if/,
  ],
  [
    'a loop from half',
    calling({ kind: 'for', from: 0.5, to: 3, body: F }),
    'rounds[0].operator.from',
    /0\.5/,
    /whole number/,
  ],
  [
    'a loop from below 0',
    calling({ kind: 'for', from: -1, to: 3, body: F }),
    'rounds[0].operator.from',
    /-1/,
    /at least 0/,
  ],
  [
    'a loop that runs back',
    calling({ kind: 'for', from: 4, to: 3, body: F }),
    'rounds[0].operator.to',
    /^3$/,
    /at least 4/,
  ],
  [
    'a loop of too many parts',
    calling({ kind: 'for', from: 0, to: 3, independent: true, parts: 65_537, body: F }),
    'rounds[0].operator.parts',
    /65537/,
    /65536/,
  ],
  [
    'parts of a loop that depend on each other',
    calling({ kind: 'for', from: 0, to: 3, parts: 2, body: F }),
    'rounds[0].operator.parts',
    /without independent/,
    /independent/,
  ],
  [
    'a loop that is perhaps independent',
    calling({ kind: 'for', from: 0, to: 3, independent: 1, body: F }),
    'rounds[0].operator.independent',
    /^1$/,
    /true, false/,
  ],
  [
    'a loop in a loop',
    calling(
      { kind: 'for', from: 0, to: 3, body: 'inner' },
      { operators: { inner: { kind: 'sequence', steps: [{ kind: 'for', from: 0, to: 1, body: F }] } } },
    ),
    'operators.inner.steps[0]',
    /"for" within "for"/,
    /rows/,
  ],
  [
    'a loop in a while',
    calling({ kind: 'while', condition: F, most: 1, body: { kind: 'for', from: 0, to: 1, body: F } }),
    'rounds[0].operator.body',
    /"for" within "while"/,
    /rows/,
  ],
  [
    'a while without end',
    calling({ kind: 'while', condition: F, body: F }),
    'rounds[0].operator.most',
    /nothing/,
    /at least 1/,
  ],
  [
    'a while whose condition is a name',
    calling({ kind: 'while', condition: 'f', body: F, most: 1 }),
    'rounds[0].operator.condition',
    /"f"/,
    /an operator/,
  ],
  [
    'an if without then',
    calling({ kind: 'if', condition: F }),
    'rounds[0].operator.then',
    /nothing/,
    /an operator/,
  ],
  ['a vector that nobody gives', round({ over: 'y' }), 'rounds[0].over', /"y"/, /an input.*: x/],
  [
    'a vector of a later round',
    job({
      rounds: [
        { ...ROUND, over: 'y' },
        { ...ROUND, as: 'y' },
      ],
    }),
    'rounds[0].over',
    /"y"/,
    /earlier round/,
  ],
  ['no vector', job({ inputs: {} }), 'rounds[0].over', /no input/, /first round reads/],
  [
    'one of two vectors',
    job({ inputs: { x: IN, y: IN } }),
    'rounds[0].over',
    /2 inputs \(x, y\)/,
    /first round reads/,
  ],
  ['a result called as an input', round({ as: 'x' }), 'rounds[0].as', /inputs\.x has/, /of its own/],
  [
    'two results of one name',
    job({
      rounds: [
        { ...ROUND, as: 'r' },
        { ...ROUND, as: 'r' },
      ],
    }),
    'rounds[1].as',
    /rounds\[0\]\.as has/,
    /of its own/,
  ],
  [
    'a global taken',
    job({ globals: { g: { template: 'Var' } }, rounds: [{ ...ROUND, global: 'g' }] }),
    'rounds[0].global',
    /globals\.g has/,
    /of its own/,
  ],
  [
    'a global called as a result',
    round({ as: 'r', global: 'r' }),
    'rounds[0].global',
    /rounds\[0\]\.as has/,
    /of its own/,
  ],
  [
    'threads of a VectorMap',
    round({ threads: 2 }),
    'rounds[0].threads',
    /2 with VectorMap/,
    /TaskMap, DirMap/,
  ],
  ['too many threads', round({ map: 'TaskMap', threads: 257 }), 'rounds[0].threads', /257/, /from 1 to 256/],
  [
    'a directory without DirMap',
    round({ directory: '/data' }),
    'rounds[0].directory',
    /with VectorMap/,
    /DirMap only/,
  ],
  ['a DirMap without directory', round({ map: 'DirMap' }), 'rounds[0].directory', /none/, /a path or files/],
  [
    'a DirMap over a vector',
    round({ map: 'DirMap', directory: '/data', over: 'x' }),
    'rounds[0].over',
    /with DirMap/,
    /VectorMap/,
  ],
  [
    'a directory that is empty',
    round({ map: 'DirMap', directory: [] }),
    'rounds[0].directory',
    /array of 0/,
    /at least one File/,
  ],
  [
    'a directory of paths',
    round({ map: 'DirMap', directory: ['a'] }),
    'rounds[0].directory[0]',
    /"a"/,
    /a File/,
  ],
  [
    'shared files',
    round({ map: 'DirMap', directory: [new File([], 'f')], shared: true }),
    'rounds[0].shared',
    /with files/,
    /path/,
  ],
  ['shared without DirMap', round({ shared: true }), 'rounds[0].shared', /with VectorMap/, /DirMap only/],
  [
    'a loop over files',
    round({ map: 'DirMap', directory: '/d', operator: { kind: 'for', from: 0, to: 1, body: F } }),
    'rounds[0].operator',
    /"for" with DirMap/,
    /rows/,
  ],
  [
    'a MatrixMap over numbers',
    round({ map: 'MatrixMap' }),
    'rounds[0].over',
    /a SparseValueVector/,
    /SparseMatrix/,
  ],
  [
    'a MatrixMap over a result',
    job({
      rounds: [
        { ...ROUND, result: IN },
        { ...ROUND, map: 'MatrixMap' },
      ],
    }),
    'rounds[1].over',
    /a SparseValueVector/,
    /SparseMatrix/,
  ],
  ['a reducer that is a name', round({ reduce: 'sum' }), 'rounds[0].reduce', /"sum"/, /an operator/],
  [
    'a reducer that is a program',
    round({ reduce: { kind: 'program', bytes: BYTES, keys: 'k' } }),
    'rounds[0].reduce.kind',
    /"program"/,
    /function or a circuit/,
  ],
  [
    'a result in no template',
    round({ result: 'SparseMatrix' }),
    'rounds[0].result',
    /"SparseMatrix"/,
    /template of a vector/,
  ],
  ['a library that is a list', job({ library: [F] }), 'library', /array of 1/, /each name/],
];

describe('checkDefinition', () => {
  it.each(BAD)('refuses %s', (_, definition, at, found, expected) => {
    const error = thrownBy(() => checkDefinition(definition));
    expect(error).toMatchObject({ name: 'JobError', code: 'job.definition' });
    expect(error?.details['at']).toBe(at);
    expect(error?.details['found']).toMatch(found);
    expect(error?.details['expected']).toMatch(expected);
    expect(error?.message).toContain(`expected ${String(error?.details['expected'])}`);
    expect(error?.message).toContain(at);
  });

  const good: JobDefinition = {
    inputs: {
      x: { template: 'SparseValueVector', parts: 3, partitioner: F },
      m: { template: 'SparseMatrix' },
      constructor: { template: 'SparseTextVector' } as Template,
    },
    globals: { keys: { template: 'PVar' } },
    library: { A: F, toString: { ...F, on: { gpu: { module: 'x:gpu' } } } },
    operators: { B: { kind: 'sequence', steps: ['A', 'toString'] } },
    rounds: [
      { map: 'VectorMap', operator: 'B', over: 'x', reduce: F, as: 'sums', result: IN },
      {
        map: 'TaskMap',
        operator: { kind: 'for', from: 0, to: 10, parts: 5, independent: true, body: 'A' },
        threads: 256,
      },
      { map: 'MatrixMap', operator: 'A', over: 'm', global: 'weights' },
      { map: 'DirMap', operator: F, directory: [new File(['a'], 'a.txt')], threads: 2 },
      { map: 'CrossMap', operator: { kind: 'program', bytes: BYTES, keys: 'keys' }, over: 'sums' },
      { map: 'GlobalMap', operator: { kind: 'program', bytes: BYTES, keys: 'weights' }, over: 'constructor' },
    ],
  };

  it('gives what is right as it is', () => {
    expect(checkDefinition(good)).toEqual(good);
    expect(checkDefinition(checkDefinition(good))).toEqual(good);
    expect(checkDefinition(calling(nested(63)))).toEqual({
      ...(calling(nested(63)) as object),
      rounds: [{ map: 'VectorMap', over: 'x', operator: nested(63) }],
    });
  });

  it('says which input the first round reads', () => {
    expect(checkDefinition(job()).rounds[0]?.over).toBe('x');
    expect(
      checkDefinition({ rounds: [DirMap(F, { directory: '/d' }), VectorMap(F)] }).rounds[1],
    ).not.toHaveProperty('over');
  });

  it('gives a copy that nobody changes, where any name is safe to look up', () => {
    const given = structuredClone({ ...good, rounds: [ROUND], inputs: { x: IN } }) as {
      rounds: { operator: { module: string } }[];
    };
    const checked = checkDefinition(given);
    given.rounds[0]!.operator.module = 'other:module';
    expect(checked.rounds[0]?.operator).toEqual(F);
    expect(checked.inputs?.['constructor']).toBeUndefined();
    expect(checked.operators?.['valueOf']).toBeUndefined();
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(checked)).toBe(true);
  });

  it('leaves out what is undefined', () => {
    const given = { ...ROUND, over: undefined, reduce: undefined, threads: undefined };
    expect(Object.keys(checkDefinition(job({ library: undefined, rounds: [given] })))).toEqual([
      'inputs',
      'rounds',
    ]);
  });
});

describe('makers', () => {
  it('take addresses as URLs, of modules for other workers, too', () => {
    const [f, g] = ['f', 'g'].map((name) => new URL(`https://example.org/${name}.js`)) as [URL, URL];
    expect(fromModule(f, { on: { gpu: { module: g, name: 'g' }, arm: { module: g.href } } })).toEqual({
      kind: 'function',
      module: f.href,
      on: { gpu: { module: g.href, name: 'g' }, arm: { module: g.href } },
    });
  });

  it('make rounds and operators that definitions take', () => {
    const f = fromModule(new URL('https://example.org/f.js'), { name: 'f', type: 'int' });
    const operator: Operator = sequence(
      [
        f,
        'A',
        loop({ from: 0, to: 4, independent: true, parts: 2, body: 'A', need: 5 }),
        repeatWhile(f, fromCircuit(BYTES), { most: 9, processor: 'cpu' }),
        when(f, fromProgram(BYTES, 'keys'), f),
        when(f, 'A'),
      ],
      { processor: 'gpu' },
    );
    expect(operator).toEqual({
      kind: 'sequence',
      processor: 'gpu',
      steps: [
        { kind: 'function', module: 'https://example.org/f.js', name: 'f', type: 'int' },
        'A',
        { kind: 'for', from: 0, to: 4, independent: true, parts: 2, body: 'A', need: 5 },
        { kind: 'while', condition: f, body: { kind: 'circuit', bytes: BYTES }, most: 9, processor: 'cpu' },
        { kind: 'if', condition: f, then: { kind: 'program', bytes: BYTES, keys: 'keys' }, otherwise: f },
        { kind: 'if', condition: f, then: 'A' },
      ],
    });
    const rounds = [
      VectorMap(operator, { over: 'x', reduce: f }),
      GlobalMap('A'),
      CrossMap('A', { as: 'pairs', result: { template: 'SparseMatrix' } }),
      MatrixMap('A'),
      TaskMap('A', { threads: 3 }),
      DirMap('A', { directory: '/data', shared: false }),
    ];
    expect(rounds.map(({ map }) => map)).toEqual([
      'VectorMap',
      'GlobalMap',
      'CrossMap',
      'MatrixMap',
      'TaskMap',
      'DirMap',
    ]);
    const definition = {
      inputs: { x: IN },
      globals: { keys: { template: 'PVar' as const } },
      library: { A: f },
      rounds,
    };
    expect(checkDefinition(definition).rounds).toEqual(rounds);
  });

  it.each([
    ['an option', () => VectorMap(F, { threads: 2 } as never), 'VectorMap.threads'],
    ['options', () => VectorMap(F, 5 as never), 'VectorMap, options'],
    ['a map', () => DirMap(F, {} as never), 'DirMap.directory'],
    ['a module', () => fromModule('f.js'), 'fromModule.module'],
    ['a closure', () => fromModule((() => 1) as never), 'fromModule.module'],
    ['other modules', () => fromModule('x:f', { on: 5 as never }), 'fromModule.on'],
    ['a list of modules', () => fromModule('x:f', { on: ['x:g'] as never }), 'fromModule.on["0"]'],
    [
      'other module',
      () => fromModule('x:f', { on: { gpu: { module: 'g.js' } } }),
      'fromModule.on.gpu.module',
    ],
    ['bytes', () => fromCircuit([1] as never), 'fromCircuit.bytes'],
    ['keys', () => fromProgram(BYTES, [BYTES] as never), 'fromProgram.keys'],
    ['steps', () => sequence('A' as never), 'sequence.steps'],
    ['a body', () => loop({ from: 0, to: 1 } as never), 'loop.body'],
    ['a bound', () => repeatWhile(F, 'A', { most: 0 }), 'repeatWhile.most'],
    ['a condition', () => when('A' as never, 'A'), 'when.condition'],
  ])('tell at once of a wrong %s', (_, make, at) => {
    expect(codeOf(make)).toBe('job.definition');
    expect(thrownBy(make)?.details['at']).toBe(at);
  });
});
