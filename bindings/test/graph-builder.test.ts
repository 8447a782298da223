import { describe, expect, it } from 'vitest';
import { MOST_SITES } from '../src/call-sites.js';
import { bit, f32, type, u8 } from '../src/element.js';
import { type CipherloomError, failure } from '../src/errors.js';
import { type Build, GraphRecorder } from '../src/graph-builder.js';
import type { GraphBuilder, Operand, Unit } from '../src/graph-types.js';
import type { GraphLiteral } from '../src/raw.js';
import type { Recording } from '../src/recording.js';
import { codeOf, messageOf } from './code.js';

const NOTHING = undefined as never;

/** A builder, and what it has recorded. */
function builder(unit: Unit = 32) {
  let recording: Recording | undefined;
  const build: Build = async (recorded) => {
    recording = recorded;
    return NOTHING;
  };
  const g = new GraphRecorder(unit, build);
  const recorded = async (): Promise<Recording> => {
    await g.build();
    return recording as Recording;
  };
  const literal = async (): Promise<GraphLiteral> => {
    const recording = await recorded();
    return recording.literal(recording.mark());
  };
  return { g, recorded, literal };
}

describe('a graph builder', () => {
  it('takes attributes by the names that operators have', () => {
    const g: GraphBuilder = builder().g;
    const x = g.input('x', f32(4));
    g.op('f32.sum', [x], { axis: 0 });
    // What the compiler does not see, the core refuses.
    // @ts-expect-error: there is no such attribute
    g.op('f32.sum', [x], { axs: 0 });
    // @ts-expect-error: it has none
    g.op('f32.neg', [x], { axis: 0 });
    g.op('my.own', [x], { anything: 1 });
    const name: string = 'f32.sum';
    expect(g.op(name, [x], { anything: 1 })).toBeDefined();
  });

  it('records calls on a tape, with names, attributes and types once', async () => {
    const { g, literal } = builder();
    const a = g.input('a', f32(4));
    const b = g.input('b', f32(4));
    const sum = g.op('f32.add', [a, b]);
    const total = g.op('f32.sum', [sum], { axis: 0 });
    const again = g.op('f32.sum', [a], { axis: 0 });
    const half = g.view(sum, f32(2), { from: 2 ** 33 + 2 });
    const both = g.merge([half, half], f32(4));
    g.constant(f32(1), Float32Array.of(1));
    g.output('a', total);
    g.output('both', both);
    g.op('none', [again], {});
    expect(await literal()).toEqual({
      unit: 32,
      names: ['a', 'b', 'f32.add', 'f32.sum', 'both', 'none'],
      attrs: ['{axis=0}'],
      types: ['f32{shape=[4]}', 'f32{shape=[2]}', 'f32{shape=[1]}'],
      constants: [Uint8Array.of(0, 0, 128, 63)],
      tape: Uint32Array.of(
        ...[0, 0, 0],
        ...[0, 1, 0],
        ...[1, 2, 0, 2, 0, 1],
        ...[1, 3, 1, 1, 2],
        ...[1, 3, 1, 1, 0],
        ...[2, 2, 2, 2, 1],
        ...[3, 0, 2, 5, 5],
        ...[4, 2, 0],
        ...[5, 0, 3],
        ...[5, 4, 6],
        ...[1, 5, 0, 1, 4],
      ),
    });
  });

  it('copies constants, and packs bits', async () => {
    const { g, literal } = builder(8);
    const data = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 1);
    g.constant(bit(8), data);
    data.fill(0);
    g.constant(type('limb', { n: 1, q: 5, form: 'ntt' }), BigUint64Array.of(3n));
    expect((await literal()).constants).toEqual([Uint8Array.of(129), Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0)]);
  });

  it('keeps earlier marks as they were', async () => {
    const { g, recorded } = builder();
    g.input('a', f32(1));
    const recording = await recorded();
    const mark = recording.mark();
    const before = structuredClone(recording.literal(mark));
    for (let i = 0; i < 1000; i++) g.op('f32.sum', [g.input(`more ${i}`, f32(i + 1))], { axis: i });
    g.constant(f32(1), new Float32Array(1));
    expect(recording.literal(mark)).toEqual(before);
    expect(before.tape.buffer.byteLength).toBe(12);
  });

  it('takes a million calls', async () => {
    const { g, literal } = builder();
    let x = g.input('x', f32(1));
    for (let i = 0; i < 1_000_000; i++) x = g.op('f32.add', [x, x], { axis: i % 3 });
    const { tape, attrs } = await literal();
    expect(tape.length).toBe(3 + 6 * 1_000_000);
    expect(tape.slice(-2)).toEqual(Uint32Array.of(1_000_000 - 1, 1_000_000 - 1));
    expect(attrs.length).toBe(3);
  });

  it('tells nothing by its operands', () => {
    const { g } = builder();
    expect(Reflect.ownKeys(g.input('a', f32(1)))).toEqual([]);
  });
});

