/** All about one operator: what it reads and writes, who wrote and who reads that, and what it became. */
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { kindOf } from './kinds.js';
import type { Covered, Interval, OperatorSets } from './sets.js';
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

/** What can be asked for here. */
export interface InspectorEvents {
  select(node: NodeId): void;
  toggle(node: NodeId): void;
}

/** What is not known of every graph, or cannot be done with it. */
export interface Extras {
  /** Who waits for whom, to the unit. */
  readonly sets: OperatorSets | undefined;
  /** What boxes are coloured by, and what that is here. */
  readonly told: readonly [title: string, text: string] | undefined;
  readonly actions: readonly HTMLElement[];
}

/** Made when they are shown: there can be many. */
interface Entries {
  readonly length: number;
  at(index: number): HTMLElement;
}

/** Definitions of all operators, loaded when the first one is shown. */
let docs: ReadonlyMap<string, { readonly file: string; readonly text: string } | undefined> | undefined;

const FIRST_SHOWN = 12;
const MORE_SHOWN = 100;
/** Pieces of an operand that are told one by one. */
const MOST_INTERVALS = 4;

export class Inspector {
  readonly #host: HTMLElement;
  readonly #events: InspectorEvents;
  /** The last list of operators, to come back to. */
  #list: { readonly title: string; readonly note: string; readonly entries: Entries } | undefined;

  constructor(host: HTMLElement, events: InspectorEvents) {
    this.#host = host;
    this.#events = events;
  }

