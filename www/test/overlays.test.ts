import type { ExplainedValue, TraceView } from 'cipherloom';
import type { DetectedNode } from 'cipherloom/layout';
import { describe, expect, test } from 'vitest';
import { sentence } from '../src/graph/beside.js';
import { GraphText } from '../src/graph/graph-text.js';
import { kinOf } from '../src/graph/kin.js';
import { OVERLAYS } from '../src/graph/overlays/index.js';
import type { Ground, Overlay } from '../src/graph/overlays/overlay.js';
import { apartOf, classOf, heatOf, TINTS } from '../src/graph/overlays/tints.js';
import { nodeId, StagedGraphs, type StagedOptions, type StageSource } from '../src/graph/staged-graphs.js';
import { type Operator, view } from './graph-views.js';

/** A computation of stages with these operators, loaded. */
async function staged(
  stages: readonly (readonly Operator[])[],
  options: Partial<StagedOptions> = {},
  more: Partial<StageSource> = {},
): Promise<StagedGraphs> {
  const sources = stages.map((operators, at) => ({
    name: `stage ${at}`,
    view: () => Promise.resolve(view(operators)),
    ...more,
  }));
  const graphs = new StagedGraphs(sources, { unit: 64, endsAtBase: true, joinsUnchanged: false, ...options });
  await graphs.load(stages.length);
  return graphs;
}

const of = (...parents: number[]): Operator[] => parents.map((parent) => ({ parent, inputs: [] }));

function kind(id: string) {
  return OVERLAYS.find((one) => one.id === id)!;
}

async function made(id: string, graphs: StagedGraphs, trace?: TraceView): Promise<Overlay> {
  const ground: Ground = { graphs, stage: graphs.last, trace };
  expect(kind(id).isOffered(ground)).toBe(true);
  return kind(id).make(ground, () => undefined);
}

describe('operators of two stages belong together', () => {
  /** The same sequence in each run of the test. */
  let state = 1;
  const below = (limit: number): number => {
    state = (state * 48271) % 0x7fffffff;
    return state % limit;
  };

  test('as a walk from each operator to its ancestors says', async () => {
    const sizes = [4, 9, 30, 80];
    const parents = sizes.map((size, stage) =>
      Array.from({ length: size }, () => (stage === 0 ? -1 : below(sizes[stage - 1]! + 1) - 1)),
    );
    const graphs = await staged(parents.map((list) => of(...list)));
    const ancestor = (stage: number, op: number, at: number): number => {
      for (; stage > at && op >= 0; stage--) op = parents[stage]![op]!;
      return op;
    };
    for (const [from, size] of sizes.entries())
      for (let op = 0; op < size; op++)
        for (const [to, others] of sizes.entries()) {
          const expected =
            to <= from
              ? [ancestor(from, op, to)].filter((one) => one >= 0)
              : Array.from({ length: others }, (_, other) => other).filter(
                  (other) => ancestor(to, other, from) === op,
                );
          expect([...kinOf(nodeId(from, op), to, graphs)]).toEqual(expected);
        }
  });

  test('and a sentence says how', async () => {
    const graphs = await staged([of(-1, -1, -1), of(0, 0, -1, 1)]);
    expect(sentence(nodeId(0, 0), 1, graphs)).toBe('x.add #0 became 2 operators at the stage stage 1.');
    expect(sentence(nodeId(0, 1), 1, graphs)).toBe('x.add #1 became x.add #3 at the stage stage 1.');
    expect(sentence(nodeId(1, 3), 0, graphs)).toBe('x.add #3 came from x.add #1 at the stage stage 0.');
    expect(sentence(nodeId(1, 2), 0, graphs)).toContain('came from no single operator');
    expect(sentence(nodeId(0, 2), 1, graphs)).toContain('has no operator of its own');
  });
});