describe('wrong calls', () => {
  const { g } = builder(16);
  const a = g.input('a', f32(4));
  const other = builder().g.input('a', f32(4));

  it('with operands of another builder are refused', () => {
    const calls: ((operand: Operand) => unknown)[] = [
      (operand) => g.op('f32.add', [a, operand]),
      (operand) => g.view(operand, f32(1)),
      (operand) => g.merge([a, operand], f32(8)),
      (operand) => g.output('foreign', operand),
    ];
    for (const call of calls) {
      expect(codeOf(() => call(other))).toBe('graph.foreign');
      for (const wrong of [undefined, null, 0, '%0', {}, Object.create(a as object)] as never[])
        expect(codeOf(() => call(wrong))).toBe('input.type');
    }
    expect(messageOf(() => g.op('f32.add', [a, other]))).toBe(
      'op, input 1: an operand of another builder, expected one of this builder',
    );
    // eslint-disable-next-line no-sparse-arrays
    expect(codeOf(() => g.op('f32.add', [a, , a] as never))).toBe('input.type');
  });

  it('of a wrong type are refused', () => {
    for (const wrong of [undefined, null, 5, 'f32', {}, [], f32] as never[]) {
      expect(codeOf(() => g.input('x', wrong))).toBe('input.type');
      expect(codeOf(() => g.view(a, wrong))).toBe('input.type');
      expect(codeOf(() => g.merge([a], wrong))).toBe('input.type');
      expect(codeOf(() => g.constant(wrong, new Float32Array(1) as never))).toBe('input.type');
    }
    for (const wrong of [undefined, null, 5, 'x', {}, a] as never[]) {
      expect(codeOf(() => g.op('f32.add', wrong))).toBe('input.type');
      expect(codeOf(() => g.merge(wrong, f32(1)))).toBe('input.type');
    }
    for (const wrong of [undefined, null, 5, '', {}] as never[])
      expect(codeOf(() => g.op(wrong, [a]))).toBe('input.type');
    for (const wrong of [null, 5, 'x', []] as never[])
      expect(codeOf(() => g.op('f32.add', [a], wrong))).toBe('input.type');
    for (const from of [-1, 0.5, '0', 2 ** 53, null] as never[])
      expect(codeOf(() => g.view(a, f32(1), { from }))).toBe('input.type');
    expect(codeOf(() => g.view(a, f32(1), { start: 0 } as never))).toBe('input.option');
    expect(codeOf(() => g.constant(f32(2), new Float32Array(3)))).toBe('input.length');
    expect(codeOf(() => g.constant(f32(2), new Float64Array(2) as never))).toBe('input.type');
    const forged = { text: 'f32{}', element: 'float', shape: [] } as never;
    expect(codeOf(() => g.input('x', forged))).toBe('input.type');
  });

  it('with names that are taken, or none, are refused', () => {
    expect(messageOf(() => g.input('a', f32(1)))).toBe('input "a": the name is taken by another input');
    for (const name of ['', '__proto__', 5, '\ud800', 'x'.repeat(257)] as never[]) {
      expect(codeOf(() => g.input(name, f32(1)))).toBe('graph.name');
      expect(codeOf(() => g.output(name, a))).toBe('graph.name');
    }
    g.output('a', a);
    expect(codeOf(() => g.output('a', a))).toBe('graph.name');
    for (const name of ['kept', '%0', '%17']) expect(codeOf(() => g.output(name, a))).toBe('graph.name');
    g.input('kept', f32(1));
  });

  it('with tensors that are no whole number of units are refused', () => {
    expect(messageOf(() => g.input('x', u8(3)))).toBe(
      "input, type: expected a whole number of the graph's units of 16 bits, found u8[3] of 24 bits",
    );
    expect(codeOf(() => g.constant(bit(8), new Uint8Array(8)))).toBe('graph.shape');
    expect(codeOf(() => g.view(a, bit(15)))).toBe('graph.shape');
    expect(codeOf(() => g.merge([a], bit()))).toBe('graph.shape');
  });

  it('leave nothing behind', async () => {
    const { g, literal } = builder();
    const a = g.input('a', f32(1));
    const before = await literal();
    for (const call of [
      () => g.input('b', u8(1)),
      () => g.input('a', f32(1)),
      () => g.op('x', [a, other]),
      () => g.op('x', [a], { axis: Number.NaN }),
      () => g.merge([other], f32(7)),
      () => g.constant(f32(7), new Float32Array(1)),
      () => g.output('kept', a),
    ])
      expect(codeOf(call)).not.toBe('no error');
    expect(await literal()).toEqual(before);
    g.input('b', f32(1));
  });

  it('of build and what follows it are refused', async () => {
    for (const wrong of [null, 5, 'x', [], { signal: 5 }] as never[])
      await expect(g.build(wrong)).rejects.toMatchObject({ code: 'input.type' });
    await expect(g.build({ sgnal: 5 } as never)).rejects.toMatchObject({ code: 'input.option' });
  });
});

