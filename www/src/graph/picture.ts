/** What is visible: the task's operators, and inside every open one what it was lowered to, page by page. */
import { nodeId, type NodeId, opOf, type ProgramGraphs, stageOf } from './program-graphs.js';

/** Most operators of a group that are shown at once. */
export const PAGE = 100;
/** Most operators that a stage's button opens at once. */
export const MOST_OPENED = 240;
/** Most sources of a group that are shown one by one. */
const MOST_PORTS = 8;
/** A source that more operators read, such as the keys, is named without lines. */
const MOST_LINES = 4;

/** An operator. */
export interface OperatorItem {
  readonly kind: 'operator';
  readonly node: NodeId;
  readonly type: string;
  /** How many operators it was lowered to; 0 for base operators, and for those whose work others do. */
  readonly children: number;
  /** Its contents, if it is open. */
  readonly inner: Group | undefined;
}

/** Where something comes from or goes to, outside the group. */
export interface PortItem {
  readonly kind: 'input' | 'output' | 'outside';
  readonly text: string;
  /** What stands behind it, if it is one operator. */
  readonly target: NodeId | undefined;
}

export type Item = OperatorItem | PortItem;

export interface Group {
  /** Undefined for the whole task. */
  readonly node: NodeId | undefined;
  readonly items: readonly Item[];
  /** Indices of items: from, to, from, to, ... */
  readonly edges: readonly number[];
  readonly page: number;
  readonly pages: number;
}

/** Which groups are open, and at which page. */
export class Openings {
  readonly #pages = new Map<NodeId, number>();

  isOpen(node: NodeId): boolean {
    return this.#pages.has(node);
  }

  open(node: NodeId, page = this.#pages.get(node) ?? 0): void {
    this.#pages.set(node, page);
  }

  close(node: NodeId): void {
    this.#pages.delete(node);
  }

  closeAll(): void {
    this.#pages.clear();
  }

  page(node: NodeId): number {
    return this.#pages.get(node) ?? 0;
  }

  /** The deepest stage that has an open group, or -1. */
  get deepest(): number {
    return Math.max(-1, ...Array.from(this.#pages.keys(), stageOf));
  }
}

/**
 * Opens everything down to `stage`, as far as it can be read: at every stage, the first groups whose contents
 * together stay within an equal share of {@link MOST_OPENED}. Returns how many groups stay closed.
 */
export function openDownTo(stage: number, graphs: ProgramGraphs, openings: Openings): number {
  openings.closeAll();
  let visible: NodeId[] = Array.from({ length: graphs.at(0)!.size }, (_, op) => nodeId(0, op));
  let closed = 0;
  for (let level = 0; level < stage; level++) {
    let room = MOST_OPENED / stage;
    const next: NodeId[] = [];
    for (const node of visible) {
      const children = graphs.children(node);
      const shown = Math.min(children.length, PAGE);
      if (shown === 0) continue;
      if (shown > room) {
        closed += 1;
        continue;
      }
      room -= shown;
      openings.open(node, 0);
      for (const child of children.subarray(0, shown)) next.push(nodeId(level + 1, child));
    }
    visible = next;
  }
  return closed;
}

/** Opens all that a node lies in, at the right pages. */
export function openTo(node: NodeId, graphs: ProgramGraphs, openings: Openings): void {
  const path = [...graphs.ancestors(node), node];
  for (const [index, parent] of path.slice(0, -1).entries()) {
    const place = graphs.children(parent).indexOf(opOf(path[index + 1]!));
    openings.open(parent, Math.floor(place / PAGE));
  }
}

/** The whole picture. All stages down to the deepest open one, and the next, must be loaded. */
export function pictureOf(graphs: ProgramGraphs, openings: Openings): Group {
  const all = Uint32Array.from({ length: graphs.at(0)!.size }, (_, op) => op);
  return groupOf(undefined, all, graphs, openings);
}

function groupOf(
  node: NodeId | undefined,
  members: Uint32Array,
  graphs: ProgramGraphs,
  openings: Openings,
): Group {
  const stage = node === undefined ? 0 : stageOf(node) + 1;
  const pages = Math.max(Math.ceil(members.length / PAGE), 1);
  const page = node === undefined ? 0 : Math.min(openings.page(node), pages - 1);
  // The task is what the person asked for: it is always whole.
  const shown = node === undefined ? members : members.subarray(page * PAGE, (page + 1) * PAGE);
  const items: Item[] = Array.from(shown, (op) => {
    const id = nodeId(stage, op);
    const children = graphs.children(id);
    const inner =
      openings.isOpen(id) && children.length > 0 ? groupOf(id, children, graphs, openings) : undefined;
    return { kind: 'operator', node: id, type: graphs.type(id), children: children.length, inner };
  });
  const edges = connect(node, stage, shown, items, graphs);
  return { node, items, edges, page, pages };
}

/** Edges within the group, and ports for what comes from outside. Adds the ports to `items`. */
function connect(
  node: NodeId | undefined,
  stage: number,
  shown: Uint32Array,
  items: Item[],
  graphs: ProgramGraphs,
): number[] {
  const graph = graphs.at(stage)!;
  const place = new Map(Array.from(shown, (op, index) => [op, index] as const));
  const inside: [number, number][] = [];
  const outside = new Map<string, { port: PortItem; readers: Set<number> }>();
  for (const [reader, op] of shown.entries()) {
    for (const producer of new Set(graph.inputs(op))) {
      const from = place.get(producer);
      if (from !== undefined) inside.push([from, reader]);
      else {
        const port = portOf(producer, node, stage, graphs);
        const known = outside.get(port.text) ?? { port, readers: new Set() };
        outside.set(port.text, known);
        known.readers.add(reader);
      }
    }
  }
  const ports = merged([...outside.values()]);
  for (const { port, readers } of ports) {
    const to = [...readers];
    const few = to.length <= MOST_LINES;
    const from = items.push(few ? port : { ...port, text: `${port.text}, read by ${to.length}` }) - 1;
    if (few) inside.push(...to.map((reader): [number, number] => [from, reader]));
  }
  if (node === undefined) {
    for (const { name, op } of graph.view.outputs) {
      const from = place.get(op);
      const to = items.push({ kind: 'output', text: name, target: undefined }) - 1;
      if (from !== undefined) inside.push([from, to]);
    }
  }
  return inside.flat();
}

function portOf(producer: number, node: NodeId | undefined, stage: number, graphs: ProgramGraphs): PortItem {
  if (producer < 0) {
    const text = graphs.at(stage)!.view.inputNames[-producer - 1]!;
    return { kind: 'input', text, target: undefined };
  }
  const id = nodeId(stage, producer);
  const parent = graphs.parent(id);
  if (parent === undefined || parent === node)
    return { kind: 'outside', text: 'other pages', target: undefined };
  return { kind: 'outside', text: `${graphs.type(parent)} #${opOf(parent)}`, target: parent };
}

/** Too many sources say nothing: then they are one. */
function merged(
  ports: { port: PortItem; readers: Set<number> }[],
): { port: PortItem; readers: Iterable<number> }[] {
  const operators = ports.filter(({ port }) => port.kind === 'outside');
  if (operators.length <= MOST_PORTS) return ports;
  const port: PortItem = { kind: 'outside', text: `${operators.length} operators`, target: undefined };
  const readers = new Set(operators.flatMap((one) => [...one.readers]));
  return [...ports.filter((one) => one.port.kind === 'input'), { port, readers }];
}