  /** What to do when nothing is selected. */
  showHelp(): void {
    this.#list = undefined;
    this.#replace(
      h('h3', { tabindex: -1 }, 'Follow an operand'),
      h(
        'p',
        { class: 'note' },
        'Select an operator to see which operands it reads and writes, where they lie in the program’s storage, ' +
          'who wrote them and who reads them.',
      ),
      h(
        'p',
        { class: 'note' },
        'Open a box with its + sign, a double click or the space bar. Arrow keys walk from box to box, Enter selects.',
      ),
    );
  }

  show(node: NodeId, graphs: StagedGraphs, isOpen: boolean, { sets, told, actions }: Extras): void {
    const graph = graphs.of(node);
    const op = opOf(node);
    const stage = stageOf(node);
    const attributes = graph.attributes(op);
    const outputs = graph.view.outputs.filter((output) => output.op === op);
    const sinks = outputs.map(({ name }) => h('span', { class: 'port-name' }, `output ${name}`));
    this.#replace(
      ...this.#back(),
      h('p', { class: 'path' }, ...this.#path(node, graphs)),
      h('h3', { class: `kind-${kindOf(graph.type(op))}`, tabindex: -1 }, graph.type(op), ` #${op}`),
      ...(attributes === '' ? [] : [h('p', { class: 'attributes' }, h('code', {}, attributes))]),
      h(
        'dl',
        { class: 'facts' },
        h('dt', {}, 'Writes'),
        h('dd', {}, placeholder(graph.placeholder(op))),
        h('dt', {}, 'Size'),
        h('dd', {}, sizeOf(graph.placeholder(op), graphs.unit)),
        ...(stage === graphs.last
          ? [h('dt', {}, 'Wave'), h('dd', {}, `${graph.view.wave[op]}, the earliest it can run in`)]
          : []),
        ...(told === undefined ? [] : [h('dt', {}, told[0]), h('dd', { 'data-testid': 'told' }, told[1])]),
      ),
      this.#definition(graph.type(op)),
      ...actions,
      ...(sets === undefined
        ? this.#operands(op, stage, graphs, sinks)
        : this.#sets(op, stage, graphs, sets, sinks)),
      ...this.#lowered(node, graphs, isOpen),
    );
    this.#host.dataset['node'] = String(node);
  }

  /** What the operator is, once that is loaded; nothing for one of the visitor's own. */
  #definition(type: string): HTMLElement {
    const host = h('div', { class: 'definition', 'data-testid': 'definition' });
    const fill = (): void => {
      const doc = docs?.get(type);
      if (doc !== undefined)
        host.replaceChildren(
          h(
            'details',
            {},
            h('summary', {}, 'Definition'),
            ...paragraphs(doc.text),
            h('p', { class: 'note' }, 'Defined in ', h('code', {}, doc.file)),
          ),
        );
    };
    if (docs !== undefined) fill();
    else
      void import('virtual:operator-docs').then(
        ({ DOCS }) => {
          docs = DOCS;
          fill();
        },
        // Without them the operator is shown all the same; the next one asks again.
        () => {},
      );
    return host;
  }

  #operands(op: number, stage: number, graphs: StagedGraphs, sinks: readonly HTMLElement[]): HTMLElement[] {
    const graph = graphs.at(stage)!;
    const sources = Array.from(graph.inputs(op), (producer) => this.#source(producer, stage, graphs));
    const readers = graph.readers(op).map((reader) => this.#link(nodeId(stage, reader), graphs));
    return [
      section('Dependency set', 'producer', sources, 'waits for nobody'),
      section('Notification set', 'reader', [...readers, ...sinks], 'nobody waits for it'),
    ];
  }

  /** Dependency set and notification set, each with the units that they meet in. */
  #sets(
    op: number,
    stage: number,
    graphs: StagedGraphs,
    sets: OperatorSets,
    sinks: readonly HTMLElement[],
  ): HTMLElement[] {
    const entry = ({ op: other, units }: Covered): HTMLElement =>
      this.#operand(nodeId(stage, other), graphs, intervals(units));
    const outside = sets
      .inputs(op)
      .map(({ name, units }) =>
        h(
          'span',
          { class: 'port-name' },
          name === undefined ? 'no one: ' : `input ${name} `,
          intervals(units),
        ),
      );
    return [
      section('Dependency set', 'producer', sets.dependencies(op).map(entry), 'waits for nobody'),
      ...(outside.length === 0 ? [] : [section('Reads from outside', 'outside', outside)]),
      section('Notification set', 'reader', sets.notifications(op).map(entry), 'nobody waits for it'),
      ...(sinks.length === 0 ? [] : [section('Outputs', 'outside', sinks)]),
    ];
  }

  /** Lists the operators that were found. */
  showFound(text: string, found: ArrayLike<number>, stage: number, graphs: StagedGraphs): void {
    const title = `${text}: ${format.plural(found.length, 'operator')}`;
    const note = `At the stage ${graphs.name(stage)}. Select one to find its place.`;
    this.#showList(title, note, this.#links(found, stage, graphs));
  }

  /** Lists the operators of one wave. */
  showWave(wave: number, ops: Uint32Array, stage: number, graphs: StagedGraphs): void {
    const title = `Wave ${wave}: ${format.plural(ops.length, 'operator')}`;
    const note = 'None of them waits for another: they may all run at once.';
    this.#showList(title, note, this.#links(ops, stage, graphs));
  }

  #showList(title: string, note: string, entries: Entries): void {
    this.#list = { title, note, entries };
    this.#replace(h('h3', { tabindex: -1 }, title), h('p', { class: 'note' }, note), list(entries));
  }

  /** Puts contents in place; the focus, if it was here, goes to their heading. */
  #replace(...contents: readonly HTMLElement[]): void {
    const hadFocus = this.#host.contains(document.activeElement);
    this.#host.replaceChildren(...contents);
    this.#host.scrollTop = 0;
    if (hadFocus) this.#host.querySelector('h3')!.focus();
  }

  #back(): HTMLElement[] {
    const last = this.#list;
    if (last === undefined) return [];
    const back = (): void => this.#showList(last.title, last.note, last.entries);
    return [h('p', { class: 'path' }, button(`‹ ${last.title}`, back, { class: 'link' }))];
  }

  /** Where the operator came from, stage by stage. */
  #path(node: NodeId, graphs: StagedGraphs): (Node | string)[] {
    const ancestors = graphs.ancestors(node);
    if (ancestors.length === 0 && stageOf(node) > 0)
      return [`${graphs.name(stageOf(node))} stage: ${ADDED_NOTE}`];
    const links = ancestors.flatMap((ancestor) => {
      const text = `${graphs.type(ancestor)} #${opOf(ancestor)}`;
      return [button(text, () => this.#events.select(ancestor), { class: 'link' }), ' › '];
    });
    return [...links, h('span', { class: 'stage' }, `${graphs.name(stageOf(node))} stage`)];
  }

  #source(producer: number, stage: number, graphs: StagedGraphs): HTMLElement {
    if (producer >= 0) return this.#link(nodeId(stage, producer), graphs);
    return h('span', { class: 'port-name' }, `input ${graphs.at(stage)!.view.inputNames[-producer - 1]}`);
  }

  #links(ops: ArrayLike<number>, stage: number, graphs: StagedGraphs): Entries {
    return { length: ops.length, at: (index) => this.#link(nodeId(stage, ops[index]!), graphs) };
  }

  #link(node: NodeId, graphs: StagedGraphs): HTMLElement {
    return this.#operand(node, graphs, placeholder(graphs.of(node).placeholder(opOf(node))));
  }

  /** An operator, and units of its operand. */
  #operand(node: NodeId, graphs: StagedGraphs, units: HTMLElement): HTMLElement {
    const op = opOf(node);
    const graph = graphs.of(node);
    return h(
      'span',
      { class: `operand kind-${kindOf(graph.type(op))}` },
      button(`${graph.type(op)} #${op}`, () => this.#events.select(node), { class: 'link' }),
      ' ',
      units,
    );
  }

  #lowered(node: NodeId, graphs: StagedGraphs, isOpen: boolean): HTMLElement[] {
    const stage = stageOf(node);
    const next = graphs.at(stage + 1);
    if (next === undefined)
      return stage === graphs.last && graphs.endsAtBase ? [h('p', { class: 'note' }, BASE_NOTE)] : [];
    const children = graphs.children(node);
    const title = h('h4', {}, `At the ${graphs.name(stage + 1)} stage`);
    if (children.length === 0) return [title, h('p', { class: 'note' }, SHARED_NOTE)];
    const counts = new Map<string, number>();
    for (const child of children) counts.set(graphs.type(child), (counts.get(graphs.type(child)) ?? 0) + 1);
    const [start, end] = graphs.of(node).placeholder(opOf(node));
    const writers = this.#links(next.writersWithin(start, end), stage + 1, graphs);
    return [
      title,
      h(
        'p',
        { class: 'note' },
        [...counts]
          .sort((a, b) => b[1] - a[1])
          .map(([type, times]) => `${format.count(times)} × ${type}`)
          .join(', '),
      ),
      button(isOpen ? 'Close in the picture' : 'Open in the picture', () => this.#events.toggle(node), {
        class: 'small',
      }),
      h('p', { class: 'note' }, 'What it writes, in its parts:'),
      list(writers),
    ];
  }
}