describe('an error of the core', () => {
  const errorAt = (call: number): CipherloomError =>
    failure('graph.shape', 'Operator x: too wide', { call: String(call), found: 5 });

  /** A function of a user's. */
  function layer(g: GraphRecorder, x: Operand): Operand {
    return g.op('f32.matmul', [x, x]);
  }

  it('is told at the line of the call', async () => {
    const { g, recorded } = builder();
    const x = g.input('x', f32(4));
    const y = layer(g, x);
    g.output('y', y);
    const recording = await recorded();
    const error = recording.located(errorAt(1)) as CipherloomError;
    expect(error).toMatchObject({
      name: 'GraphError',
      code: 'graph.shape',
      details: { call: '1', found: 5 },
    });
    expect(error.message).toBe('Operator x: too wide (call 1 of the graph, op "f32.matmul")');
    const [head, first, second] = (error.stack as string).split('\n') as [string, string, string];
    expect(head).toBe(`GraphError: ${error.message}`);
    expect(first).toMatch(/layer .*graph-builder\.test\.ts/);
    expect(second).toMatch(/graph-builder\.test\.ts/);
    expect((error.cause as Error).stack).toContain(first);
    const where = (call: number) => (recording.located(errorAt(call)) as Error).message;
    expect(where(0)).toContain('call 0 of the graph, input "x"');
    expect(where(2)).toContain('call 2 of the graph, output "y"');
  });

  it('names every kind of call', async () => {
    const { g, recorded } = builder();
    const x = g.input('x', f32(4));
    g.view(x, f32(1));
    g.merge([x, x], f32(8));
    g.op('f32.add', [x, x, x]);
    g.constant(f32(1), new Float32Array(1));
    g.output('out', x);
    const recording = await recorded();
    const kinds = [0, 1, 2, 3, 4, 5].map((call) => {
      const { message } = recording.located(errorAt(call)) as Error;
      return /graph, (.*)\)/.exec(message)?.[1];
    });
    expect(kinds).toEqual(['input "x"', 'view', 'merge', 'op "f32.add"', 'constant', 'output "out"']);
  });

  it('stays as it is where it is of no call', async () => {
    const { g, recorded } = builder();
    g.input('x', f32(4));
    const recording = await recorded();
    for (const error of [new Error('no'), failure('graph.shape', 'no'), errorAt(1), errorAt(-1), 5])
      expect(recording.located(error)).toBe(error);
  });

  it(`says so beyond the first ${MOST_SITES} calls`, async () => {
    const { g, recorded } = builder();
    const x = g.input('x', f32(4));
    for (let call = 1; call <= MOST_SITES; call++) g.op('f32.neg', [x]);
    const recording = await recorded();
    const last = recording.located(errorAt(MOST_SITES - 1)) as Error;
    expect(last.stack).toContain('graph-builder.test.ts');
    expect(last.message).not.toContain('lines');
    const next = recording.located(errorAt(MOST_SITES)) as Error;
    expect(next.cause).toBeUndefined();
    expect(next.message).toContain(
      'call 10000 of the graph, op "f32.neg"; lines are known of the first 10000 calls',
    );
  });

  it('leaves the length of other stacks as it was', () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 3;
    builder().g.input('x', f32(1));
    expect(Error.stackTraceLimit).toBe(3);
    Error.stackTraceLimit = stackTraceLimit;
  });
});
