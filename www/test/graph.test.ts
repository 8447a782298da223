import type { GraphView } from 'cipherloom';
import { expect, test } from 'vitest';
import { layOut, type ShapeGroup } from '../src/graph/layout.js';
import {
  type Group,
  MOST_OPENED,
  openDownTo,
  Openings,
  openTo,
  PAGE,
  pictureOf,
} from '../src/graph/picture.js';
import { nodeId, opOf, StagedGraphs, stageOf } from '../src/graph/staged-graphs.js';
import { StageGraph } from '../src/graph/stage-graph.js';
import { type Operator, view } from './graph-views.js';

/** Two operators, of which the first becomes a chain of three and the second one of 250; or four of equal lengths. */
async function graphs(length?: number): Promise<StagedGraphs> {
  const chain = (parent: number, length: number, first: number): Operator[] =>
    Array.from({ length }, (_, index) => {
      return { parent, inputs: [index === 0 && first === 0 ? -1 : first + index - 1] };
    });
  const lengths = length === undefined ? [3, 250] : new Array<number>(4).fill(length);
  const task = chain(-1, lengths.length, 0);
  const starts = lengths.map((_, index) => lengths.slice(0, index).reduce((a, b) => a + b, 0));
  return loaded(
    view(task, [{ name: 'out', op: task.length - 1 }]),
    view(lengths.flatMap((one, parent) => chain(parent, one, starts[parent]!))),
    view([]),
  );
}

/** A program of these stages. */
async function loaded(task: GraphView, scheme: GraphView, polynomial: GraphView): Promise<StagedGraphs> {
  const stages = Object.entries({ task, scheme, polynomial, base: view([]) });
  const sources = stages.map(([name, view]) => ({ name, view: () => Promise.resolve(view) }));
  const graphs = new StagedGraphs(sources, { unit: 64, endsAtBase: true, joinsUnchanged: false });
  await graphs.load(2);
  return graphs;
}

const operators = ({ items }: Group) => items.filter((item) => item.kind === 'operator');
const ports = ({ items }: Group) => items.filter((item) => item.kind !== 'operator');

test('readers, children and types are found', () => {
  const graph = new StageGraph(
    view([
      { parent: 0, inputs: [-1, -1], type: 'a.mul' },
      { parent: 1, inputs: [0, -1] },
      { parent: 1, inputs: [0, 1] },
    ]),
    2,
  );
  expect(graph.readers(0)).toEqual([1, 2]);
  expect(graph.readers(-1)).toEqual([0, 1]);
  expect([...graph.childrenOf(1)]).toEqual([1, 2]);
  expect([...graph.ofType('x.add')]).toEqual([1, 2]);
  expect([...graph.ofType('none')]).toEqual([]);
  expect(graph.typeCounts()[0]).toEqual({ type: 'x.add', count: 2 });
  expect(graph.writersWithin(8, 24)).toEqual([1, 2]);
});

test('a closed task shows its operators, inputs and outputs', async () => {
  const picture = pictureOf(await graphs(), new Openings());
  expect(operators(picture).map(({ node, children }) => [opOf(node), children])).toEqual([
    [0, 3],
    [1, 250],
  ]);
  expect(ports(picture).map(({ text }) => text)).toEqual(['in', 'out']);
  expect(picture.edges).toEqual([0, 1, 2, 0, 1, 3]);
});

test('a group that is too large is shown in parts, which name what comes from elsewhere', async () => {
  const program = await graphs();
  const openings = new Openings();
  openings.open(nodeId(0, 1), 1);
  const inner = operators(pictureOf(program, openings))[1]!.inner!;
  expect([inner.page, inner.pages]).toEqual([1, 3]);
  expect(operators(inner)).toHaveLength(PAGE);
  expect(ports(inner).map(({ text }) => text)).toEqual(['other parts']);
  openings.open(nodeId(0, 1), 0);
  const first = operators(pictureOf(program, openings))[1]!.inner!;
  expect(ports(first)).toEqual([{ kind: 'outside', text: 'x.add #0', target: nodeId(0, 0) }]);
});

test('an operator is found at its page', async () => {
  const program = await graphs();
  const openings = new Openings();
  const node = nodeId(1, 3 + 249);
  expect(stageOf(node)).toBe(1);
  openTo(node, program, openings);
  const inner = operators(pictureOf(program, openings))[1]!.inner!;
  expect(inner.page).toBe(2);
  expect(operators(inner).map((item) => item.node)).toContain(node);
});

