/**
 * The shared graph as it is cut: a lane for each party, time downwards. What is in one's own lane is computed here; of the others everybody knows the
 * operators, since the graph is no secret, and of their values those alone that cross.
 */
import type { GraphView } from 'cipherloom';
import type { Crossing, Cut, SharedGraph } from 'cipherloom/parties';
import { h, s } from '../ui/dom.js';

const [BOX, ROW, PAD, GAP, TOP] = [26, 54, 14, 10, 30];
/** Width of a letter of a box's text. */
const LETTER = 6.4;

interface Node {
  readonly text: string;
  readonly party: string;
  readonly wave: number;
  readonly kind: 'input' | 'operator' | 'output';
  /** In the shared graph: inputs first, then operators; outputs have none. */
  readonly number: number | undefined;
  readonly width: number;
  x: number;
  y: number;
}

interface Edge {
  readonly from: Node;
  readonly to: Node;
  /** Where it goes from one party to another. */
  readonly crossing: Crossing | undefined;
}

/** What is drawn, of cuts by everybody: a graph tells who has what, since all may cut it. */
export async function cutPicture(shared: SharedGraph, own: Cut): Promise<HTMLElement> {
  const circuit = await shared.circuit();
  const cuts = await Promise.all(
    shared.parties.map((party) => (party === own.party ? own : shared.cut(party))),
  );
  try {
    const view = await circuit.graph();
    const nodes = nodesOf(shared, view, cuts);
    const edges = edgesOf(shared, view, nodes, cuts);
    return drawn(shared.parties, own, place(shared.parties, nodes), edges);
  } finally {
    circuit.dispose();
    for (const cut of cuts) if (cut !== own) cut.dispose();
  }
}

/** Inputs, then operators, then outputs. */
function nodesOf(shared: SharedGraph, view: GraphView, cuts: readonly Cut[]): Node[] {
  const owner = (op: number): string => cuts.find(({ own }) => own.includes(op))?.party ?? shared.parties[0]!;
  const node = (text: string, party: string, wave: number, kind: Node['kind'], number?: number): Node => {
    const short = text.replace(`${party}: `, '').replace(/^u64\./, '');
    return {
      text: short,
      party,
      wave,
      kind,
      number,
      width: Math.max(52, short.length * LETTER + 18),
      x: 0,
      y: 0,
    };
  };
  const waves = Math.max(0, ...view.wave) + 1;
  return [
    ...shared.inputs.map(({ name, party }, number) => node(name, party, 0, 'input', number)),
    ...Array.from(view.type, (type, op) =>
      node(view.types[type]!, owner(op), view.wave[op]! + 1, 'operator', shared.inputs.length + op),
    ),
    ...shared.outputs.map(({ name, party }) => node(name, party, waves + 1, 'output')),
  ];
}

function edgesOf(shared: SharedGraph, view: GraphView, nodes: readonly Node[], cuts: readonly Cut[]): Edge[] {
  const inputs = shared.inputs.length;
  const at = (producer: number): Node => nodes[producer < 0 ? -producer - 1 : inputs + producer]!;
  const edges: Edge[] = [];
  const add = (from: Node, to: Node): void => {
    const crossing =
      from.party === to.party
        ? undefined
        : cuts
            .flatMap(({ sends }) => sends)
            .find(({ number, to: party }) => number === from.number && party === to.party);
    if (!edges.some((edge) => edge.from === from && edge.to === to)) edges.push({ from, to, crossing });
  };
  for (let op = 0; op < view.type.length; op++)
    for (const producer of view.inputs.subarray(view.inputsStart[op], view.inputsStart[op + 1]))
      add(at(producer), nodes[inputs + op]!);
  for (const [index, { op }] of view.outputs.entries())
    add(at(op), nodes[inputs + view.type.length + index]!);
  return edges;
}

interface Placed {
  readonly nodes: readonly Node[];
  /** Left end and width of each lane. */
  readonly lanes: readonly { readonly x: number; readonly width: number }[];
  readonly height: number;
}

/** Waves downwards; in a lane those of one wave beside each other. */
function place(parties: readonly string[], nodes: readonly Node[]): Placed {
  const rows = [...new Set(nodes.map(({ wave }) => wave))].sort((a, b) => a - b);
  const rowOf = (party: string, wave: number): Node[] =>
    nodes.filter((node) => node.party === party && node.wave === wave);
  const widthOf = (row: readonly Node[]): number => row.reduce((sum, { width }) => sum + width + GAP, -GAP);
  let left = 0;
  const lanes = parties.map((party) => {
    const width = Math.max(120, ...rows.map((wave) => widthOf(rowOf(party, wave)))) + 2 * PAD;
    const lane = { x: left, width };
    for (const [index, wave] of rows.entries()) {
      const row = rowOf(party, wave);
      let x = left + (width - widthOf(row)) / 2;
      for (const node of row) {
        node.x = x;
        node.y = TOP + PAD + index * ROW;
        x += node.width + GAP;
      }
    }
    left += width + GAP;
    return lane;
  });
  return { nodes, lanes, height: TOP + 2 * PAD + (rows.length - 1) * ROW + BOX };
}

function drawn(
  parties: readonly string[],
  own: Cut,
  { nodes, lanes, height }: Placed,
  edges: readonly Edge[],
): HTMLElement {
  const width = lanes.at(-1)!.x + lanes.at(-1)!.width;
  const svg = s('svg', {
    class: 'cut-picture',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': `The graph of ${parties.join(', ')}: ${edges.filter(({ crossing }) => crossing).length} edges go from one party to another`,
    'data-testid': 'together-cut',
  });
  for (const [index, { x, width }] of lanes.entries()) {
    const party = parties[index]!;
    svg.append(
      s('rect', { class: party === own.party ? 'lane own' : 'lane', x, y: 0, width, height, rx: 10 }),
      s(
        'text',
        { class: 'lane-name', x: x + PAD, y: 20 },
        party === own.party ? `${party} (this tab)` : party,
      ),
    );
  }
  for (const edge of edges) svg.append(line(edge, own.party));
  for (const node of nodes) svg.append(box(node, own));
  return h(
    'div',
    { class: 'cut-frame scroll', tabindex: 0, role: 'region', 'aria-label': 'The graph, cut by party' },
    svg,
  );
}

function line({ from, to, crossing }: Edge, own: string): SVGElement {
  const [x, y, toX, toY] = [from.x + from.width / 2, from.y + BOX, to.x + to.width / 2, to.y];
  const bend = Math.max(14, (toY - y) / 2);
  const mine = from.party === own || to.party === own;
  const kind = crossing === undefined ? 'edge' : from.party === own ? 'edge crosses leaves' : 'edge crosses';
  const path = s('path', {
    class: mine ? kind : `${kind} far`,
    d: `M${x} ${y}C${x} ${y + bend} ${toX} ${toY - bend} ${toX} ${toY}`,
  });
  if (crossing !== undefined)
    path.append(
      s(
        'title',
        {},
        `${crossing.producer}: ${crossing.type}, ${crossing.bytes} bytes from ${crossing.from} to ${crossing.to}`,
      ),
    );
  return path;
}

function box({ text, party, kind, number, x, y, width }: Node, own: Cut): SVGElement {
  const near = party === own.party || own.interactions.some((interaction) => interaction.number === number);
  return s(
    'g',
    { class: `node ${kind} ${party === own.party ? 'own' : near ? 'near' : 'far'}` },
    s('rect', { x, y, width, height: BOX, rx: kind === 'operator' ? 6 : 13 }),
    s('text', { x: x + width / 2, y: y + 17, 'text-anchor': 'middle' }, text),
  );
}
