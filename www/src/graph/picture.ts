/**
 * What is visible: the task's operators, beside them those that came from no operator of the stage above, such as one
 * that packs the numbers of several, and inside every open one what it was lowered to, page by page.
 */
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

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
  /** The operator of the group that it stands for: itself, or one that was left as it was since. */
  readonly member: NodeId;
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
  #depth = 0;

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
    this.#depth = 0;
  }

  /** Makes operators down to `stage` visible that came from no other. */
  reach(stage: number): void {
    this.#depth = Math.max(this.#depth, stage);
  }

  page(node: NodeId): number {
    return this.#pages.get(node) ?? 0;
  }

  /** The deepest stage that has visible operators. */
  get deepest(): number {
    return Math.max(this.#depth, ...Array.from(this.#pages.keys(), (node) => stageOf(node) + 1));
  }
}

/**
 * Opens everything down to `stage`, as far as it can be read: at every stage, the first groups whose contents
 * together stay within an equal share of {@link MOST_OPENED}. Returns how many groups stay closed.
 */
export function openDownTo(stage: number, graphs: StagedGraphs, openings: Openings): number {
  openings.closeAll();
  openings.reach(stage);
  const roots = graphs.roots(stage);
  let visible: NodeId[] = [];
  let closed = 0;
  let room = 0;
  for (let level = 0; level < stage; level++) {
    room += MOST_OPENED / stage;
    visible.push(...roots.filter((node) => stageOf(node) === level));
    const next: NodeId[] = [];
    for (const node of visible) {
      const children = graphs.children(node).slice(0, PAGE);
      if (children.length === 0) continue;
      if (children.length > room) {
        closed += 1;
        continue;
      }
      room -= children.length;
      openings.open(node, 0);
      next.push(...children);
    }
    visible = next;
  }
  return closed;
}

/** Opens all that a node lies in, at the right pages. */
export function openTo(node: NodeId, graphs: StagedGraphs, openings: Openings): void {
  const path = [...graphs.ancestors(node), node];
  openings.reach(stageOf(path[0]!));
  for (const [index, parent] of path.slice(0, -1).entries()) {
    const place = graphs.children(parent).indexOf(path[index + 1]!);
    openings.open(parent, Math.floor(place / PAGE));
  }
}

/** The whole picture. All stages down to the deepest visible one, and the next, must be loaded. */
export function pictureOf(graphs: StagedGraphs, openings: Openings): Group {
  const operators = graphs.roots(openings.deepest).map((node) => itemOf(node, graphs, openings));
  // The task is what the person asked for: it is always whole.
  return { node: undefined, ...connectRoots(operators, graphs), page: 0, pages: 1 };
}

function itemOf(node: NodeId, graphs: StagedGraphs, openings: Openings, member: NodeId = node): OperatorItem {
  const same = openings.isOpen(node) ? graphs.unchanged(node) : undefined;
  if (same !== undefined) return itemOf(same, graphs, openings, member);
  const children = graphs.children(node);
  const inner =
    openings.isOpen(node) && children.length > 0 ? groupOf(node, children, graphs, openings) : undefined;
  return { kind: 'operator', node, member, type: graphs.type(node), children: children.length, inner };
}

function groupOf(node: NodeId, members: readonly NodeId[], graphs: StagedGraphs, openings: Openings): Group {
  const pages = Math.ceil(members.length / PAGE);
  const page = Math.min(openings.page(node), pages - 1);
  const shown = members.slice(page * PAGE, (page + 1) * PAGE);
  const operators = shown.map((member) => itemOf(member, graphs, openings));
  return { node, ...connect(node, operators, graphs), page, pages };
}

/** Indices of items: from, to. */
type Edge = readonly [number, number];

