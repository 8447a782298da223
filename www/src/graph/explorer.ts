/** The graph view: stages, picture, inspector, search and waves of one program. */
import { type Program, type Stage, STAGES } from 'cipherloom';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import { byId, h } from '../ui/dom.js';
import { Diagram } from './diagram.js';
import { Inspector } from './inspector.js';
import { KIND_TITLES, kindOf, KINDS } from './kinds.js';
import { LayoutClient } from './layout-client.js';
import { shapeOf } from './measure.js';
import { openDownTo, Openings, openTo, pictureOf } from './picture.js';
import { BASE, nodeId, type NodeId, opOf, ProgramGraphs, stageOf } from './program-graphs.js';
import { Waves } from './waves.js';

const TITLES: Readonly<Record<Stage, string>> = {
  task: 'Task',
  scheme: 'Scheme',
  polynomial: 'Polynomials',
  base: 'Base',
};
const MEANINGS: Readonly<Record<Stage, string>> = {
  task: 'What you asked for.',
  scheme: 'Operations on ciphertexts.',
  polynomial: 'Operations on polynomials modulo several primes.',
  base: 'What runs: operations on polynomials modulo one prime.',
};
/** Milliseconds after which a layout is said to take its time. */
const PATIENCE = 250;

export class Explorer {
  readonly #layout = new LayoutClient();
  readonly #openings = new Openings();
  readonly #diagram: Diagram;
  readonly #inspector: Inspector;
  readonly #waves: Waves;
  readonly #tabs: readonly HTMLButtonElement[];
  #program: Program | undefined;
  #graphs: ProgramGraphs | undefined;
  #stage = 0;
  #selected: NodeId | undefined;
  #found: { readonly stage: number; readonly type: string } | undefined;

