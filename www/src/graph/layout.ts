/**
 * Layout of nested groups. Every group is laid out flat, innermost first, and is a box of fixed size in the
 * group around it: layouts that know nesting take far longer.
 */
import { Graph, layout as dagre } from '@dagrejs/dagre';
import type { Pace } from './pace.js';

/** A box to be placed; with `inner`, its size follows from its contents. */
export interface Shape {
  readonly width: number;
  readonly height: number;
  readonly inner?: ShapeGroup;
}

export interface ShapeGroup {
  readonly shapes: readonly Shape[];
  /** Indices of shapes: from, to, from, to, ... */
  readonly edges: readonly number[];
}

export interface PlacedGroup {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  /** Of every edge: x, y, x, y, ... */
  readonly lines: readonly (readonly number[])[];
}

/** Corner relative to the group's; `inner` relative to the box's. */
export interface PlacedBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly inner?: PlacedGroup;
}

/** Space around the contents of a group, and above them for its title. */
export const MARGIN = 16;
export const TITLE = 34;
const NODE_GAP = 22;
const RANK_GAP = 34;
/** How many times as wide as high a group in layers is, about. */
const ASPECT = 1.8;
/** Above this many nodes and edges dagre would take seconds. */
const MOST_FOR_DAGRE = 420;

/** Layouts of groups that were laid out before: expansions repeat. */
export type LayoutCache = Map<string, PlacedGroup>;

/** A box of a group to be placed: its size, and the place in the list of the group in it, or -1. */
export interface FlatGroupShapes {
  /** Of every box: least width, height without contents, index of what is in it. */
  readonly boxes: Float64Array;
  readonly edges: readonly number[];
}

/** Groups, each after those in it; and which groups these are. */
export interface FlatShapes {
  readonly groups: FlatGroupShapes[];
  readonly of: ShapeGroup[];
}

/** Groups that were placed, which stay as they are: what did not change is not placed again. */
export type Placed = WeakMap<ShapeGroup, PlacedGroup>;

/** All groups within `group`, and itself, that have no place yet. */
export async function flatten(group: ShapeGroup, placed: Placed, pace: Pace): Promise<FlatShapes> {
  const flat: FlatShapes = { groups: [], of: [] };
  const index = new Map<ShapeGroup, number>();
  const add = async (one: ShapeGroup): Promise<void> => {
    const boxes = new Float64Array(3 * one.shapes.length);
    for (const [at, { width, height, inner }] of one.shapes.entries()) {
      let [w, h, within] = [width, height, -1];
      if (inner !== undefined) {
        const known = placed.get(inner);
        if (known !== undefined) [w, h] = [Math.max(width, known.width), known.height + TITLE];
        else {
          if (!index.has(inner)) await add(inner);
          within = index.get(inner)!;
        }
      }
      boxes.set([w, h, within], 3 * at);
    }
    index.set(one, flat.groups.length);
    flat.groups.push({ boxes, edges: one.edges });
    flat.of.push(one);
    await pace();
  };
  if (!placed.has(group)) await add(group);
  return flat;
}

/** Layouts of the groups of a list; equal ones are one object. `pause` is awaited between groups, and may throw to end the work. */
export async function layOutFlat(
  groups: readonly FlatGroupShapes[],
  cache: LayoutCache,
  pause: () => Promise<void>,
): Promise<PlacedGroup[]> {
  const all: PlacedGroup[] = [];
  for (const { boxes, edges } of groups) {
    const sizes = Array.from({ length: boxes.length / 3 }, (_, box) => {
      const [width, height, within] = [boxes[3 * box]!, boxes[3 * box + 1]!, boxes[3 * box + 2]!];
      const content = all[within];
      if (content === undefined) return { width, height };
      return { width: Math.max(width, content.width), height: content.height + TITLE };
    });
    const key = `${sizes.map(({ width, height }) => `${width}x${height}`).join()}|${edges.join()}`;
    let flat = cache.get(key);
    if (flat === undefined) {
      await pause();
      flat = placeFlat(sizes, edges);
      cache.set(key, flat);
    }
    all.push(flat);
  }
  return all;
}

/** Puts groups into the boxes that they are in, and keeps them. */
export async function assemble(
  { of }: FlatShapes,
  layouts: readonly PlacedGroup[],
  placed: Placed,
  pace: Pace,
): Promise<void> {
  for (const [index, group] of of.entries()) {
    const flat = layouts[index]!;
    // Boxes without contents are shared by all groups of the same shape.
    const isFlat = group.shapes.every(({ inner }) => inner === undefined);
    const boxes = isFlat
      ? flat.boxes
      : flat.boxes.map((box, at) => {
          const { inner } = group.shapes[at]!;
          return inner === undefined ? box : { ...box, inner: placed.get(inner)! };
        });
    placed.set(group, isFlat ? flat : { ...flat, boxes });
    await pace();
  }
}

