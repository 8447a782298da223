/**
 * Another stage of the same computation, beside the picture: all its operators on a canvas. What is selected on either side is marked on
 * the other by ancestry.
 */
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import type { Marks } from './diagram.js';
import { FlatDiagram } from './flat-diagram.js';
import { kinOf } from './kin.js';
import { LayoutClient } from './layout-client.js';
import { Minimap } from './minimap.js';
import type { Overlay } from './overlays/overlay.js';
import { nodeId, type NodeId, opOf, type StagedGraphs, stageOf } from './staged-graphs.js';

export interface BesideEvents {
  select(node: NodeId): void;
  close(): void;
}

const ZOOM_STEP = 1.25;
const HINT = 'Select an operator on either side: what it came from, or became, is marked on the other.';

export class Beside {
  readonly #host: HTMLElement;
  readonly #title = h('h3', {});
  readonly #note = h('p', { class: 'note kin-note', 'aria-live': 'polite', 'data-testid': 'beside-note' });
  readonly #layout = new LayoutClient();
  readonly #flat: FlatDiagram;
  readonly #map: Minimap;
  #shown: { readonly graphs: StagedGraphs; readonly stage: number } | undefined;

  constructor(host: HTMLElement, events: BesideEvents) {
    this.#host = host;
    const diagram = h('div', { class: 'diagram' });
    const pane = h('div', { class: 'diagram-pane' }, diagram);
    this.#map = new Minimap(pane);
    const acts = {
      select: (node: NodeId): void => events.select(node),
      toggle: (): void => {},
      turn: (): void => {},
      hover: (): void => {},
      moved: (): void => this.#map.moved(),
    };
    this.#flat = new FlatDiagram(diagram, acts, 'flat-beside', 'All operators of the stage beside');
    const named = (name: string): Record<string, string> => ({
      'aria-label': `${name}, stage beside`,
      class: 'small',
    });
    pane.append(
      h(
        'div',
        { class: 'diagram-foot' },
        this.#note,
        h(
          'div',
          { class: 'diagram-tools' },
          button('−', () => this.#flat.zoomBy(1 / ZOOM_STEP), named('Zoom out')),
          button('+', () => this.#flat.zoomBy(ZOOM_STEP), named('Zoom in')),
          button('Fit', () => this.#flat.fit(), named('Fit')),
          button('Close', () => events.close(), { ...named('Close'), 'data-testid': 'beside-close' }),
        ),
      ),
    );
    host.append(this.#title, pane);
  }

  get graphs(): StagedGraphs | undefined {
    return this.#shown?.graphs;
  }

  /** The stage that is shown; undefined where none is. */
  get stage(): number | undefined {
    return this.#shown?.stage;
  }

  /** Has the room of a stage, or none; {@link draw} fills it. */
  choose(graphs: StagedGraphs | undefined, stage: number | undefined, title = ''): void {
    this.#shown = graphs === undefined || stage === undefined ? undefined : { graphs, stage };
    this.#host.hidden = this.#shown === undefined;
    delete this.#host.dataset['stage'];
    this.#title.textContent = title;
    this.#flat.show(0, undefined, undefined);
    this.#map.show(undefined);
  }

  /** Draws the stage that was chosen, which is loaded; false if another was chosen meanwhile. */
  async draw(): Promise<boolean> {
    const shown = this.#shown;
    if (shown === undefined) return true;
    const graph = shown.graphs.at(shown.stage)!;
    const places = await this.#layout.placeFlat(graph.view);
    if (places === undefined || shown !== this.#shown) return false;
    this.#flat.show(shown.stage, graph, places);
    this.#map.show(this.#flat);
    this.#host.dataset['stage'] = shown.graphs.name(shown.stage);
    return true;
  }

  set overlay(overlay: Overlay | undefined) {
    this.#flat.overlay = overlay;
    if (this.#shown !== undefined) this.#map.show(this.#flat);
  }

  repaint(): void {
    this.#flat.recolor();
    if (this.#shown !== undefined) this.#map.show(this.#flat);
  }

  mark(marks: Marks): void {
    if (this.#shown !== undefined) this.#flat.mark(marks);
  }

  /** Brings into view what belongs to an operator of any stage, and says what that is; `other` is the stage on the other side. */
  follow(node: NodeId | undefined, other: number): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    if (node === undefined) {
      this.#note.textContent = HINT;
      return;
    }
    const { graphs, stage } = shown;
    const [first] = kinOf(node, stage, graphs);
    if (first !== undefined && this.#flat.has(nodeId(stage, first)))
      this.#flat.bringIntoView(nodeId(stage, first));
    this.#note.textContent = sentence(node, stageOf(node) === stage ? other : stage, graphs);
  }
}

/** What an operator is at another stage. */
export function sentence(node: NodeId, stage: number, graphs: StagedGraphs): string {
  const name = (one: NodeId): string => `${graphs.type(one)} #${opOf(one)}`;
  const kin = kinOf(node, stage, graphs);
  const place = `at the stage ${graphs.name(stage)}`;
  if (kin.length === 0)
    return stage > stageOf(node)
      ? `${name(node)} has no operator of its own ${place}: others do the same work.`
      : `${name(node)} came from no single operator ${place}.`;
  const first = name(nodeId(stage, kin[0]!));
  if (stage < stageOf(node)) return `${name(node)} came from ${first} ${place}.`;
  const what = kin.length === 1 ? first : format.plural(kin.length, 'operator');
  return stage === stageOf(node) ? `${name(node)} ${place}.` : `${name(node)} became ${what} ${place}.`;
}
