// The known answers K-G1 to K-G12 of the computation graph, through the public API alone, in units of 32 bits.
//
// Some of them speak of what the API does not show: the allocator's counter, identities of operands, synchronisers. What a
// user can see of it is tested here, and said; the rest is in tests/graph_known_answers.rs and tests/identity.rs.
import { type Circuit, f32, load, type Loom, type Operand, type, u8 } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

let loom: Loom;
beforeAll(async () => {
  loom = await load({ mode: 'single' });
});
afterAll(() => loom?.dispose());

type Interval = readonly [start: number, end: number];
/** An operator, by default `f32.neg`: what it reads, operand by operand, and the units that it writes. */
interface Row {
  readonly op?: 'f32.neg' | 'f32.add' | 'f32.sum';
  readonly reads: readonly (readonly Interval[])[];
  readonly writes: Interval;
}

/** A graph in the text form. */
function textOf(inputs: readonly Interval[], rows: readonly Row[], outputs: Record<string, Interval> = {}) {
  const types: string[] = ['f32[1]{shape=[]}'];
  const place = (intervals: readonly Interval[]) => {
    const units = intervals.reduce((sum, [start, end]) => sum + end - start, 0);
    const name = `f32[${units}]{shape=[${units}]}`;
    if (!types.includes(name)) types.push(name);
    return `!${types.indexOf(name)} ${intervals.map(([start, end]) => `[${start},${end})`).join('+')}`;
  };
  const lines = [
    ...inputs.map((input, k) => `input %${k} : ${place([input])} "in${k}"`),
    ...rows.map(({ op = 'f32.neg', reads, writes }, k) => {
      const call = `op %${inputs.length + k} = ${op}${op === 'f32.sum' ? '#0' : ''}`;
      const output = op === 'f32.sum' ? `!0 [${writes[0]},${writes[1]})` : place([writes]);
      return `${call}(${reads.map(place).join(', ')}) : ${output}`;
    }),
    ...Object.entries(outputs).map(([name, at]) => `output ${place([at])} "${name}"`),
  ];
  const declared = types.map((name, k) => `type !${k} = ${name}`);
  return ['cipherloom-graph 1', 'unit 32', ...declared, 'attrs #0 = {axis=0}', ...lines, ''].join('\n');
}

/** Operators by their names: the sets that they wait for, and that wait for them. */
async function setsOf(circuit: Circuit, names: readonly string[]) {
  const { operators } = await circuit.analyze();
  const named = (numbers: Uint32Array) => Array.from(numbers, (number) => names[number]).sort();
  return Object.fromEntries(
    operators.map(({ dependsOn, notifies }, k) => [names[k], [named(dependsOn), named(notifies)]]),
  );
}

/** Types of the operators, in order. */
async function typesOf(circuit: Circuit): Promise<string[]> {
  const { types, type } = await circuit.graph();
  return Array.from(type, (number) => types[number] as string);
}

/** The units that each operator writes. */
async function unitsOf(circuit: Circuit): Promise<Interval[]> {
  const { placeholders } = await circuit.graph();
  return Array.from({ length: placeholders.length / 2 }, (_, op) => [
    placeholders[2 * op] as number,
    placeholders[2 * op + 1] as number,
  ]);
}

const one = (at: number): Interval => [at, at + 1];

/**
 * Which producers the readers of targets wait for, where producers write these units. What they leave free is inputs; their
 * own operands lie behind.
 */
async function hits(outputs: readonly Interval[], targets: readonly (readonly Interval[])[]) {
  const all = [...outputs, ...targets.flat()];
  let free = Math.max(...all.map(([, end]) => end));
  const inputs: Interval[] = [];
  for (let unit = 0; unit < free; unit++)
    if (!outputs.some(([start, end]) => start <= unit && unit < end)) inputs.push(one(unit));
  const rows: Row[] = [];
  for (const writes of outputs) {
    const reads: Interval = [free, (free += writes[1] - writes[0])];
    inputs.push(reads);
    rows.push({ reads: [[reads]], writes });
  }
  for (const target of targets) {
    const size = target.reduce((sum, [start, end]) => sum + end - start, 0);
    rows.push({ reads: [target], writes: [free, (free += size)] });
  }
  using circuit = await loom.circuit(textOf(inputs, rows));
  const { operators } = await circuit.analyze();
  return operators.slice(outputs.length).map(({ dependsOn }) => [...dependsOn]);
}

