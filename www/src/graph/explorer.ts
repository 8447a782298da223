/** The graph view: stages, picture, inspector, search and waves. */
import type { TraceView } from 'cipherloom';
import { failureOf } from '../failure.js';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { Beside } from './beside.js';
import { Diagram } from './diagram.js';
import type { ExplorerFrame } from './explorer-frame.js';
import { FlatDiagram } from './flat-diagram.js';
import { type Extras, Inspector } from './inspector.js';
import { kinOf } from './kin.js';
import { KIND_TITLES, kindOf, KINDS } from './kinds.js';
import { LayoutClient } from './layout-client.js';
import { overlaidLooks } from './looks.js';
import { shapeOf } from './measure.js';
import { Hits } from './hits.js';
import { Minimap } from './minimap.js';
import { OVERLAYS } from './overlays/index.js';
import { type Ground, type Overlay, type OverlayKind, within } from './overlays/overlay.js';
import { classOf } from './overlays/tints.js';
import { pace, Superseded } from './pace.js';
import { expandAll, openDownTo, Openings, openTo, PictureCache, pictureOf, prepare } from './picture.js';
import { parseQuery, type Query, QueryError } from './search.js';
import type { OperatorSets } from './sets.js';
import { blobOf, jsonPieces, listing, pngOf, svgText } from './save.js';
import { saveFile } from '../ui/save-file.js';
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';
import { Waves } from './waves.js';

/** A stage that one can look at; those of one computation share their graphs. */
export interface Stop {
  readonly id: string;
  readonly title: string;
  /** A sentence and a space, or nothing. */
  readonly meaning: string;
  readonly operators: number;
  /** Length of the longest chain, if it is known. */
  readonly depth: number | undefined;
  readonly graphs: StagedGraphs;
  /** Index of the stage in them. */
  readonly stage: number;
  /** Whether its waves are of interest. */
  readonly waves: boolean;
  /** Who waits for whom, to the unit; undefined where producers and readers are all that is known. */
  readonly sets: (() => Promise<OperatorSets>) | undefined;
  /** The text that can be opened again; undefined where a stage has none. */
  readonly text: (() => Promise<string>) | undefined;
}

/** What others want to hear. */
export interface ExplorerEvents {
  /** A stage is shown. */
  stopped?(stop: Stop): void;
  /** An operator of that stage was selected. */
  selected?(stop: Stop, op: number): void;
  /** What can be done with an operator of that stage. */
  actions?(stop: Stop, op: number): readonly HTMLElement[];
}

/** Beside each other, more operators can be looked at only all at once. */
const MOST_BESIDE = 1000;
const ZOOM_STEP = 1.25;
/** Boxes of a picture that is saved: more are a file that no program opens. */
const MOST_SAVED = 5000;
/** Milliseconds after which a layout is said to take its time. */
const PATIENCE = 250;

