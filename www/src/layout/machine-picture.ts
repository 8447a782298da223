/** The machine at one stop of the plan: what lies where, and what moves. */
import { Exchange, type Machine, type Place } from 'cipherloom/layout';
import * as format from '../format.js';
import { s } from '../ui/dom.js';
import { type Box, floorPlan } from './floor-plan.js';
import { ownerClass, ownerPattern, patterns } from './owners.js';
import { corePlace, type Held, type Move, type Stop } from './walk.js';

/** Width of a letter. */
const LETTER = 6.3;
/** How far below cores the ways between them are drawn to. */
const DEPTH = 42;
const IDS = 'layout-machine';

/** The picture, within a width where that can be. */
export function machinePicture(
  on: Machine,
  { moves, held }: Stop,
  width: number,
  title: string,
): SVGSVGElement {
  const plan = floorPlan(on, width);
  const svg = s('svg', {
    class: 'machine-picture',
    role: 'img',
    'aria-label': title,
    width: plan.width,
    height: plan.height,
    viewBox: `-1 -1 ${plan.width + 2} ${plan.height + 2}`,
    'data-testid': 'layout-machine-picture',
  });
  svg.append(patterns(IDS));
  const head = (kind: string): SVGElement =>
    s(
      'marker',
      {
        id: `${IDS}-${kind}`,
        class: kind,
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 6,
        markerHeight: 6,
        orient: 'auto',
      },
      s('path', { d: 'M0 0L8 4L0 8Z' }),
    );
  svg.querySelector('defs')!.append(head('access'), head('exchange'));
  for (const [index, box] of plan.clusters.entries())
    svg.append(
      s('rect', { class: 'cluster-box', ...box, rx: 10 }),
      s('text', { class: 'cluster-name', x: box.x + 10, y: box.y + 16 }, `Cluster ${index + 1}`),
    );
  const exchanged = moves.filter(({ level }) => level !== Exchange.None);
  const touched = new Set<Place>(moves.flatMap(({ core, place }) => [place, corePlace(core)]));
  // What concerns one core alone are lines, behind all places; what is exchanged goes from core to core, before them.
  for (const move of joined(moves.filter(({ level }) => level === Exchange.None))) {
    const [there, core] = [plan.places.get(move.place), plan.places.get(corePlace(move.core))];
    if (there !== undefined && core !== undefined)
      svg.append(
        arrow(straight(move.way === 'read' ? [there, core] : [core, there]), 'access', accessText(move)),
      );
  }
  for (const [place, box] of plan.places)
    svg.append(placeShape(place, box, held.get(place) ?? [], touched.has(place)));
  const named: SVGElement[] = [];
  const taken: Box[] = [];
  for (const move of joined(exchanged)) {
    const [from, to] = [plan.places.get(corePlace(move.from)), plan.places.get(corePlace(move.core))];
    if (from === undefined || to === undefined || from === to) continue;
    const way = bent([from, to]);
    svg.append(arrow(way, 'exchange', exchangeText(move)));
    // Names that would lie on another one are left to the table.
    const text = `${format.bytes(move.bytes)} · ${move.level}`;
    const box = nameBox(way, text);
    if (taken.some((other) => touch(box, other))) continue;
    taken.push(box);
    named.push(nameShape(box, text));
  }
  svg.append(...named);
  return svg;
}

/** Moves of one way between the same two, as one. */
function joined(moves: readonly Move[]): readonly Move[] {
  const all = new Map<string, Move>();
  for (const move of moves) {
    const key = [move.core, move.way, move.place, move.from, move.level].join();
    const before = all.get(key);
    all.set(
      key,
      before === undefined
        ? move
        : { ...before, datum: `${before.datum}, ${move.datum}`, bytes: before.bytes + move.bytes },
    );
  }
  return [...all.values()];
}

/** `core 2 reads i1 from mem1: 512 B`. */
export function accessText({ core, way, place, datum, bytes }: Move): string {
  return way === 'read'
    ? `core ${core + 1} reads ${datum} from ${place}: ${format.bytes(bytes)}`
    : `core ${core + 1} writes ${datum} to ${place}: ${format.bytes(bytes)}`;
}

/** `core 2 to core 1: o2, 8 B, level core, through cluster1`. */
export function exchangeText({ core, from, place, datum, bytes, level }: Move): string {
  return `core ${from + 1} to core ${core + 1}: ${datum}, ${format.bytes(bytes)}, level ${level}, through ${place}`;
}

