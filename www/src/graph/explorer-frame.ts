/** The elements that an explorer fills in. */
import { byId, h } from '../ui/dom.js';

export interface ExplorerFrame {
  /** What tells its stage and number of operators, and is hidden as long as there is nothing to explore. */
  readonly section: HTMLElement;
  readonly stages: HTMLElement;
  readonly search: HTMLFormElement;
  readonly searchType: HTMLInputElement;
  readonly searchTypes: HTMLDataListElement;
  readonly note: HTMLElement;
  readonly waves: HTMLElement;
  readonly panel: HTMLElement;
  readonly diagram: HTMLElement;
  /** Another stage. */
  readonly beside: HTMLElement;
  readonly tools: HTMLElement;
  readonly legend: HTMLElement;
  readonly inspector: HTMLElement;
  /** Before the ids of all elements: a page can have several explorers. */
  readonly prefix: string;
}

/** Makes the elements in a host of their own within `section`. */
export function explorerFrame(section: HTMLElement, host: HTMLElement, prefix = ''): ExplorerFrame {
  const id = (name: string): string => `${prefix}${name}`;
  const stages = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Stage', id: id('stages') });
  const searchTypes = h('datalist', { id: id('search-types') });
  const searchType = h('input', {
    id: id('search-type'),
    type: 'search',
    list: id('search-types'),
    placeholder: 'Find: ntt, #12, /mul$/, reads x',
    autocomplete: 'off',
    spellcheck: 'false',
    'data-testid': 'graph-search',
  });
  const search = h(
    'form',
    { class: 'search', id: id('search'), role: 'search' },
    h(
      'label',
      { class: 'sr-only', for: id('search-type') },
      'Find operators: part of a name, #number, /expression/, or “reads” and one of these',
    ),
    searchType,
    searchTypes,
    h('button', { type: 'submit' }, 'Find'),
  );
  const note = h('p', {
    class: 'stage-note',
    id: id('stage-note'),
    'aria-live': 'polite',
    'data-testid': 'stage-note',
  });
  const waves = h('div', { class: 'waves', id: id('waves'), hidden: true });
  const diagram = h('div', { class: 'diagram', id: id('diagram'), 'data-testid': 'diagram' });
  const legend = h('ul', { class: 'legend', id: id('legend') });
  const tools = h('div', { class: 'diagram-tools', id: id('diagram-tools') });
  const beside = h('section', {
    class: 'beside',
    'aria-label': 'Stage beside',
    hidden: true,
    'data-testid': 'stage-beside',
  });
  const inspector = h('aside', {
    class: 'inspector',
    id: id('inspector'),
    'aria-label': 'Operator',
    'data-testid': 'inspector',
  });
  const panel = h(
    'div',
    { class: 'inside', id: id('stage-panel'), role: 'tabpanel' },
    h('div', { class: 'diagram-pane' }, diagram, h('div', { class: 'diagram-foot' }, legend, tools)),
    beside,
    inspector,
  );
  host.append(h('div', { class: 'bar' }, stages, search), note, waves, panel);
  return {
    section,
    stages,
    search,
    searchType,
    searchTypes,
    note,
    waves,
    panel,
    diagram,
    beside,
    tools,
    legend,
    inspector,
    prefix,
  };
}

/** That of the page's program. */
export function programFrame(): ExplorerFrame {
  return explorerFrame(byId('explorer'), byId('explorer-frame'));
}