/** A comment's paragraphs; what stands between backticks is code, and so is a formula in a line of its own. */
function paragraphs(text: string): HTMLElement[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) =>
      h(
        'p',
        {},
        ...paragraph.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part)),
      ),
    );
}

const BASE_NOTE = 'A base operator: this is what runs.';
const ADDED_NOTE = 'came from no single operator of the stage above, but joins the work of several.';
const SHARED_NOTE = 'None of its own: other operators do the same work, so it is done once.';

/** Where an operand lies: [start, end). */
function placeholder([start, end]: readonly [number, number]): HTMLElement {
  return h('code', { class: 'placeholder' }, `[${format.count(start)}, ${format.count(end)})`);
}

function intervals(units: readonly Interval[]): HTMLElement {
  const shown = units
    .slice(0, MOST_INTERVALS)
    .map(([start, end]) => `[${format.count(start)}, ${format.count(end)})`);
  const more =
    units.length > MOST_INTERVALS ? `, and ${format.count(units.length - MOST_INTERVALS)} more` : '';
  return h('code', { class: 'placeholder' }, `${shown.join(' + ')}${more}`);
}

function sizeOf([start, end]: readonly [number, number], unit: number): string {
  const bits = (end - start) * unit;
  const size = bits % 8 === 0 ? format.bytes(bits / 8) : format.plural(bits, 'bit');
  return `${format.plural(end - start, 'unit')}, ${size}`;
}

function section(
  title: string,
  role: string,
  entries: readonly HTMLElement[],
  none = 'nothing',
): HTMLElement {
  return h(
    'div',
    { class: `operands ${role}` },
    h('h4', {}, `${title} (${format.count(entries.length)})`),
    entries.length === 0
      ? h('p', { class: 'note' }, none)
      : list({ length: entries.length, at: (index) => entries[index]! }),
  );
}

/** A list that shows its first entries, and more when asked. */
function list(entries: Entries): HTMLElement {
  const items = h('ul', { class: 'entries' });
  const wrapper = h('div', {}, items);
  let shown = 0;
  const more = button('', () => add(MORE_SHOWN), { class: 'small' });
  const add = (number: number): void => {
    const end = Math.min(shown + number, entries.length);
    for (; shown < end; shown++) items.append(h('li', {}, entries.at(shown)));
    more.textContent = `Show more of ${format.count(entries.length)}`;
    if (shown === entries.length) more.remove();
  };
  add(FIRST_SHOWN);
  if (shown < entries.length) wrapper.append(more);
  return wrapper;
}