/** Edges within a group, and ports for what comes from outside, which become items, too. */
function connect(
  node: NodeId,
  operators: readonly OperatorItem[],
  graphs: StagedGraphs,
): Pick<Group, 'items' | 'edges'> {
  const place = placesOf(operators);
  const edges: Edge[] = [];
  const ports = new Ports();
  for (const [reader, item] of operators.entries()) {
    for (const source of graphs.sources(item.member)) {
      const from = typeof source === 'string' ? undefined : place.get(source);
      if (from !== undefined) edges.push([from, reader]);
      else ports.add(portOf(source, node, graphs), reader);
    }
  }
  return ports.addTo([...operators], edges);
}

/** The same among the operators that came from no other, whatever their stages, and with the outputs. */
function connectRoots(
  operators: readonly OperatorItem[],
  graphs: StagedGraphs,
): Pick<Group, 'items' | 'edges'> {
  const place = placesOf(operators);
  const edges = new Map<string, Edge>();
  const join = (from: NodeId, to: NodeId): void => {
    const edge: Edge = [place.get(graphs.root(from))!, place.get(graphs.root(to))!];
    if (edge[0] !== edge[1]) edges.set(edge.join(), edge);
  };
  const ports = new Ports();
  for (const [reader, { member: node }] of operators.entries()) {
    for (const source of graphs.sources(node)) {
      if (typeof source === 'string') ports.add(portOf(source, undefined, graphs), reader);
      else join(source, node);
    }
    for (const other of graphs.readers(node)) join(node, other);
  }
  const { items, edges: all } = ports.addTo([...operators], [...edges.values()]);
  for (const { name, op } of graphs.at(0)!.view.outputs) {
    const to = items.push({ kind: 'output', text: name, target: undefined }) - 1;
    const added = operators.find(({ member }) => stageOf(member) > 0 && graphs.writes(member, name));
    const from = place.get(added?.member ?? nodeId(0, op));
    if (from !== undefined) all.push(from, to);
  }
  return { items, edges: all };
}

function placesOf(operators: readonly OperatorItem[]): Map<NodeId, number> {
  return new Map(operators.map(({ member }, index) => [member, index]));
}

/** What a source is called in the group of `node`. */
function portOf(source: NodeId | string, node: NodeId | undefined, graphs: StagedGraphs): PortItem {
  if (typeof source === 'string') return { kind: 'input', text: source, target: undefined };
  const parent = graphs.parent(source);
  if (parent === node) return { kind: 'outside', text: 'other parts', target: undefined };
  const target = parent ?? source;
  return { kind: 'outside', text: `${graphs.type(target)} #${opOf(target)}`, target };
}

/** Sources outside of a group, with the places of those who read them. */
class Ports {
  readonly #byText = new Map<string, { readonly port: PortItem; readonly readers: Set<number> }>();

  add(port: PortItem, reader: number): void {
    const known = this.#byText.get(port.text) ?? { port, readers: new Set() };
    this.#byText.set(port.text, known);
    known.readers.add(reader);
  }

  /** Adds ports to items, and their lines to edges. */
  addTo(items: Item[], edges: Edge[]): { items: Item[]; edges: number[] } {
    for (const { port, readers } of this.#merged()) {
      const few = readers.size <= MOST_LINES;
      const from = items.push(few ? port : { ...port, text: `${port.text}, read by ${readers.size}` }) - 1;
      if (few) edges.push(...Array.from(readers, (to): Edge => [from, to]));
    }
    return { items, edges: edges.flat() };
  }

  /** Too many operators as sources say nothing: then they are one. */
  #merged(): { port: PortItem; readers: Set<number> }[] {
    const all = [...this.#byText.values()];
    const operators = all.filter(({ port }) => port.kind === 'outside');
    if (operators.length <= MOST_PORTS) return all;
    const port: PortItem = { kind: 'outside', text: `${operators.length} operators`, target: undefined };
    const readers = new Set(operators.flatMap((one) => [...one.readers]));
    return [...all.filter((one) => one.port.kind === 'input'), { port, readers }];
  }
}