describe('overlays', () => {
  const value = (given: Partial<ExplainedValue>): ExplainedValue =>
    ({ operator: 'value.add', budgetBits: undefined, errorBits: undefined, ...given }) as ExplainedValue;
  // Two inputs, then the task's operators 0 to 3.
  const exact = [
    value({ operator: undefined, budgetBits: 90 }),
    value({ operator: undefined }),
    ...[60, 30.25, undefined, Infinity].map((budgetBits) => value({ budgetBits })),
  ];

  test('noise is that of the value that an ancestor computes', async () => {
    const graphs = await staged([of(1, 0, -1, 2, 3), of(0, 0, 1, -1), of(2, 1, 3)], {
      values: () => Promise.resolve(exact),
    });
    const noise = await made('noise', graphs);
    const texts = (stage: number, size: number): (string | undefined)[] =>
      Array.from({ length: size }, (_, op) => noise.text(nodeId(stage, op)));
    expect(texts(0, 5)).toEqual(['30.3 bits', '60 bits', undefined, undefined, undefined]);
    expect(texts(1, 4)).toEqual(['30.3 bits', '30.3 bits', '60 bits', undefined]);
    expect(texts(2, 3)).toEqual(['60 bits', '30.3 bits', undefined]);
    expect(noise.legend.map(({ text }) => text)).toEqual([
      'at least 90 bits left',
      'at least 30.3 bits left',
    ]);
    expect(noise.tint(nodeId(0, 0))).toBe(heatOf(1));
    expect(noise.tint(nodeId(0, 1))).toBe(heatOf(30 / 59.75));
    expect(noise.tint(nodeId(0, 3))).toBeUndefined();
  });

  test('precision is log2 of the error, and the worst is hot', async () => {
    const values = [
      value({ operator: undefined, errorBits: -40, budgetBits: 5 }),
      ...[-30, -22.14].map((errorBits) => value({ errorBits, budgetBits: 5 })),
    ];
    const noise = await made('noise', await staged([of(0, 1)], { values: () => Promise.resolve(values) }));
    expect(noise.legend.map(({ text }) => text)).toEqual(['error at most 2^−40.0', 'error at most 2^−22.1']);
    expect([0, 1].map((op) => noise.text(nodeId(0, op)))).toEqual(['2^−30.0', '2^−22.1']);
    expect(noise.tint(nodeId(0, 1))).toBe(heatOf(1));
  });

  const trace = {
    threads: 2,
    op: Uint32Array.of(0, 1, 2, 3, 3),
    thread: Uint32Array.of(0, 0, 1, 3, 3),
    start: Float64Array.of(0, 2, 0, 5, 6),
    end: Float64Array.of(2, 5, 1, 6, 8),
  } as unknown as TraceView;
  const ran = (): Promise<StagedGraphs> => staged([of(-1, -1), of(0, 0, 1, 1)]);

  test('times are sums, of who computed one or several', async () => {
    const graphs = await ran();
    const [time, thread, platform] = [
      await made('time', graphs, trace),
      await made('thread', graphs, trace),
      await made('platform', graphs, trace),
    ];
    const texts = (overlay: Overlay): (string | undefined)[] =>
      [nodeId(0, 0), nodeId(0, 1), nodeId(1, 3)].map((node) => overlay.text(node));
    expect(texts(time)).toEqual(['5 ms', '4 ms', '3 ms']);
    expect(time.tint(nodeId(0, 1))).toBe(heatOf(4 / 5));
    expect(texts(thread)).toEqual(['thread 0', 'several', 'thread 3']);
    expect(texts(platform)).toEqual(['threads of this device', 'several', 'GPU']);
    expect(platform.legend.map(({ text }) => text)).toContain('functions of one’s own');
  });

  test('nothing is offered of what is not known', async () => {
    const graphs = await ran();
    const ground = { graphs, stage: 1, trace: undefined };
    const ids = OVERLAYS.filter((one) => one.isOffered(ground)).map(({ id }) => id);
    expect(ids).toEqual(['size', 'wave']);
  });

  test('a text places operators on platforms', async () => {
    const text = `cipherloom-graph 1
unit 32
type !0 = f32[1]{shape=[1]}
input %0 : !0 [0,1) "x@y"
op %1 = f32.neg@gpu(%0) : !0 [1,2)
op %2 = f32.neg(%1) : !0 [2,3)
op %3 = f32.neg@my-own(%2) : !0 [3,4)
output %3 "a=b@c"
`;
    const graphs = await staged([of(-1, -1, -1)], {}, { text: () => Promise.resolve(new GraphText(text)) });
    const platform = await made('platform', graphs);
    expect([0, 1, 2].map((op) => platform.text(nodeId(0, op)))).toEqual(['gpu', 'not placed', 'my-own']);
    expect(platform.legend.map(({ text: name }) => name)).toEqual(['gpu', 'not placed', 'my-own']);
  });

  test('labels tell categories apart', async () => {
    const label = { category: 'on', type: 'float32', dims: 'NC', sizes: [1, 8] };
    const labels = [
      { category: 'hn', label: undefined },
      { category: 'on', label },
    ] as unknown as DetectedNode[];
    const overlay = await made(
      'label',
      await staged([of(-1, -1)], {}, { labels: () => Promise.resolve(labels) }),
    );
    expect([0, 1].map((op) => overlay.text(nodeId(0, op)))).toEqual(['hn', 'on NC 1×8']);
    expect(overlay.legend.map(({ text }) => text)).toEqual(['hidden neuron (hn)', 'output neuron (on)']);
    expect(overlay.tint(nodeId(0, 0))).not.toBe(overlay.tint(nodeId(0, 1)));
  });

  test('parties are those that attributes name', async () => {
    const operators: Operator[] = ['{to="ann, b", number=3}', '{}', '{from="bo"}'].map((label) => ({
      parent: -1,
      inputs: [],
      label,
    }));
    const party = await made('party', await staged([operators]));
    expect([0, 1, 2].map((op) => party.text(nodeId(0, op)))).toEqual(['ann, b', undefined, 'bo']);
    expect(party.legend.map(({ text }) => text)).toEqual(['ann, b', 'bo']);
  });

  test('size is that of what is written, and widens lines', async () => {
    const size = await made('size', await staged([of(-1)]));
    expect(size.text(nodeId(0, 0))).toBe('64 B');
    expect(size.width?.(nodeId(0, 0))).toBe(1);
  });

  test('every colour has a name in styles', () => {
    expect(TINTS.map((_, tint) => classOf(tint))).toHaveLength(new Set(TINTS).size);
    expect(classOf(heatOf(1))).toBe('heat heat-12');
    expect(classOf(apartOf(0))).toBe('heat kind-transform');
    expect(apartOf(TINTS.length)).toBeLessThan(TINTS.length);
  });
});