test('opening a stage leaves closed what would be too much', async () => {
  const program = await graphs(MOST_OPENED / 3);
  const openings = new Openings();
  expect(openDownTo(1, program, openings)).toBe(1);
  expect([0, 1, 2, 3].map((op) => openings.isOpen(nodeId(0, op)))).toEqual([true, true, true, false]);
  expect(openings.deepest).toBe(1);
});

test('an operator that came from no other stands beside the task, between those whose work it joins', async () => {
  const program = await loaded(
    view(
      [
        { parent: -1, inputs: [-1], type: 'stats.a' },
        { parent: -1, inputs: [-1], type: 'stats.b' },
      ],
      [
        { name: 'a', op: 0 },
        { name: 'b', op: 1 },
      ],
    ),
    view(
      [
        { parent: 0, inputs: [-1], type: 'bfv.first' },
        { parent: 1, inputs: [-1], type: 'bfv.second' },
        { parent: -1, inputs: [0, 1], type: 'bfv.pack' },
        { parent: 0, inputs: [2], type: 'bfv.sum' },
      ],
      [
        { name: 'a', op: 3 },
        { name: 'b', op: 2 },
      ],
    ),
    view([{ parent: 2, inputs: [-1] }]),
  );
  const pack = nodeId(1, 2);
  const openings = new Openings();
  expect(operators(pictureOf(program, openings)).map(({ type }) => type)).toEqual(['stats.a', 'stats.b']);

  openDownTo(1, program, openings);
  const picture = pictureOf(program, openings);
  expect(operators(picture).map(({ node }) => node)).toEqual([nodeId(0, 0), nodeId(0, 1), pack]);
  const named = picture.items.map((item) =>
    item.kind === 'operator' ? item.type : `${item.kind} ${item.text}`,
  );
  const edges = Array.from({ length: picture.edges.length / 2 }, (_, edge) =>
    [picture.edges[2 * edge]!, picture.edges[2 * edge + 1]!].map((at) => named[at]).join(' to '),
  );
  expect(edges.sort()).toEqual(
    [
      ...['input in to stats.a', 'input in to stats.b', 'stats.a to bfv.pack', 'stats.b to bfv.pack'],
      ...['bfv.pack to stats.a', 'bfv.pack to output b', 'stats.a to output a'],
    ].sort(),
  );
  // Who reads it names it, and leads to it.
  const port = ports(operators(picture)[0]!.inner!).find(({ kind }) => kind === 'outside');
  expect(port).toEqual({ kind: 'outside', text: 'bfv.pack #2', target: pack });

  openings.closeAll();
  openTo(nodeId(2, 0), program, openings);
  const opened = operators(pictureOf(program, openings)).find(({ node }) => node === pack)!;
  expect(operators(opened.inner!).map(({ node }) => node)).toEqual([nodeId(2, 0)]);
});

const boxes = (count: number): ShapeGroup['shapes'] =>
  Array.from({ length: count }, () => ({ width: 100, height: 40 }));

test.each([
  ['few', 30],
  ['many', 450],
])('%s boxes do not overlap, and edges lead downward', async (_, count) => {
  const edges = Array.from({ length: count - 1 }, (_, index) => [index >> 1, index + 1]).flat();
  const placed = await layOut({ shapes: boxes(count), edges }, new Map(), async () => {});
  for (const [a, one] of placed.boxes.entries()) {
    expect(one.x).toBeGreaterThanOrEqual(0);
    expect(one.x + one.width).toBeLessThanOrEqual(placed.width + 0.5);
    expect(one.y + one.height).toBeLessThanOrEqual(placed.height + 0.5);
    const over = placed.boxes
      .slice(a + 1)
      .filter(
        (other) =>
          one.x + one.width > other.x &&
          other.x + other.width > one.x &&
          one.y + one.height > other.y &&
          other.y + other.height > one.y,
      );
    expect(over).toEqual([]);
  }
  for (let edge = 0; edge < edges.length; edge += 2) {
    expect(placed.boxes[edges[edge]!]!.y).toBeLessThan(placed.boxes[edges[edge + 1]!]!.y);
  }
});

test('an open group is a box that holds its contents, and equal groups are laid out once', async () => {
  const inner: ShapeGroup = { shapes: boxes(3), edges: [0, 1, 1, 2] };
  const group: ShapeGroup = {
    shapes: [
      { width: 80, height: 40, inner },
      { width: 80, height: 40, inner },
    ],
    edges: [0, 1],
  };
  const cache = new Map();
  const placed = await layOut(group, cache, async () => {});
  expect(cache.size).toBe(2);
  for (const box of placed.boxes) {
    expect(box.width).toBeGreaterThanOrEqual(box.inner!.width);
    expect(box.height).toBeGreaterThan(box.inner!.height);
  }
});