export class Explorer {
  readonly #frame: ExplorerFrame;
  readonly #events: ExplorerEvents;
  readonly #layout = new LayoutClient();
  readonly #openings = new Openings();
  readonly #diagram: Diagram;
  readonly #flat: FlatDiagram;
  readonly #inspector: Inspector;
  readonly #waves: Waves;
  readonly #whole = button('All at once', () => this.#toggleWhole(), {
    class: 'small',
    'aria-pressed': 'false',
    'data-testid': 'whole',
  });
  readonly #saveSvg = this.#saveButton(
    'SVG',
    () => new Blob([this.#svg()], { type: 'image/svg+xml' }),
    'svg',
  );
  /** A menu, so that tools stay in one line. */
  readonly #saving = h(
    'details',
    { class: 'save-as', 'data-testid': 'save-as' },
    h('summary', { class: 'button' }, 'Save as'),
    h(
      'div',
      { class: 'save-menu' },
      this.#saveSvg,
      this.#saveButton('PNG', () => this.#png(), 'png'),
      this.#saveButton('Text', (stop, graphs) => this.#text(stop, graphs), 'txt'),
      this.#saveButton('JSON', (stop, graphs) => this.#json(stop, graphs), 'json'),
    ),
  );
  #stops: readonly Stop[] = [];
  #tabs: readonly HTMLButtonElement[] = [];
  /** Index of the stage that is shown. */
  #at = 0;
  /** Of the stage that is shown. */
  #sets: OperatorSets | undefined;
  #selected: NodeId | undefined;
  #hovered: NodeId | undefined;
  /** All operators of the stage are shown at once, instead of open and closed boxes. */
  #isFlat = false;
  /** A person asked for that. */
  #wantsFlat = false;
  #found: { readonly stage: number; readonly query: Query; readonly ops: Uint32Array } | undefined;
  /** Marks of what was found: they are the same until something else is. */
  #foundHits: Hits = Hits.NONE;
  readonly #pictures = new PictureCache();
  readonly #map: Minimap;
  /** The last run, and the graphs that ran. */
  #measured: { readonly graphs: StagedGraphs; readonly trace: TraceView } | undefined;
  #overlay: Overlay | undefined;
  #overlayKind: OverlayKind | undefined;
  /** The deepest stage that the overlay was made for. */
  #colouredTo = 0;
  /** Counts choices of colours: a newer one ends those before. */
  #colourings = 0;
  readonly #beside: Beside;
  /** What the selected operator came from, or became, by stage. */
  readonly #kin = new Map<number, Hits>();
  /** Counts pictures: a newer one ends those before. */
  #drawings = 0;
  /** Counts searches: a newer one ends those before. */
  #searches = 0;
  readonly #overlayChoice = h('select', {
    class: 'small',
    'aria-label': 'Colour boxes by',
    'data-testid': 'overlay',
    change: () => void this.#chooseOverlay(),
  });
  readonly #besideChoice = h('select', {
    class: 'small',
    'aria-label': 'Stage beside this one',
    'data-testid': 'beside',
    change: () => void this.#chooseBeside(),
  });
  readonly #expand = button('Open all', () => void this.#openAll(true), {
    class: 'small',
    'data-testid': 'expand-all',
  });
  readonly #collapse = button('Close all', () => void this.#openAll(false), {
    class: 'small',
    'data-testid': 'collapse-all',
  });

  constructor(frame: ExplorerFrame, events: ExplorerEvents = {}) {
    this.#frame = frame;
    this.#events = events;
    const acts = {
      select: (node: NodeId): void => void this.#select(node),
      toggle: (node: NodeId): void => void this.#toggle(node),
      turn: (node: NodeId, page: number): void => void this.#turn(node, page),
      hover: (node: NodeId | undefined): void => this.#hover(node),
      moved: (): void => this.#map.moved(),
    };
    this.#map = new Minimap(frame.diagram.parentElement!);
    this.#diagram = new Diagram(
      frame.diagram,
      acts,
      overlaidLooks(() => this.#overlay),
    );
    this.#flat = new FlatDiagram(frame.diagram, acts);
    this.#beside = new Beside(frame.beside, {
      select: acts.select,
      close: () => {
        this.#besideChoice.value = '';
        void this.#chooseBeside();
        this.#besideChoice.focus();
      },
    });
    frame.tools.append(
      this.#overlayChoice,
      this.#besideChoice,
      this.#expand,
      this.#collapse,
      this.#whole,
      button('−', () => this.#surface.zoomBy(1 / ZOOM_STEP), { 'aria-label': 'Zoom out', class: 'small' }),
      button('+', () => this.#surface.zoomBy(ZOOM_STEP), { 'aria-label': 'Zoom in', class: 'small' }),
      button('Fit', () => this.#surface.fit(), { class: 'small' }),
      this.#saving,
    );
    this.#inspector = new Inspector(frame.inspector, acts);
    this.#waves = new Waves(frame.waves, (wave, ops) => {
      this.#forgetFound();
      this.#inspector.showWave(wave, ops, this.#stop!.stage, this.#graphs!);
    });
    this.#saving.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#closeSaving();
    });
    frame.stages.addEventListener('keydown', (event) => this.#tabKey(event));
    frame.search.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#search(frame.searchType.value.trim());
    });
  }

  /** Shows other stages, from that index on; what is open stays so where it is the same computation. */
  async show(stops: readonly Stop[], at = Math.min(this.#at, stops.length - 1)): Promise<void> {
    const before = this.#graphs;
    this.#stops = stops;
    this.#tabs = stops.map((stop, index) => this.#tab(stop, index));
    this.#frame.stages.replaceChildren(...this.#tabs);
    this.#frame.section.hidden = false;
    if (stops[at]?.graphs !== before) this.#forget();
    await this.#go(at);
  }

  /** Selects an operator of a stage, opening what it lies in. */
  async reveal(id: string, op: number): Promise<void> {
    const stop = this.#stops.find((one) => one.id === id);
    if (stop === undefined) return;
    if (stop.graphs !== this.#graphs) await this.#go(this.#stops.indexOf(stop));
    await this.#select(nodeId(stop.stage, op));
    this.#frame.section.scrollIntoView({ block: 'start' });
  }

  /** What of the graphs that are shown ran when: boxes can be coloured by it. */
  measured(trace: TraceView): void {
    const { graphs } = this.#stops.at(-1)!;
    this.#measured = { graphs, trace };
    // Graphs that are being loaded offer it once they are there.
    const stop = this.#stop;
    if (stop?.graphs !== graphs || graphs.at(stop.stage) === undefined) return;
    void this.#work(async () => {
      await this.#offerOverlays(stop);
      this.#recolor();
    });
  }

  repaint(): void {
    this.#waves.repaint();
    this.#flat.recolor();
    this.#diagram.recolor();
    this.#beside.repaint();
    this.#map.show(this.#surface);
  }

  // ----------------------------------------------------------------------------------------------- stages

  get #stop(): Stop | undefined {
    return this.#stops[this.#at];
  }

  get #graphs(): StagedGraphs | undefined {
    return this.#stop?.graphs;
  }

  /** Another computation: nothing of the one before is selected or open. */
  #forget(): void {
    this.#openings.closeAll();
    this.#sets = undefined;
    this.#selected = undefined;
    this.#kin.clear();
    this.#hovered = undefined;
    this.#forgetFound();
    this.#pictures.clear();
    this.#flat.show(0, undefined, undefined);
    this.#beside.choose(undefined, undefined);
    this.#inspector.showHelp();
  }

  #forgetFound(): void {
    this.#found = undefined;
    this.#foundHits = Hits.NONE;
  }

  #tab({ id, title, operators }: Stop, index: number): HTMLButtonElement {
    return h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `${this.#frame.prefix}stage-tab-${id}`,
        'aria-controls': `${this.#frame.prefix}stage-panel`,
        'data-testid': `stage-${id}`,
        click: () => void this.#go(index),
      },
      title,
      ' ',
      h('span', { class: 'count' }, format.count(operators)),
    );
  }

  #tabKey(event: KeyboardEvent): void {
    const last = this.#stops.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: this.#at + 1,
      ArrowLeft: this.#at - 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to === undefined || to < 0 || to > last) return;
    event.preventDefault();
    this.#tabs[to]!.focus();
    void this.#go(to);
  }

  /** Shows a stage: its computation is opened down to it. */
  async #go(index: number): Promise<void> {
    const before = this.#stop;
    this.#at = index;
    const stop = this.#stop!;
    if (stop.graphs !== before?.graphs) this.#forget();
    this.#sets = undefined;
    for (const [other, tab] of this.#tabs.entries()) {
      tab.setAttribute('aria-selected', String(other === index));
      tab.tabIndex = other === index ? 0 : -1;
    }
    delete this.#frame.diagram.dataset['stage'];
    this.#frame.panel.setAttribute('aria-labelledby', this.#tabs[index]!.id);
    this.#events.stopped?.(stop);
    await this.#work(async (graphs) => {
      await graphs.load(stop.stage + 1);
      await this.#offerBeside(stop, before);
      await this.#offerOverlays(stop);
      if (stop !== this.#stop) return;
      this.#chooseSurface(stop);
      const closed = this.#isFlat ? 0 : openDownTo(stop.stage, graphs, this.#openings);
      this.#describe(stop, closed);
      this.#frame.waves.hidden = !stop.waves;
      if (stop.waves) this.#waves.show(graphs.at(stop.stage)!);
      this.#offerTypes(graphs);
      if (!(await this.#draw(graphs, true)) || stop !== this.#stop) return;
      this.#frame.diagram.dataset['stage'] = stop.id;
      await this.#drawBeside(stop);
      const sets = await stop.sets?.();
      if (stop !== this.#stop) return;
      this.#sets = sets;
      this.#inspect();
      this.#mark();
    });
  }

  /** What the operators are drawn on. */
  get #surface(): Diagram | FlatDiagram {
    return this.#isFlat ? this.#flat : this.#diagram;
  }

  #chooseSurface({ stage, graphs, sets }: Stop): void {
    const isTooMuch = graphs.rootCount(stage) > MOST_BESIDE;
    this.#isFlat = isTooMuch || (this.#wantsFlat && sets !== undefined);
    this.#diagram.hidden = this.#isFlat;
    if (!this.#isFlat) this.#flat.show(stage, undefined, undefined);
    this.#whole.hidden = sets === undefined;
    this.#whole.disabled = isTooMuch;
    this.#expand.disabled = this.#collapse.disabled = this.#isFlat || stage === 0;
    this.#whole.setAttribute('aria-pressed', String(this.#isFlat));
    // What is drawn on a canvas is pixels.
    this.#saveSvg.disabled = this.#isFlat;
  }

  #toggleWhole(): void {
    this.#wantsFlat = !this.#wantsFlat;
    void this.#go(this.#at);
  }

  #describe({ id, meaning, graphs, stage, operators, depth }: Stop, closed: number): void {
    const chain = depth === undefined ? '' : `, the longest chain has ${format.count(depth)}`;
    const kept =
      closed === 0 ? '' : ` ${format.plural(closed, 'group')} stayed closed, so that it can be read.`;
    this.#frame.note.textContent = `${meaning}${format.plural(operators, 'operator')}${chain}.${kept}`;
    this.#frame.section.dataset['stage'] = id;
    this.#frame.section.dataset['operators'] = String(graphs.at(stage)!.size);
  }

  #offerTypes(graphs: StagedGraphs): void {
    this.#frame.searchTypes.replaceChildren(
      ...graphs
        .at(this.#stop!.stage)!
        .typeCounts()
        .map(({ type, count }) => h('option', { value: type }, `${format.count(count)} times`)),
    );
  }

  // ----------------------------------------------------------------------------------------------- saving

  #saveButton(
    title: string,
    make: (stop: Stop, graphs: StagedGraphs) => Blob | Promise<Blob>,
    end: string,
  ): HTMLButtonElement {
    const save = async (graphs: StagedGraphs): Promise<void> => {
      this.#closeSaving();
      const stop = this.#stop!;
      const blob = await make(stop, graphs);
      saveFile(`graph-${stop.title.toLowerCase()}.${end}`, blob, blob.type);
    };
    return button(title, () => void this.#work(save, 'saved'), {
      class: 'small',
      'data-testid': `save-${end}`,
    });
  }

  #closeSaving(): void {
    const hasFocus = this.#saving.contains(document.activeElement);
    this.#saving.open = false;
    if (hasFocus) this.#saving.querySelector('summary')!.focus();
  }

  /** All of the picture, in view or not. Its styles are those of the pane: it is there as long as they are read. */
  #svg(): string {
    const boxes = this.#diagram.count();
    if (boxes > MOST_SAVED)
      throw new Error(
        `a picture has ${MOST_SAVED} boxes at most, this one has ${boxes}: close some, or save JSON`,
      );
    const svg = this.#diagram.whole();
    const host = h('div', { class: 'saved' }, svg);
    this.#frame.diagram.append(host);
    try {
      return svgText(svg, getComputedStyle(this.#frame.diagram).backgroundColor);
    } finally {
      host.remove();
    }
  }

  #png(): Promise<Blob> {
    return this.#isFlat ? blobOf(this.#flat.canvas) : pngOf(this.#svg());
  }

  async #text({ text, stage }: Stop, graphs: StagedGraphs): Promise<Blob> {
    const pieces = text === undefined ? await listing(graphs.at(stage)!) : [await text()];
    return new Blob([...pieces], { type: 'text/plain' });
  }

  async #json({ title, stage }: Stop, graphs: StagedGraphs): Promise<Blob> {
    const pieces = await jsonPieces(graphs.at(stage)!, title, graphs.unit);
    return new Blob([...pieces], { type: 'application/json' });
  }

  // -------------------------------------------------------------------------------------------- operators

  async #toggle(node: NodeId): Promise<void> {
    if (this.#isFlat) return;
    await this.#work(async (graphs) => {
      if (this.#openings.isOpen(node)) this.#openings.close(node);
      else {
        // One that lies beside has no box yet.
        if (!this.#surface.has(node)) openTo(node, graphs, this.#openings);
        this.#openings.open(node);
      }
      await this.#draw(graphs);
      this.#inspect();
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
      if (graphs !== this.#graphs) return;
      this.#selected = node;
      this.#kin.clear();
      const stop = this.#stop!;
      const own = this.#inPicture(node, stop);
      if (own !== undefined && !this.#surface.has(own) && !this.#isFlat) {
        openTo(own, graphs, this.#openings);
        await this.#draw(graphs);
      }
      this.#inspect();
      this.#mark();
      if (own !== undefined && this.#surface.has(own)) this.#surface.bringIntoView(own);
      this.#beside.follow(this.#selected, stop.stage);
      if (stop.stage === stageOf(node)) this.#events.selected?.(stop, opOf(node));
    });
  }

  /** The operator of the picture that stands for one of any stage: itself, but of one that lies beside what it came from, or first became. */
  #inPicture(node: NodeId, { stage, graphs }: Stop): NodeId | undefined {
    const isOwn = this.#isFlat ? stageOf(node) === stage : stageOf(node) <= stage;
    if (isOwn || stageOf(node) !== this.#beside.stage) return node;
    const [op] = kinOf(node, stage, graphs);
    return op === undefined ? undefined : nodeId(stage, op);
  }

  /** Shows the operator under the pointer as if it were selected, as long as the pointer stays; where sets are known. */
  #hover(node: NodeId | undefined): void {
    if (this.#sets === undefined || node === this.#hovered) return;
    this.#hovered = node;
    this.#inspect();
    this.#mark();
  }

  /** The operator that everything is told about. */
  get #subject(): NodeId | undefined {
    return this.#hovered ?? this.#selected;
  }

  #inspect(): void {
    const [node, graphs] = [this.#subject, this.#graphs];
    if (graphs === undefined) return;
    if (node === undefined) {
      if (this.#found === undefined) this.#inspector.showHelp();
    } else
      this.#inspector.show(node, graphs, this.#openings.isOpen(node), {
        sets: this.#setsOf(node),
        told: this.#told(node),
        actions: this.#actions(node),
      });
  }

  /** What boxes are coloured by, of this one. */
  #told(node: NodeId): Extras['told'] {
    const text = this.#overlay?.text(node);
    return text === undefined ? undefined : [this.#overlayKind!.title, text];
  }

  #actions(node: NodeId): readonly HTMLElement[] {
    const stop = this.#stop!;
    return stop.stage === stageOf(node) ? (this.#events.actions?.(stop, opOf(node)) ?? []) : [];
  }

  /** Sets are those of the stage that is shown; operators above it have others. */
  #setsOf(node: NodeId): OperatorSets | undefined {
    return stageOf(node) === this.#stop?.stage ? this.#sets : undefined;
  }

  async #search(text: string): Promise<void> {
    if (text === '') return;
    const turn = ++this.#searches;
    await this.#work(async (graphs) => {
      try {
        const query = parseQuery(text);
        await graphs.load(graphs.last);
        const shown = this.#stop!.stage;
        const slices = pace(() => turn !== this.#searches);
        for (const stage of [shown, ...Array.from({ length: graphs.last + 1 }, (_, index) => index)]) {
          const ops = await query.find(graphs.at(stage)!, slices);
          if (ops.length === 0) continue;
          this.#found = { stage, query, ops };
          this.#foundHits = new Hits(stage, ops, graphs);
          this.#inspector.showFound(query.text, ops, stage, graphs);
          this.#mark();
          return;
        }
        this.#frame.note.textContent = `No operator here is found by “${text}”.`;
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        if (turn !== this.#searches) return; // another one was asked for since
        this.#frame.note.textContent = `“${text}” cannot be looked for: ${error.message}.`;
      }
    });
  }

  /** Opens all groups down to the stage that is shown, or closes all. */
  async #openAll(isOpen: boolean): Promise<void> {
    const stop = this.#stop!;
    await this.#work(async (graphs) => {
      const slices = pace(() => stop !== this.#stop);
      let closed = 0;
      if (isOpen) closed = await expandAll(stop.stage, graphs, this.#openings, slices);
      else {
        this.#openings.closeAll();
        this.#openings.reach(stop.stage);
      }
      this.#describe(stop, closed);
      await this.#draw(graphs, true);
      this.#inspect();
    });
  }

  // --------------------------------------------------------------------------------------- stage beside stage

  /** Offers the other stages of the computation. What was beside stays; where its own stage is to be shown now, both change places. */
  async #offerBeside(stop: Stop, before: Stop | undefined): Promise<void> {
    const { stage, graphs } = stop;
    const others = Array.from({ length: graphs.last + 1 }, (_, at) => at).filter((at) => at !== stage);
    const last = this.#beside.graphs === graphs ? this.#beside.stage : undefined;
    const wanted = others.find((at) => at === (last === stage ? before?.stage : last));
    this.#besideChoice.hidden = others.length === 0;
    this.#besideChoice.replaceChildren(
      h('option', { value: '' }, 'One stage'),
      ...others.map((at) => h('option', { value: at }, `Beside: ${this.#titleOf(at, graphs)}`)),
    );
    this.#besideChoice.value = wanted === undefined ? '' : String(wanted);
    await this.#placeBeside(stop);
  }

  /** What a stage is called. */
  #titleOf(stage: number, graphs: StagedGraphs): string {
    const stop = this.#stops.find((one) => one.graphs === graphs && one.stage === stage);
    return stop?.title ?? graphs.name(stage);
  }

  /** Makes room for the stage that is chosen, or takes it away; false if another stage is to be shown, or to be beside, meanwhile. */
  async #placeBeside(stop: Stop): Promise<boolean> {
    const { graphs } = stop;
    const { value } = this.#besideChoice;
    if (value === '') this.#beside.choose(undefined, undefined);
    else {
      const stage = Number(value);
      await graphs.load(stage);
      if (stop !== this.#stop || value !== this.#besideChoice.value) return false;
      const operators = format.plural(graphs.at(stage)!.size, 'operator');
      this.#beside.choose(graphs, stage, `${this.#titleOf(stage, graphs)}: ${operators}`);
    }
    this.#frame.panel.classList.toggle('two', value !== '');
    return true;
  }

  /** Draws it; the picture is there already. */
  async #drawBeside(stop: Stop): Promise<void> {
    if (this.#beside.stage === undefined || !(await this.#beside.draw()) || stop !== this.#stop) return;
    this.#mark();
    this.#beside.follow(this.#selected, stop.stage);
  }

  async #chooseBeside(): Promise<void> {
    const stop = this.#stop!;
    await this.#work(async () => {
      if (!(await this.#placeBeside(stop))) return;
      await this.#offerOverlays(stop);
      if (stop !== this.#stop) return;
      this.#surface.fit();
      this.#recolor();
      await this.#drawBeside(stop);
    });
  }

  /** What the selected operator came from, or became, at a stage of this computation. */
  #kinAt(stage: number, graphs: StagedGraphs): Hits {
    const selected = this.#selected;
    if (selected === undefined || stageOf(selected) === stage) return Hits.NONE;
    const known = this.#kin.get(stage) ?? new Hits(stage, kinOf(selected, stage, graphs), graphs);
    this.#kin.set(stage, known);
    return known;
  }

  // --------------------------------------------------------------------------------------------- overlays

  #ground({ stage, graphs }: Stop): Ground {
    const trace = this.#measured?.graphs === graphs ? this.#measured.trace : undefined;
    let deepest = Math.min(Math.max(stage, this.#openings.deepest, this.#beside.stage ?? 0), graphs.last);
    while (deepest > 0 && graphs.at(deepest) === undefined) deepest--;
    return {
      graphs,
      stage: deepest,
      trace: graphs.at(graphs.last) === undefined ? undefined : trace,
    };
  }

  /** Offers what is known; what was chosen is made anew. */
  async #offerOverlays(stop: Stop): Promise<void> {
    const ground = this.#ground(stop);
    const kinds = OVERLAYS.filter((kind) => kind.isOffered(ground));
    const wanted = this.#overlayChoice.value;
    this.#overlayChoice.replaceChildren(
      h('option', { value: '' }, 'Kind of work'),
      ...kinds.map(({ id, title }) => h('option', { value: id }, title)),
    );
    this.#overlayChoice.value = kinds.some(({ id }) => id === wanted) ? wanted : '';
    await this.#makeOverlay(stop);
  }

  /** Makes the overlay that is chosen, unless another is chosen meanwhile. */
  async #makeOverlay(stop: Stop): Promise<void> {
    const turn = ++this.#colourings;
    const kind = OVERLAYS.find(({ id }) => id === this.#overlayChoice.value);
    const ground = this.#ground(stop);
    try {
      const overlay = await kind?.make(
        ground,
        pace(() => turn !== this.#colourings),
      );
      if (turn !== this.#colourings) return;
      this.#setOverlay(kind, overlay && within(stop.graphs, overlay));
      this.#colouredTo = ground.stage;
    } catch (error) {
      if (turn !== this.#colourings) return;
      // The picture is there without it.
      this.#overlayChoice.value = '';
      this.#setOverlay(undefined, undefined);
      const { sentence, code } = failureOf(error, 'colouring');
      this.#frame.note.textContent = `Boxes cannot be coloured by that: ${sentence} (${code})`;
    }
  }

  #setOverlay(kind: OverlayKind | undefined, overlay: Overlay | undefined): void {
    this.#overlayKind = kind;
    this.#overlay = overlay;
    this.#flat.overlay = overlay;
    this.#beside.overlay = overlay;
  }

  async #chooseOverlay(): Promise<void> {
    const stop = this.#stop!;
    await this.#work(async () => {
      await this.#makeOverlay(stop);
      if (stop === this.#stop) this.#recolor();
    });
  }

  /** Boxes have other colours. */
  #recolor(): void {
    this.#diagram.recolor();
    this.#map.show(this.#surface);
    if (this.#graphs !== undefined) this.#explainColors(this.#graphs);
    if (this.#subject !== undefined) this.#inspect();
  }

  // ---------------------------------------------------------------------------------------------- drawing

  /** Draws what is open, `whole` all of it at first sight; false if something else is to be drawn meanwhile. */
  async #draw(graphs: StagedGraphs, whole = false): Promise<boolean> {
    const stop = this.#stop!;
    if (this.#isFlat) return this.#drawFlat(stop);
    await graphs.load(this.#openings.deepest + 1);
    if (this.#overlay !== undefined && this.#ground(stop).stage > this.#colouredTo) {
      await this.#makeOverlay(stop);
      if (stop !== this.#stop) return false;
      this.#diagram.recolor();
    }
    const { diagram } = this.#frame;
    const slow = setTimeout(() => diagram.setAttribute('aria-busy', 'true'), PATIENCE);
    try {
      const drawing = ++this.#drawings;
      const slices = pace(() => drawing !== this.#drawings);
      await prepare(graphs, this.#openings, this.#pictures, slices);
      const picture = pictureOf(graphs, this.#openings, this.#pictures);
      const placed = await this.#layout.layOut(shapeOf(picture));
      if (placed === undefined || graphs !== this.#graphs || drawing !== this.#drawings) return false;
      const chain = (node: NodeId): NodeId[] => (graphs.has(node) ? [...graphs.ancestors(node), node] : []);
      this.#diagram.draw(picture, placed, chain, whole);
      diagram.dataset['total'] = String(this.#openings.total);
    } catch (error) {
      if (error instanceof Superseded) return false;
      throw error;
    } finally {
      clearTimeout(slow);
      diagram.removeAttribute('aria-busy');
    }
    this.#map.show(this.#diagram);
    this.#explainColors(graphs);
    this.#mark();
    return true;
  }

  async #drawFlat(stop: Stop): Promise<boolean> {
    const graph = stop.graphs.at(stop.stage)!;
    const places = await this.#layout.placeFlat(graph.view);
    if (places === undefined || stop !== this.#stop) return false;
    this.#flat.show(stop.stage, graph, places);
    this.#map.show(this.#flat);
    this.#explainColors(stop.graphs);
    this.#mark();
    return true;
  }

  /** The legend: kinds that occur in the stages that are visible. */
  #explainColors(graphs: StagedGraphs): void {
    const overlay = this.#overlay;
    if (overlay !== undefined) {
      this.#frame.legend.replaceChildren(
        ...overlay.legend.map(({ tint, text }) => h('li', { class: classOf(tint) }, text)),
      );
      return;
    }
    const deepest = Math.max(this.#openings.deepest, this.#stop!.stage);
    const types: string[] = [];
    for (let stage = 0; stage <= deepest; stage++) types.push(...(graphs.at(stage)?.view.types ?? []));
    const kinds = new Set(types.map(kindOf));
    const lines = KINDS.filter((kind) => kinds.has(kind));
    this.#frame.legend.replaceChildren(
      ...lines.map((kind) => h('li', { class: `kind-${kind}` }, KIND_TITLES[kind])),
    );
  }

  #mark(): void {
    const [graphs, stop, subject] = [this.#graphs, this.#stop, this.#subject];
    if (graphs === undefined || stop === undefined) return;
    const stage = subject === undefined ? 0 : stageOf(subject);
    const { producers, readers } = this.#around(subject, graphs);
    const marks = {
      selected: this.#selected,
      subject,
      producers: new Hits(stage, producers, graphs),
      readers: new Hits(stage, readers, graphs),
      found: this.#foundHits,
    };
    const beside = this.#beside.stage;
    const isBelow = this.#selected !== undefined && stageOf(this.#selected) > stop.stage;
    const isKin = beside !== undefined && (this.#isFlat || isBelow);
    this.#surface.mark({ ...marks, kin: isKin ? this.#kinAt(stop.stage, graphs) : undefined });
    if (beside !== undefined) this.#beside.mark({ ...marks, kin: this.#kinAt(beside, graphs) });
    if (stop.waves && graphs.at(stop.stage) !== undefined) {
      const isHere = subject !== undefined && stage === stop.stage;
      this.#waves.mark(isHere ? opOf(subject) : undefined, producers, readers);
    }
  }

  /** Whom an operator waits for, and who waits for it. */
  #around(node: NodeId | undefined, graphs: StagedGraphs): { producers: number[]; readers: number[] } {
    if (node === undefined) return { producers: [], readers: [] };
    const op = opOf(node);
    const sets = this.#setsOf(node);
    if (sets !== undefined) {
      const operators = (set: ReturnType<OperatorSets['dependencies']>): number[] => set.map(({ op }) => op);
      return { producers: operators(sets.dependencies(op)), readers: operators(sets.notifications(op)) };
    }
    const graph = graphs.of(node);
    return { producers: [...graph.inputs(op)].filter((from) => from >= 0), readers: graph.readers(op) };
  }

  /** Does something with the graphs that are shown, unless others come meanwhile. */
  async #work(action: (graphs: StagedGraphs) => Promise<void>, done = 'shown'): Promise<void> {
    const graphs = this.#graphs;
    if (graphs === undefined) return;
    try {
      await action(graphs);
    } catch (error) {
      if (graphs !== this.#graphs || error instanceof Superseded) return;
      const { sentence, code } = failureOf(error, 'drawing');
      this.#frame.note.textContent = `The graph cannot be ${done}: ${sentence} (${code})`;
    }
  }
}
