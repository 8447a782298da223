import type { GraphView, Program, Stage } from 'cipherloom';
import { expect, test } from 'vitest';
import { layOut, type ShapeGroup } from '../src/graph/layout.js';
import { type Group, openDownTo, Openings, openTo, PAGE, pictureOf } from '../src/graph/picture.js';
import { nodeId, opOf, ProgramGraphs, stageOf } from '../src/graph/program-graphs.js';
import { StageGraph } from '../src/graph/stage-graph.js';

interface Operator {
  parent: number;
  inputs: number[];
  type?: string;
}

function view(operators: readonly Operator[], outputs: GraphView['outputs'] = []): GraphView {
  const types = [...new Set(operators.map(({ type = 'x.add' }) => type))];
  let edges = 0;
  const ends = operators.map(({ inputs }) => (edges += inputs.length));
  return {
    types,
    type: Uint32Array.from(operators, ({ type = 'x.add' }) => types.indexOf(type)),
    parent: Int32Array.from(operators, ({ parent }) => parent),
    inputsStart: Uint32Array.from([0, ...ends]),
    inputs: Int32Array.from(operators.flatMap(({ inputs }) => inputs)),
    placeholders: Float64Array.from(operators.flatMap((_, index) => [8 * index, 8 * index + 8])),
    labels: ['{}'],
    label: new Uint32Array(operators.length),
    inputNames: ['in'],
    outputs,
    wave: new Uint32Array(operators.length),
  };
}

/** Two operators, of which the first becomes a chain of three and the second one of 250. */
async function graphs(): Promise<ProgramGraphs> {
  const chain = (parent: number, length: number, first: number): Operator[] =>
    Array.from({ length }, (_, index) => {
      return { parent, inputs: [index === 0 && first === 0 ? -1 : first + index - 1] };
    });
  const task = view(
    [
      { parent: -1, inputs: [-1] },
      { parent: -1, inputs: [0] },
    ],
    [{ name: 'out', op: 1 }],
  );
  const scheme = view([...chain(0, 3, 0), ...chain(1, 250, 3)]);
  const stages: Partial<Record<Stage, GraphView>> = { task, scheme, polynomial: view([]), base: view([]) };
  const loaded = new ProgramGraphs({ graph: async (stage: Stage) => stages[stage] } as unknown as Program);
  await loaded.load(2);
  return loaded;
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
  expect(ports(inner).map(({ text }) => text)).toEqual(['other pages']);
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
  const program = await graphs();
  const openings = new Openings();
  expect(openDownTo(1, program, openings)).toBe(0);
  expect(openings.isOpen(nodeId(0, 0))).toBe(true);
  expect(openings.deepest).toBe(0);
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
    for (const other of placed.boxes.slice(a + 1)) {
      const apart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + one.height <= other.y ||
        other.y + other.height <= one.y;
      expect(apart).toBe(true);
    }
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