/** Lays out a group and all in it, here and now. `pause` is awaited between groups, and may throw to end the work. */
export async function layOut(
  group: ShapeGroup,
  cache: LayoutCache,
  pause: () => Promise<void>,
): Promise<PlacedGroup> {
  const placed: Placed = new WeakMap();
  const never: Pace = () => undefined;
  const flat = await flatten(group, placed, never);
  await assemble(flat, await layOutFlat(flat.groups, cache, pause), placed, never);
  return placed.get(group)!;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function placeFlat(sizes: readonly Size[], edges: readonly number[]): PlacedGroup {
  return sizes.length + edges.length / 2 <= MOST_FOR_DAGRE
    ? placeWithDagre(sizes, edges)
    : placeInLayers(sizes, edges);
}

function placeWithDagre(sizes: readonly Size[], edges: readonly number[]): PlacedGroup {
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'TB',
    rankalign: 'top',
    nodesep: NODE_GAP,
    ranksep: RANK_GAP,
    edgesep: 10,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [index, size] of sizes.entries()) graph.setNode(String(index), { ...size });
  for (let edge = 0; edge < edges.length; edge += 2)
    graph.setEdge(String(edges[edge]), String(edges[edge + 1]));
  dagre(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const boxes = sizes.map((size, index) => {
    const { x, y } = graph.node(String(index)) as { x: number; y: number };
    return { x: x - size.width / 2, y: y - size.height / 2, ...size };
  });
  const lines = pairs(edges).map(([from, to]) => {
    const { points } = graph.edge(String(from), String(to)) as { points: { x: number; y: number }[] };
    return points.flatMap(({ x, y }) => [x, y]);
  });
  return { width, height, boxes, lines };
}

/**
 * Longest-path layers, ordered by the mean place of what they read; straight edges. A layer that is far wider than the whole is high is
 * broken into rows. Linear time.
 */
function placeInLayers(sizes: readonly Size[], edges: readonly number[]): PlacedGroup {
  const layer = layersOf(sizes.length, pairs(edges));
  const sources: number[][] = sizes.map(() => []);
  for (const [from, to] of pairs(edges)) sources[to]!.push(from);
  const layers: number[][] = [];
  for (const [index, at] of layer.entries()) (layers[at] ??= []).push(index);
  const area = sizes.reduce((sum, { width, height }) => sum + (width + NODE_GAP) * (height + RANK_GAP), 0);
  const most = Math.max(Math.sqrt(area * ASPECT), ...sizes.map(({ width }) => width));
  const x: number[] = new Array<number>(sizes.length).fill(0);
  const boxes: PlacedBox[] = [];
  let [top, width] = [MARGIN, 0];
  for (const members of layers) {
    const wish = new Map(members.map((index) => [index, mean(sources[index]!.map((from) => x[from]!))]));
    members.sort((a, b) => wish.get(a)! - wish.get(b)!);
    for (const row of rowsOf(members, sizes, most)) {
      let left = MARGIN;
      const height = Math.max(...row.map((index) => sizes[index]!.height));
      for (const index of row) {
        const size = sizes[index]!;
        boxes[index] = { x: left, y: top + (height - size.height) / 2, ...size };
        x[index] = left + size.width / 2;
        left += size.width + NODE_GAP;
      }
      width = Math.max(width, left - NODE_GAP + MARGIN);
      top += height + RANK_GAP * 0.75;
    }
    top += RANK_GAP * 0.75;
  }
  const lines = pairs(edges).map(([from, to]) => {
    const [a, b] = [boxes[from]!, boxes[to]!];
    return [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
  });
  return { width, height: top - RANK_GAP * 1.5 + MARGIN, boxes, lines };
}

/** Boxes in their order, in rows of at most that width, unless one alone is wider. */
function rowsOf(members: readonly number[], sizes: readonly Size[], most: number): number[][] {
  const rows: number[][] = [];
  let width = Infinity;
  for (const index of members) {
    const own = sizes[index]!.width + NODE_GAP;
    if (width + own > most + NODE_GAP) {
      rows.push([]);
      width = 0;
    }
    rows.at(-1)!.push(index);
    width += own;
  }
  return rows;
}

/** Length of the longest path to every node. The graph has no cycles. */
function layersOf(nodes: number, edges: readonly (readonly [number, number])[]): number[] {
  const readers: number[][] = Array.from({ length: nodes }, () => []);
  const waiting = new Array<number>(nodes).fill(0);
  for (const [from, to] of edges) {
    readers[from]!.push(to);
    waiting[to]!++;
  }
  const layer = new Array<number>(nodes).fill(0);
  const ready = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    for (const reader of readers[next]!) {
      layer[reader] = Math.max(layer[reader]!, layer[next]! + 1);
      if (--waiting[reader]! === 0) ready.push(reader);
    }
  }
  return layer;
}

function pairs(edges: readonly number[]): (readonly [number, number])[] {
  return Array.from({ length: edges.length / 2 }, (_, edge) => [edges[2 * edge]!, edges[2 * edge + 1]!]);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b) / values.length;
}
