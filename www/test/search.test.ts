// Searching operators, and what is marked by it, beside plain loops; pictures that are made anew only where they changed.
import type { GraphView } from 'cipherloom';
import { expect, test } from 'vitest';
import { Hits } from '../src/graph/hits.js';
import { expandAll, Openings, PictureCache, pictureOf, prepare } from '../src/graph/picture.js';
import { type Matching, parseQuery, QueryError } from '../src/graph/search.js';
import { nodeId, StagedGraphs } from '../src/graph/staged-graphs.js';

const TYPES = ['u8.add', 'u8.xor', 'limb.ntt'] as const;
const never = (): undefined => undefined;

/** As the page's worker does. */
const matching: Matching = (source, texts) => {
  const expression = new RegExp(source, 'i');
  return Promise.resolve(new Set(texts.filter((text) => expression.test(text))));
};

/** Two stages: `count` operators, each of which became three; the k-th of a stage reads the one before it, the first the input. */
async function graphs(count: number): Promise<StagedGraphs> {
  const view = (size: number, parentOf: (op: number) => number): GraphView => ({
    types: [...TYPES],
    type: Uint32Array.from({ length: size }, (_, op) => op % TYPES.length),
    parent: Int32Array.from({ length: size }, (_, op) => parentOf(op)),
    inputsStart: Uint32Array.from({ length: size + 1 }, (_, op) => op),
    inputs: Int32Array.from({ length: size }, (_, op) => op - 1),
    placeholders: Float64Array.from({ length: 2 * size }, (_, at) => at),
    labels: ['{}', '{by=3}'],
    label: Uint32Array.from({ length: size }, (_, op) => Number(op === 4)),
    inputNames: ['key'],
    outputs: [],
    wave: Uint32Array.from({ length: size }, (_, op) => op),
  });
  const views = [view(count, () => -1), view(3 * count, (op) => Math.floor(op / 3))];
  const sources = views.map((one, stage) => ({ name: String(stage), view: () => Promise.resolve(one) }));
  const made = new StagedGraphs(sources, { unit: 8, endsAtBase: true, joinsUnchanged: false });
  await made.load(1);
  return made;
}

test.each<[string, (op: number) => boolean]>([
  ['u8.add', (op) => op % 3 === 0],
  ['U8', (op) => op % 3 !== 2],
  ['by=3', (op) => op === 4],
  ['#7', (op) => op === 7],
  ['7', (op) => op === 7],
  ['#99', () => false],
  ['/^u8.*r$/', (op) => op % 3 === 1],
  ['/xor.*by/', (op) => op === 4],
  ['reads key', (op) => op === 0],
  ['reads #4', (op) => op === 5],
  ['reads: /ntt/', (op) => op > 0 && op % 3 === 0],
  ['nothing', () => false],
])('%s', async (text, holds) => {
  const graph = (await graphs(10)).at(0)!;
  const found = await parseQuery(text, matching).find(graph, never);
  expect([...found]).toEqual(Array.from({ length: 10 }, (_, op) => op).filter(holds));
});

test.each(['', '/(/', 'reads /[/'])('“%s” cannot be looked for', (text) => {
  expect(() => parseQuery(text)).toThrow(QueryError);
});

test('an expression that takes too long is given up', async () => {
  const never = (): Promise<never> => Promise.reject(new Error('it took more than 5 seconds'));
  const graph = (await graphs(10)).at(0)!;
  await expect(parseQuery('/(a+)+!/', never).find(graph, () => undefined)).rejects.toThrow(QueryError);
});

test('what was found marks its own box, and those that it lies in', async () => {
  const made = await graphs(4);
  const hits = new Hits(1, [4, 5, 9], made);
  expect([...hits]).toEqual([4, 5, 9].map((op) => nodeId(1, op)));
  expect([0, 1, 2, 3].map((op) => hits.holds(nodeId(0, op)))).toEqual([false, true, false, true]);
  expect([0, 1, 2, 3].map((op) => hits.has(nodeId(0, op)))).toEqual([false, false, false, false]);
  expect(hits.has(nodeId(1, 5))).toBe(true);
  expect(Hits.NONE.has(0) || Hits.NONE.holds(0)).toBe(false);
});

test('a picture is the same as one made from nothing, and what did not change is the same object', async () => {
  const made = await graphs(12);
  const [openings, cache] = [new Openings(), new PictureCache()];
  let state = 1;
  let before = pictureOf(made, openings, cache);
  for (let step = 0; step < 60; step++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const node = nodeId(0, (state >>> 16) % 12);
    if (openings.isOpen(node)) openings.close(node);
    else openings.open(node);
    await prepare(made, openings, cache, never);
    const now = pictureOf(made, openings, cache);
    expect(now).toEqual(pictureOf(made, openings));
    const changed = now.items.filter(
      (item, index) => item.kind === 'operator' && item !== before.items[index],
    );
    expect(changed).toHaveLength(1);
    before = now;
  }
});

test('all groups are opened, and closed', async () => {
  const made = await graphs(12);
  const openings = new Openings();
  expect(await expandAll(1, made, openings, never)).toBe(0);
  expect(openings.total).toBe(12);
  const boxes = pictureOf(made, openings).items.flatMap((item) =>
    item.kind === 'operator' ? (item.inner?.items ?? []) : [],
  );
  expect(boxes.filter(({ kind }) => kind === 'operator')).toHaveLength(36);
});