  constructor() {
    const events = {
      select: (node: NodeId): void => void this.#select(node),
      toggle: (node: NodeId): void => void this.#toggle(node),
      turn: (node: NodeId, page: number): void => void this.#turn(node, page),
    };
    this.#diagram = new Diagram(byId('diagram'), byId('diagram-tools'), events);
    this.#inspector = new Inspector(byId('inspector'), events);
    this.#waves = new Waves(byId('waves'), (wave, ops) => {
      this.#found = undefined;
      this.#inspector.showWave(wave, ops, BASE, this.#graphs!);
    });
    this.#tabs = STAGES.map((stage, index) => this.#tab(stage, index));
    byId('stages').append(...this.#tabs);
    byId('stages').addEventListener('keydown', (event) => this.#tabKey(event));
    byId('search').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#search(byId<HTMLInputElement>('search-type').value.trim());
    });
  }

  /** Shows another program, from the task on. */
  show(program: Program): void {
    this.#program = program;
    this.#graphs = new ProgramGraphs(program);
    this.#openings.closeAll();
    this.#selected = undefined;
    this.#found = undefined;
    this.#inspector.showHelp();
    byId('explorer').hidden = false;
    for (const { stage, operators } of program.stats()) {
      this.#tabs[STAGES.indexOf(stage)]!.querySelector('.count')!.textContent = format.count(operators);
    }
    void this.#go(this.#stage);
  }

  /** Names of the base operators' types, by operator: for the timeline. */
  async baseTypes(): Promise<(op: number) => string> {
    const graphs = this.#graphs!;
    await graphs.load(BASE);
    return (op) => graphs.at(BASE)!.type(op);
  }

  /** Selects an operator, opening what it lies in. */
  async reveal(stage: Stage, op: number): Promise<void> {
    await this.#select(nodeId(STAGES.indexOf(stage), op));
    byId('explorer').scrollIntoView({ block: 'start' });
  }

  repaint(): void {
    this.#waves.repaint();
  }

  // ----------------------------------------------------------------------------------------------- stages

  #tab(stage: Stage, index: number): HTMLButtonElement {
    return h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `stage-tab-${stage}`,
        'aria-controls': 'stage-panel',
        'data-testid': `stage-${stage}`,
        click: () => void this.#go(index),
      },
      TITLES[stage],
      ' ',
      h('span', { class: 'count' }),
    );
  }

  #tabKey(event: KeyboardEvent): void {
    const moves: Record<string, number> = {
      ArrowRight: this.#stage + 1,
      ArrowLeft: this.#stage - 1,
      Home: 0,
      End: BASE,
    };
    const to = moves[event.key];
    if (to === undefined || to < 0 || to > BASE) return;
    event.preventDefault();
    this.#tabs[to]!.focus();
    void this.#go(to);
  }

  /** Opens the program down to a stage. */
  async #go(stage: number): Promise<void> {
    this.#stage = stage;
    for (const [index, tab] of this.#tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === stage));
      tab.tabIndex = index === stage ? 0 : -1;
    }
    delete byId('diagram').dataset['stage'];
    byId('stage-panel').setAttribute('aria-labelledby', `stage-tab-${STAGES[stage]}`);
    await this.#work(async (graphs) => {
      await graphs.load(stage + 1);
      const closed = openDownTo(stage, graphs, this.#openings);
      this.#describe(graphs, closed);
      byId('waves').hidden = stage !== BASE;
      if (stage === BASE) this.#waves.show(graphs.at(BASE)!);
      this.#offerTypes(graphs);
      if (!(await this.#draw(graphs))) return;
      this.#diagram.showStart(stage);
      byId('diagram').dataset['stage'] = STAGES[stage]!;
    });
  }

  #describe(graphs: ProgramGraphs, closed: number): void {
    const stage = STAGES[this.#stage]!;
    const { operators, depth } = this.#program!.stats().find((one) => one.stage === stage)!;
    const kept =
      closed === 0 ? '' : ` ${format.plural(closed, 'group')} stayed closed, so that it can be read.`;
    byId('stage-note').textContent =
      `${MEANINGS[stage]} ${format.plural(operators, 'operator')}, the longest chain has ${format.count(depth)}.${kept}`;
    byId('explorer').dataset['stage'] = stage;
    byId('explorer').dataset['operators'] = String(graphs.at(this.#stage)!.size);
  }

  #offerTypes(graphs: ProgramGraphs): void {
    byId('search-types').replaceChildren(
      ...graphs
        .at(this.#stage)!
        .typeCounts()
        .map(({ type, count }) => h('option', { value: type }, `${format.count(count)} times`)),
    );
  }

  // -------------------------------------------------------------------------------------------- operators

  async #toggle(node: NodeId): Promise<void> {
    await this.#work(async (graphs) => {
      if (this.#openings.isOpen(node)) this.#openings.close(node);
      else this.#openings.open(node);
      await this.#draw(graphs);
      this.#inspect(graphs);
    });
  }

  async #turn(node: NodeId, page: number): Promise<void> {
    if (!this.#openings.isOpen(node) || page < 0) return;
    await this.#work(async (graphs) => {
      this.#openings.open(node, page);
      await this.#draw(graphs);
    });
  }

  async #select(node: NodeId): Promise<void> {
    await this.#work(async (graphs) => {
      await graphs.load(stageOf(node) + 1);
      this.#selected = node;
      if (!this.#diagram.has(node)) {
        openTo(node, graphs, this.#openings);
        await this.#draw(graphs);
      }
      this.#inspect(graphs);
      this.#mark(graphs);
      this.#diagram.bringIntoView(node);
    });
  }

  #inspect(graphs: ProgramGraphs): void {
    if (this.#selected === undefined) return;
    this.#inspector.show(this.#selected, graphs, this.#openings.isOpen(this.#selected));
  }

  async #search(type: string): Promise<void> {
    if (type === '') return;
    await this.#work(async (graphs) => {
      await graphs.load(BASE);
      const has = (stage: number): boolean => graphs.at(stage)!.ofType(type).length > 0;
      const stage = has(this.#stage) ? this.#stage : STAGES.findIndex((_, index) => has(index));
      if (stage < 0) {
        byId('stage-note').textContent = `No operator of this program is of type ${type}.`;
        return;
      }
      this.#found = { stage, type };
      this.#inspector.showFound(type, stage, graphs);
      this.#mark(graphs);
    });
  }

  // ---------------------------------------------------------------------------------------------- drawing

  /** Draws what is open; false if something else is to be drawn meanwhile. */
  async #draw(graphs: ProgramGraphs): Promise<boolean> {
    await graphs.load(this.#openings.deepest + 1);
    const picture = pictureOf(graphs, this.#openings);
    const slow = setTimeout(() => byId('diagram').setAttribute('aria-busy', 'true'), PATIENCE);
    const placed = await this.#layout.layOut(shapeOf(picture));
    clearTimeout(slow);
    if (placed === undefined || graphs !== this.#graphs) return false;
    byId('diagram').removeAttribute('aria-busy');
    this.#diagram.draw(picture, placed);
    this.#explainColors(graphs);
    this.#mark(graphs);
    return true;
  }

  /** The legend: kinds that occur in the stages that are visible. */
  #explainColors(graphs: ProgramGraphs): void {
    const stages = STAGES.slice(0, Math.max(this.#openings.deepest, this.#stage) + 1);
    const types = stages.flatMap((_, stage) => graphs.at(stage)!.view.types);
    const kinds = new Set(types.map(kindOf));
    const lines = KINDS.filter((kind) => kinds.has(kind));
    byId('legend').replaceChildren(
      ...lines.map((kind) => h('li', { class: `kind-${kind}` }, KIND_TITLES[kind])),
    );
  }

  #mark(graphs: ProgramGraphs): void {
    const selected = this.#selected;
    const visible = (node: NodeId): NodeId | undefined =>
      [...graphs.ancestors(node), node].findLast((one) => this.#diagram.has(one));
    const all = (stage: number, ops: Iterable<number>): Set<NodeId> => {
      const nodes = Array.from(ops, (op) => visible(nodeId(stage, op)));
      return new Set(nodes.filter((node) => node !== undefined));
    };
    const graph = selected === undefined ? undefined : graphs.of(selected);
    const stage = selected === undefined ? 0 : stageOf(selected);
    const producers = graph === undefined ? [] : [...graph.inputs(opOf(selected!))].filter((op) => op >= 0);
    const readers = graph === undefined ? [] : graph.readers(opOf(selected!));
    const found = this.#found;
    this.#diagram.mark({
      selected,
      producers: all(stage, producers),
      readers: all(stage, readers),
      found: found === undefined ? new Set() : all(found.stage, graphs.at(found.stage)!.ofType(found.type)),
    });
    if (this.#stage === BASE && graphs.at(BASE) !== undefined) {
      const isBase = selected !== undefined && stage === BASE;
      this.#waves.mark(isBase ? opOf(selected) : undefined, producers, readers);
    }
  }

  /** Does something with the program's graphs, unless another program comes meanwhile. */
  async #work(action: (graphs: ProgramGraphs) => Promise<void>): Promise<void> {
    const graphs = this.#graphs;
    if (graphs === undefined) return;
    try {
      await action(graphs);
    } catch (error) {
      if (graphs !== this.#graphs) return;
      const { sentence, code } = failureOf(error, 'drawing');
      byId('stage-note').textContent = `The graph cannot be shown: ${sentence} (${code})`;
    }
  }
}
