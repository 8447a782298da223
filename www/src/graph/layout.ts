/**
 * Layout of nested groups. Every group is laid out flat, innermost first, and is a box of fixed size in the
 * group around it: layouts that know nesting take far longer.
 */
import { Graph, layout as dagre } from '@dagrejs/dagre';

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
/** Above this many nodes and edges dagre would take seconds. */
const MOST_FOR_DAGRE = 420;

/** Layouts of groups that were laid out before: expansions repeat. */
export type LayoutCache = Map<string, PlacedGroup>;

/** Lays out a group and all in it. `pause` is awaited between groups, and may throw to end the work. */
export async function layOut(
  group: ShapeGroup,
  cache: LayoutCache,
  pause: () => Promise<void>,
): Promise<PlacedGroup> {
  const inner: (PlacedGroup | undefined)[] = [];
  for (const shape of group.shapes) {
    inner.push(shape.inner && (await layOut(shape.inner, cache, pause)));
  }
  const sizes = group.shapes.map(({ width, height }, index) => {
    const content = inner[index];
    if (content === undefined) return { width, height };
    return { width: Math.max(width, content.width), height: content.height + TITLE };
  });
  const key = `${sizes.map(({ width, height }) => `${width}x${height}`).join()}|${group.edges.join()}`;
  let flat = cache.get(key);
  if (flat === undefined) {
    await pause();
    flat = placeFlat(sizes, group.edges);
    cache.set(key, flat);
  }
  return { ...flat, boxes: flat.boxes.map((box, index) => withInner(box, inner[index])) };
}

function withInner(box: PlacedBox, inner: PlacedGroup | undefined): PlacedBox {
  return inner === undefined ? box : { ...box, inner };
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

/** Longest-path layers, ordered by the mean place of what they read; straight edges. Linear time. */
function placeInLayers(sizes: readonly Size[], edges: readonly number[]): PlacedGroup {
  const layer = layersOf(sizes.length, pairs(edges));
  const sources: number[][] = sizes.map(() => []);
  for (const [from, to] of pairs(edges)) sources[to]!.push(from);
  const layers: number[][] = [];
  for (const [index, at] of layer.entries()) (layers[at] ??= []).push(index);
  const x: number[] = new Array<number>(sizes.length).fill(0);
  const boxes: PlacedBox[] = [];
  let [top, width] = [MARGIN, 0];
  for (const members of layers) {
    const wish = new Map(members.map((index) => [index, mean(sources[index]!.map((from) => x[from]!))]));
    members.sort((a, b) => wish.get(a)! - wish.get(b)!);
    let left = MARGIN;
    const height = Math.max(...members.map((index) => sizes[index]!.height));
    for (const index of members) {
      const size = sizes[index]!;
      boxes[index] = { x: left, y: top + (height - size.height) / 2, ...size };
      x[index] = left + size.width / 2;
      left += size.width + NODE_GAP;
    }
    width = Math.max(width, left - NODE_GAP + MARGIN);
    top += height + RANK_GAP * 1.5;
  }
  const lines = pairs(edges).map(([from, to]) => {
    const [a, b] = [boxes[from]!, boxes[to]!];
    return [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
  });
  return { width, height: top - RANK_GAP * 1.5 + MARGIN, boxes, lines };
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