function placeShape(place: Place, box: Box, held: readonly Held[], touched: boolean): SVGElement {
  const core = /^core(\d+)$/.exec(place);
  const number = core === null ? undefined : Number(core[1]) - 1;
  const kind = number === undefined ? 'store' : ownerClass(number);
  const bytes = held.reduce((sum, one) => sum + one.bytes, 0);
  const name =
    number === undefined
      ? place.replace(/^cluster/, 'cache ').replace(/^mem/, 'memory ')
      : `core ${number + 1}`;
  const names = held.map((one) => one.name);
  const group = s(
    'g',
    { class: touched ? `place ${kind} touched` : `place ${kind}`, 'data-place': place, 'data-bytes': bytes },
    s('title', {}, `${name}: ${names.join(', ') || 'nothing'}; ${format.bytes(bytes)}`),
    s('rect', { class: 'fill', ...box, rx: number === undefined ? 4 : 8 }),
  );
  if (number !== undefined) {
    const over = ownerPattern(number, IDS);
    if (over !== undefined) group.append(s('rect', { ...box, rx: 8, fill: over }));
  }
  const line = (y: number, type: string, text: string): SVGElement =>
    s('text', { class: type, x: box.x + 8, y: box.y + y }, text);
  const room = Math.floor((box.width - 16) / LETTER);
  const amount = bytes === 0 ? '' : format.bytes(bytes);
  group.append(line(17, 'place-name', name));
  group.append(
    s('text', { class: 'amount', x: box.x + box.width - 8, y: box.y + 17, 'text-anchor': 'end' }, amount),
  );
  const [first, rest] = wrapped(names, room);
  group.append(line(34, 'held', first));
  if (box.height > 55) group.append(line(50, 'held', cut(rest, room)));
  else if (rest !== '') group.lastElementChild!.textContent = cut(`${first} ${rest}`, room);
  return group;
}

/** As many names as a line has room for, and the others. */
function wrapped(names: readonly string[], room: number): readonly [string, string] {
  let [first, at] = ['', 0];
  for (; at < names.length; at++) {
    const longer = first === '' ? names[at]! : `${first} ${names[at]}`;
    if (longer.length > room && first !== '') break;
    first = longer;
  }
  return [cut(first, room), names.slice(at).join(' ')];
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`;
}

type Ends = readonly [Box, Box];

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A quadratic curve. */
interface Way {
  readonly from: Point;
  readonly middle: Point;
  readonly to: Point;
}

function arrow({ from, middle, to }: Way, kind: string, text: string): SVGElement {
  return s(
    'path',
    {
      class: `arrow ${kind}`,
      d: `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`,
      'marker-end': `url(#${IDS}-${kind})`,
    },
    s('title', {}, text),
  );
}

/** Where a way's name stands: at its middle. */
function nameBox({ from, middle, to }: Way, text: string): Box {
  const [x, y] = [(from.x + 2 * middle.x + to.x) / 4, (from.y + 2 * middle.y + to.y) / 4];
  const width = text.length * LETTER + 10;
  return { x: x - width / 2, y: y - 8, width, height: 17 };
}

function nameShape(box: Box, text: string): SVGElement {
  return s(
    'g',
    { class: 'arrow-name' },
    s('rect', { ...box, rx: 8 }),
    s('text', { x: box.x + box.width / 2, y: box.y + 12, 'text-anchor': 'middle' }, text),
  );
}

function touch(a: Box, b: Box): boolean {
  return (
    Math.abs(a.x + a.width / 2 - b.x - b.width / 2) < (a.width + b.width) / 2 + 4 &&
    Math.abs(a.y - b.y) < a.height + 2
  );
}

/** From the edge of one box to that of another. */
function straight([a, b]: Ends): Way {
  const [start, end] = [centre(a), centre(b)];
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
  return { from: edge(a, end), middle, to: edge(b, start) };
}

/** Between cores: of one row through the lane below it, else from edge to edge with a bend. */
function bent([a, b]: Ends): Way {
  const [start, end] = [centre(a), centre(b)];
  if (start.y === end.y) {
    const way = Math.sign(end.x - start.x);
    const bottom = a.y + a.height + 1;
    const from = { x: start.x + way * a.width * 0.22, y: bottom };
    const to = { x: end.x - way * b.width * 0.22, y: bottom + 2 };
    return { from, middle: { x: (from.x + to.x) / 2, y: bottom + DEPTH }, to };
  }
  const middle = { x: (start.x + end.x) / 2 + (end.y - start.y) * 0.12, y: (start.y + end.y) / 2 };
  return { from: edge(a, middle), middle, to: edge(b, middle) };
}

function centre({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Where the way from a box's centre to a point leaves it. */
function edge(box: Box, to: Point): Point {
  const from = centre(box);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.min(
    dx === 0 ? Infinity : (box.width / 2 + 2) / Math.abs(dx),
    dy === 0 ? Infinity : (box.height / 2 + 2) / Math.abs(dy),
    1,
  );
  return { x: from.x + dx * share, y: from.y + dy * share };
}
