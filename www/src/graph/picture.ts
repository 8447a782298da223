/**
 * What is visible: the task's operators, beside them those that came from no operator of the stage above, such as one
 * that packs the numbers of several, and inside every open one what it was lowered to, page by page.
 */
import { shapeOf } from './measure.js';
import type { Pace } from './pace.js';
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

/** Most operators of a group that are shown at once. */
export const PAGE = 100;
/** Most operators that a stage's button opens at once. */
export const MOST_OPENED = 240;
/** Most sources of a group that are shown one by one. */
const MOST_PORTS = 8;
/** Above so many changes all items are made anew. */
const MOST_FOLLOWED = 2000;
/** Most operators that are opened by one press. */
export const MOST_EXPANDED = 150_000;
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
  /** Groups that were opened, closed or turned since the picture was made; undefined for all. */
  #changed: Set<NodeId> | undefined = new Set();

  isOpen(node: NodeId): boolean {
    return this.#pages.has(node);
  }

  open(node: NodeId, page = this.#pages.get(node) ?? 0): void {
    if (this.#pages.get(node) === page) return;
    this.#pages.set(node, page);
    this.#changed?.add(node);
  }

  close(node: NodeId): void {
    if (this.#pages.delete(node)) this.#changed?.add(node);
  }

  closeAll(): void {
    this.#pages.clear();
    this.#depth = 0;
    this.#changed = undefined;
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
    let deepest = this.#depth;
    for (const node of this.#pages.keys()) deepest = Math.max(deepest, stageOf(node) + 1);
    return deepest;
  }

  /** What was changed since this was last asked; undefined for all. */
  takeChanges(): ReadonlySet<NodeId> | undefined {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Groups that are open. */
  get total(): number {
    return this.#pages.size;
  }

  /** Open groups, those opened last first: contents come before what they are in. */
  latestFirst(): NodeId[] {
    return [...this.#pages.keys()].reverse();
  }
}

/** Operators, ports and lines of a group, whatever is open in it. */
interface Contents {
  readonly members: readonly NodeId[];
  readonly ports: readonly PortItem[];
  readonly edges: readonly number[];
  readonly page: number;
  readonly pages: number;
}

/** What was made for the last picture: what did not change is the same object in the next. */
export class PictureCache {
  readonly contents = new Map<string, Contents>();
  readonly items = new Map<NodeId, OperatorItem>();

  /** Forgets items that look otherwise by now. */
  follow(openings: Openings, graphs: StagedGraphs): void {
    const changed = openings.takeChanges();
    if (changed === undefined || changed.size > MOST_FOLLOWED) this.items.clear();
    else
      for (const node of changed) for (const one of [node, ...graphs.ancestors(node)]) this.items.delete(one);
  }

  /** Another computation. */
  clear(): void {
    this.contents.clear();
    this.items.clear();
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

/**
 * Opens all groups down to `stage`, each at its first part, as long as there are no more than {@link MOST_EXPANDED} boxes. Returns how
 * many groups stay closed.
 */
export async function expandAll(
  stage: number,
  graphs: StagedGraphs,
  openings: Openings,
  slices: Pace,
): Promise<number> {
  openings.closeAll();
  openings.reach(stage);
  const roots = graphs.roots(stage);
  let visible: NodeId[] = [];
  let [closed, boxes] = [0, roots.length];
  for (let level = 0; level < stage; level++) {
    visible.push(...roots.filter((node) => stageOf(node) === level));
    const next: NodeId[] = [];
    for (const node of visible) {
      await slices();
      const children = graphs.children(node).slice(0, PAGE);
      if (children.length === 0) continue;
      // What a pass left as it is takes the place of this box.
      const added = graphs.unchanged(node) === undefined ? children.length : 0;
      if (boxes + added > MOST_EXPANDED) {
        closed += 1;
        continue;
      }
      boxes += added;
      openings.open(node, 0);
      for (const child of children) next.push(child);
    }
    visible = next;
  }
  return closed;
}

/** Makes what is open, innermost first, in slices: {@link pictureOf} then only puts it together. */
export async function prepare(
  graphs: StagedGraphs,
  openings: Openings,
  cache: PictureCache,
  slices: Pace,
): Promise<void> {
  cache.follow(openings, graphs);
  for (const node of openings.latestFirst()) {
    const { inner } = itemOf(node, graphs, openings, cache);
    if (inner !== undefined) shapeOf(inner);
    await slices();
  }
}

/** The whole picture. All stages down to the deepest visible one, and the next, must be loaded. */
export function pictureOf(graphs: StagedGraphs, openings: Openings, cache = new PictureCache()): Group {
  cache.follow(openings, graphs);
  const key = `roots ${openings.deepest}`;
  let contents = cache.contents.get(key);
  if (contents === undefined) {
    // The task is what the person asked for: it is always whole.
    contents = { ...connectRoots(graphs.roots(openings.deepest), graphs), page: 0, pages: 1 };
    cache.contents.set(key, contents);
  }
  return filled(undefined, contents, graphs, openings, cache);
}

function itemOf(
  node: NodeId,
  graphs: StagedGraphs,
  openings: Openings,
  cache: PictureCache,
  member: NodeId = node,
): OperatorItem {
  const known = node === member ? cache.items.get(node) : undefined;
  if (known !== undefined) return known;
  const same = openings.isOpen(node) ? graphs.unchanged(node) : undefined;
  let item: OperatorItem;
  if (same !== undefined) item = itemOf(same, graphs, openings, cache, member);
  else {
    const children = graphs.childCount(node);
    const inner = openings.isOpen(node) && children > 0 ? groupOf(node, graphs, openings, cache) : undefined;
    item = { kind: 'operator', node, member, type: graphs.type(node), children, inner };
  }
  if (node === member) cache.items.set(node, item);
  return item;
}

function groupOf(node: NodeId, graphs: StagedGraphs, openings: Openings, cache: PictureCache): Group {
  const pages = Math.ceil(graphs.childCount(node) / PAGE);
  const page = Math.min(openings.page(node), pages - 1);
  const key = `${node} ${page}`;
  let contents = cache.contents.get(key);
  if (contents === undefined) {
    const members = graphs.children(node).slice(page * PAGE, (page + 1) * PAGE);
    contents = { ...connect(node, members, graphs), page, pages };
    cache.contents.set(key, contents);
  }
  return filled(node, contents, graphs, openings, cache);
}

function filled(
  node: NodeId | undefined,
  { members, ports, edges, page, pages }: Contents,
  graphs: StagedGraphs,
  openings: Openings,
  cache: PictureCache,
): Group {
  const items: Item[] = members.map((member) => itemOf(member, graphs, openings, cache));
  items.push(...ports);
  return { node, items, edges, page, pages };
}

/** Indices of items: from, to. */
type Edge = readonly [number, number];

type Connected = Pick<Contents, 'members' | 'ports' | 'edges'>;

/** Edges within a group, and ports for what comes from outside, which become items behind the members. */
function connect(node: NodeId, members: readonly NodeId[], graphs: StagedGraphs): Connected {
  const place = placesOf(members);
  const edges: Edge[] = [];
  const ports = new Ports();
  for (const [reader, member] of members.entries()) {
    for (const source of graphs.sources(member)) {
      const from = typeof source === 'string' ? undefined : place.get(source);
      if (from !== undefined) edges.push([from, reader]);
      else ports.add(portOf(source, node, graphs), reader);
    }
  }
  return { members, ...ports.after(members.length, edges) };
}

/** The same among the operators that came from no other, whatever their stages, and with the outputs. */
function connectRoots(members: readonly NodeId[], graphs: StagedGraphs): Connected {
  const place = placesOf(members);
  const edges = new Map<string, Edge>();
  const join = (from: NodeId, to: NodeId): void => {
    const edge: Edge = [place.get(graphs.root(from))!, place.get(graphs.root(to))!];
    if (edge[0] !== edge[1]) edges.set(edge.join(), edge);
  };
  const ports = new Ports();
  for (const [reader, node] of members.entries()) {
    for (const source of graphs.sources(node)) {
      if (typeof source === 'string') ports.add(portOf(source, undefined, graphs), reader);
      else join(source, node);
    }
    for (const other of graphs.readers(node)) join(node, other);
  }
  const { ports: sources, edges: all } = ports.after(members.length, [...edges.values()]);
  const more = [...all];
  const sinks: PortItem[] = [];
  for (const { name, op } of graphs.at(0)!.view.outputs) {
    const to =
      members.length + sources.length + sinks.push({ kind: 'output', text: name, target: undefined }) - 1;
    const added = members.find((member) => stageOf(member) > 0 && graphs.writes(member, name));
    const from = place.get(added ?? nodeId(0, op));
    if (from !== undefined) more.push(from, to);
  }
  return { members, ports: [...sources, ...sinks], edges: more };
}

function placesOf(members: readonly NodeId[]): Map<NodeId, number> {
  return new Map(members.map((member, index) => [member, index]));
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

  /** As items behind so many others, with their lines added to `edges`. */
  after(members: number, edges: Edge[]): { ports: PortItem[]; edges: number[] } {
    const ports: PortItem[] = [];
    for (const { port, readers } of this.#merged()) {
      const few = readers.size <= MOST_LINES;
      const from =
        members + ports.push(few ? port : { ...port, text: `${port.text}, read by ${readers.size}` }) - 1;
      if (few) edges.push(...Array.from(readers, (to): Edge => [from, to]));
    }
    return { ports, edges: edges.flat() };
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