describe('the known answer', () => {
  it('K-G1: the allocator, as printed graphs and errors show it', async () => {
    const g = loom.graph({ unit: 8 });
    const [a, b] = [g.input('a', u8(4096)), g.input('b', u8(4096))];
    using circuit = await g.build();
    expect(await circuit.toText()).toMatch(/"a"[^]*\[4096,8192\) "b"/);
    expect(await circuit.toText()).toContain('[0,4096) "a"');
    // What comes next begins where the counter is.
    g.output('sum', g.op('u8.add', [a, b]));
    using next = await g.build();
    expect(await unitsOf(next)).toEqual([[8192, 12288]]);
    expect(() => u8(0)).toThrow(expect.objectContaining({ code: 'graph.shape' }));
    const none = 'cipherloom-graph 1\nunit 32\ntype !0 = raw[0]{}\ninput %0 : !0 [0,0) "none"\n';
    expect((await errorOf(loom.circuit(none))).code).toMatch(/^graph\./);
  });

  it('K-G2: overlap, as readers wait for writers', async () => {
    const pairs: [Interval, Interval, boolean][] = [
      [[0, 10], [5, 15], true],
      [[0, 10], [10, 20], false],
      [[0, 10], [0, 10], true],
      [[5, 6], [0, 10], true],
      [[0, 10], [5, 6], true],
    ];
    for (const [first, second, overlap] of pairs)
      expect([first, second, await hits([first], [[second]])]).toEqual([first, second, [overlap ? [0] : []]]);
    // All pairs of intervals with ends in 0..6, which is symmetric, too.
    const all = [0, 1, 2, 3, 4, 5, 6].flatMap((start) =>
      [0, 1, 2, 3, 4, 5, 6].filter((end) => end > start).map((end): Interval => [start, end]),
    );
    expect(all.length).toBe(21);
    for (const first of all) {
      const found = await hits(
        [first],
        all.map((second) => [second]),
      );
      const units = ([start, end]: Interval) => [0, 1, 2, 3, 4, 5].filter((u) => start <= u && u < end);
      const shared = all.map((second) => units(second).some((unit) => units(first).includes(unit)));
      expect(found).toEqual(shared.map((overlap) => (overlap ? [0] : [])));
    }
    // An empty placeholder overlaps nothing: nobody can write one.
    const empty = textOf([[0, 10]], [{ reads: [[[5, 5]]], writes: [10, 11] }]);
    expect((await errorOf(loom.circuit(empty))).code).toMatch(/^(graph|operator)\./);
  });

  it('K-G3: the dependency table', async () => {
    const rows: Row[] = [
      ...[0, 1, 2, 3].map((at) => ({ reads: [[one(at)]], writes: one(at + 4) })),
      { reads: [[one(7)]], writes: one(8) },
      { op: 'f32.sum', reads: [[[4, 7], one(8)]], writes: one(9) },
      { reads: [[one(9)]], writes: one(10) },
    ];
    using circuit = await loom.circuit(textOf([0, 1, 2, 3].map(one), rows, { out: one(10) }));
    const names = ['1', '2', '3', '4', '6', '5', '7'];
    const deps = await circuit.analyze();
    expect(await setsOf(circuit, names)).toEqual({
      1: [[], ['5']],
      2: [[], ['5']],
      3: [[], ['5']],
      4: [[], ['6']],
      5: [['1', '2', '3', '6'], ['7']],
      6: [['4'], ['5']],
      7: [['5'], []],
    });
    expect(deps.inputs).toEqual([[0, 4]]);
    expect([...deps.outputs]).toEqual([6]);
    expect(deps.waves.map((wave) => [...wave])).toEqual([[0, 1, 2, 3], [4], [5], [6]]);
    expect([...deps.criticalPath].map((number) => names[number])).toEqual(['4', '6', '5', '7']);
    const data = Object.fromEntries([1, 2, 3, 4].map((value, k) => [`in${k}`, Float32Array.of(value)]));
    let ran: number[] = [];
    const out = await circuit.run(data, { onTrace: ({ op }) => (ran = [...op]) });
    expect(out).toEqual({ out: Float32Array.of(2) });
    // One worker: 4 before 6, 6 before 5, 5 before 7, and 1, 2, 3 before 5.
    const order = ran.map((number) => names[number] as string);
    for (const [before, after] of ['46', '65', '57', '15', '25', '35'])
      expect(order.indexOf(before as string)).toBeLessThan(order.indexOf(after as string));
  });

  it('K-G4: which outputs a target meets', async () => {
    const outputs: Interval[] = [
      [0, 4],
      [4, 8],
      [10, 12],
      [20, 30],
    ];
    const table: [Interval, number[]][] = [
      [[5, 6], [1]],
      [
        [3, 11],
        [0, 1, 2],
      ],
      [[8, 10], []],
      [[12, 20], []],
      [[30, 40], []],
      [
        [0, 30],
        [0, 1, 2, 3],
      ],
      [[12, 21], [3]],
      [[11, 12], [2]],
    ];
    const found = await hits(
      outputs,
      table.map(([target]) => [target]),
    );
    expect(found).toEqual(table.map(([, expected]) => expected));
  });

  /** A circuit of own operator `name` over x, whose output is read twice. */
  async function readTwice(name: string) {
    const g = loom.graph({ unit: 32 });
    const b = g.op(name, [g.input('x', f32(8))]);
    g.output('s1', g.op('f32.neg', [b]));
    g.output('s2', g.op('f32.abs', [b]));
    return { b, circuit: await g.build() };
  }
  const x = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);

  it('K-G5: absorb, as readers see it', async () => {
    // D expands to D1, D2, D3. Identities and the map of synchronisers are not shown; where outputs lie, and who writes and
    // reads them, is.
    loom.operator({
      name: 'kg5.d',
      expand: (g, [x]) => g.op('f32.sqrt', [g.op('f32.exp', [g.op('f32.tanh', [x as Operand])])]),
    });
    const { b, circuit } = await readTwice('kg5.d');
    expect(await typesOf(circuit)).toEqual(['kg5.d', 'f32.neg', 'f32.abs']);
    const [place] = await unitsOf(circuit);
    using expanded = await circuit.expand({ steps: 1 });
    const types = await typesOf(expanded);
    expect(types.toSorted()).toEqual(['f32.abs', 'f32.exp', 'f32.neg', 'f32.sqrt', 'f32.tanh']);
    // The last one writes where D did, and both readers read there.
    expect((await unitsOf(expanded))[types.indexOf('f32.sqrt')]).toEqual(place);
    const sets = await setsOf(expanded, types);
    expect(sets).toMatchObject({ 'f32.sqrt': [['f32.exp'], ['f32.abs', 'f32.neg']] });
    // The operand of before the expansion is that of after it.
    const out = await expanded.run({ x }, { keep: [b] });
    expect(out['s1']).toEqual((out.kept.get(b) as Float32Array).map((value) => -value));
    expect(out['s2']).toEqual(out.kept.get(b));
    circuit.dispose();
  });

  it('K-G6: a chain of absorbs ends at the last operand', async () => {
    // kg6.d3 -> kg6.d2 -> kg6.d1 -> f32.sqrt: each step absorbs another operand.
    loom.operator({
      name: 'kg6.d1',
      expand: (g, [x]) => g.op('f32.sqrt', [g.op('f32.exp', [x as Operand])]),
    });
    for (const depth of [2, 3])
      loom.operator({
        name: `kg6.d${depth}`,
        expand: (g, [x]) => g.op(`kg6.d${depth - 1}`, [g.op('f32.neg', [x as Operand])]),
      });
    for (const depth of [1, 2, 3]) {
      const { b, circuit } = await readTwice(`kg6.d${depth}`);
      const [place] = await unitsOf(circuit);
      let at = circuit;
      // One step at a time, asked between the steps or not; and all at once.
      for (let step = 0; step < depth; step++) at = await at.expand({ steps: 1 });
      using whole = await circuit.expand({ platform: 'simd' });
      for (const expanded of [at, whole]) {
        const types = await typesOf(expanded);
        const last = types.indexOf('f32.sqrt');
        expect((await unitsOf(expanded))[last]).toEqual(place);
        const { operators } = await expanded.analyze();
        expect(Array.from(operators[last]?.notifies ?? [], (op) => types[op])).toEqual([
          'f32.neg',
          'f32.abs',
        ]);
        const out = await expanded.run({ x }, { keep: [b] });
        const expected = x.map((value) => Math.sqrt(Math.exp(depth === 2 ? -value : value)));
        for (const [k, value] of (out.kept.get(b) as Float32Array).entries())
          expect(value).toBeCloseTo(expected[k] as number, 3);
        expect(out['s2']).toEqual(out.kept.get(b));
      }
    }
  });

  it('K-G7: absorb of a merge', async () => {
    loom.operator({
      name: 'kg7.d',
      expand: (g, [x]) => {
        const [low, high] = [0, 4].map((from) => g.view(x as Operand, f32(4), { from })) as [
          Operand,
          Operand,
        ];
        const [e1, e2] = [g.op('f32.neg', [low]), g.op('f32.abs', [high])];
        g.op('f32.exp', [e1]);
        return g.merge([e2, e1], f32(8));
      },
    });
    const { b, circuit } = await readTwice('kg7.d');
    const [[start, end]] = (await unitsOf(circuit)) as [Interval];
    using expanded = await circuit.expand({ steps: 1 });
    const types = await typesOf(expanded);
    const [e1, e2, e3] = ['f32.neg', 'f32.abs', 'f32.exp'].map((name) => types.indexOf(name)) as number[];
    const units = await unitsOf(expanded);
    expect([units[e2 as number], units[e1 as number]]).toEqual([
      [start, start + 4],
      [start + 4, end],
    ]);
    const reads = (await expanded.toText()).match(/f32\.exp\(([^)]*)/)?.[1];
    const { operators } = await expanded.analyze();
    expect([...(operators[e3 as number]?.dependsOn ?? [])]).toEqual([e1]);
    expect(reads).toMatch(new RegExp(`^%\\d+|\\[${start + 4},${end}`));
    const out = await expanded.run({ x }, { keep: [b] });
    expect(out.kept.get(b)).toEqual(Float32Array.of(5, 6, 7, 8, -1, -2, -3, -4));
    // 4 + 4 units are none of 10.
    const g = loom.graph({ unit: 32 });
    g.merge([g.input('p', f32(4)), g.input('q', f32(4))], f32(10));
    expect(await errorOf(g.build())).toMatchObject({
      code: 'graph.size',
      details: { found: '8', expected: '10' },
    });
    circuit.dispose();
  });

  it('K-G8: split and merge inside an expansion', async () => {
    // a1x, a1y, a2, a3, a4, each of another type; a1 is an operator of one's own, too.
    const ops = {
      a1x: 'f32.abs',
      a1y: 'f32.sqrt',
      a2: 'f32.neg',
      a3: 'f32.exp',
      a4: 'f32.tanh',
      a1: 'kg8.a1',
    };
    const part = (x: Operand, g: { view: Function }, from: number) => g.view(x, f32(2), { from }) as Operand;
    loom.operator({
      name: 'kg8.a1',
      expand: (g, [x]) => {
        const [p, q] = [part(x as Operand, g, 0), part(x as Operand, g, 2)];
        return g.merge([g.op(ops.a1x, [p]), g.op(ops.a1y, [q])], f32(4));
      },
    });
    loom.operator({
      name: 'kg8.a',
      expand: (g, [x, y]) => {
        const a1 = g.op(ops.a1, [x as Operand]);
        const a2 = g.op(ops.a2, [y as Operand]);
        const a3 = g.op(ops.a3, [g.merge([part(a1, g, 0), a2], f32(4))]);
        const a4 = g.op(ops.a4, [part(a1, g, 2)]);
        return g.merge([a3, a4], f32(6));
      },
    });
    const g = loom.graph({ unit: 32 });
    g.output('a', g.op('kg8.a', [g.input('x', f32(4)), g.input('y', f32(2))]));
    using circuit = await g.build();
    using first = await circuit.expand({ steps: 1 });
    using second = await first.expand({ steps: 1 });
    using whole = await circuit.expand({ platform: 'simd' });
    const named = async (expanded: Circuit) => {
      const names = Object.fromEntries(Object.entries(ops).map(([name, op]) => [op, name]));
      return setsOf(
        expanded,
        (await typesOf(expanded)).map((type) => names[type] as string),
      );
    };
    expect(await named(first)).toEqual({
      a1: [[], ['a3', 'a4']],
      a2: [[], ['a3']],
      a3: [['a1', 'a2'], []],
      a4: [['a1'], []],
    });
    for (const expanded of [second, whole])
      expect(await named(expanded)).toEqual({
        a1x: [[], ['a3']],
        a1y: [[], ['a4']],
        a2: [[], ['a3']],
        a3: [['a1x', 'a2'], []],
        a4: [['a1y'], []],
      });
  });

  it('K-G9: four ways to meet', async () => {
    const table: [Interval[], number[]][] = [
      [[[0, 8]], [0]],
      [[[2, 4]], [0]],
      [
        [
          [0, 8],
          [8, 16],
        ],
        [0, 1],
      ],
      [[[0, 16]], [0, 1]],
      [
        [
          [6, 8],
          [8, 12],
        ],
        [0, 1],
      ],
      [[[6, 12]], [0, 1]],
      [[[8, 12]], [1]],
      [[[16, 20]], []],
    ];
    const found = await hits(
      [
        [0, 8],
        [8, 16],
      ],
      table.map(([target]) => target),
    );
    expect(found).toEqual(table.map(([, expected]) => expected));
  });

  it('K-G10: graph inputs', async () => {
    const inputs: Interval[] = [
      [0, 4],
      [4, 8],
    ];
    const first: Row = { reads: [[[0, 4]]], writes: [8, 12] };
    using both = await loom.circuit(
      textOf(inputs, [first, { op: 'f32.add', reads: [[[8, 12]], [[4, 8]]], writes: [12, 16] }]),
    );
    const deps = await both.analyze();
    expect(deps.waves.map((wave) => [...wave])).toEqual([[0], [1]]);
    expect(deps.inputs).toEqual([[0, 8]]);
    expect([...deps.outputs]).toEqual([1]);
    using variant = await loom.circuit(textOf(inputs, [first, { reads: [[[6, 10]]], writes: [12, 16] }]));
    const other = await variant.analyze();
    expect(other.inputs).toEqual([
      [0, 4],
      [6, 8],
    ]);
    expect([...(other.operators[1]?.dependsOn ?? [])]).toEqual([0]);
  });

  it('K-G11: outputs and pruning', async () => {
    const rows: Row[] = [
      { reads: [[one(0)]], writes: one(1) },
      { reads: [[one(1)]], writes: one(2) },
      { reads: [[one(0)]], writes: one(3) },
    ];
    using open = await loom.circuit(textOf([one(0)], rows));
    expect([...(await open.analyze()).outputs]).toEqual([1, 2]);
    expect((await open.optimize({ passes: ['prune'] })).operators).toBe(3);
    using declared = await loom.circuit(textOf([one(0)], rows, { first: one(1), second: one(2) }));
    using pruned = await declared.optimize({ passes: ['prune'] });
    expect(pruned.operators).toBe(2);
    expect(await pruned.run({ in0: Float32Array.of(5) })).toEqual({
      first: Float32Array.of(-5),
      second: Float32Array.of(5),
    });
  });

  it('K-G12: several expanded sets into one, but never two samplings', async () => {
    const [n, q] = [8, 97];
    const limb = (form: string) => type('limb', { form, n, q });
    for (const h of [1, 2])
      loom.operator({
        name: `kg12.h${h}`,
        expand: (g, [x, a]) => g.op('limb.mul', [g.op('limb.ntt', [x as Operand]), a as Operand]),
      });
    for (const h of [1, 2])
      loom.operator({
        name: `kg12.r${h}`,
        // Uniform residues, seen as values.
        expand: (g, [seed, a]) => {
          const drawn = g.op('sample.uniform', [seed as Operand], { n, q });
          return g.op('limb.mul', [drawn, a as Operand]);
        },
      });
    const make = async (name: string, x: ReturnType<typeof limb>) => {
      const g = loom.graph({ unit: 64 });
      const [input, a, b] = [g.input('x', x), g.input('a', limb('ntt')), g.input('b', limb('ntt'))];
      g.output('m1', g.op(`kg12.${name}1`, [input, a]));
      g.output('m2', g.op(`kg12.${name}2`, [input, b]));
      using circuit = await g.build();
      using expanded = await circuit.expand({ steps: 1 });
      expect(expanded.operators).toBe(4);
      return await expanded.optimize({ passes: ['dedup', 'prune'] });
    };
    using merged = await make('h', limb('coeff'));
    expect(await typesOf(merged)).toEqual(['limb.ntt', 'limb.mul', 'limb.mul']);
    expect(await setsOf(merged, ['n1', 'm1', 'm2'])).toEqual({
      n1: [[], ['m1', 'm2']],
      m1: [['n1'], []],
      m2: [['n1'], []],
    });
    using drawn = await make('r', type('public_seed', {}));
    expect((await typesOf(drawn)).filter((name) => name === 'sample.uniform').length).toBe(2);
    const ones = new BigUint64Array(n).fill(1n);
    const { m1, m2 } = await drawn.run({ x: BigUint64Array.of(1n, 2n, 3n, 4n), a: ones, b: ones });
    expect(m1).not.toEqual(m2);
  });
});
