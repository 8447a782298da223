/** What the graph tab consists of. */
import { explorerFrame, type ExplorerFrame } from '../graph/explorer-frame.js';
import { h } from '../ui/dom.js';

export interface Frame {
  readonly gallery: HTMLElement;
  readonly editor: HTMLElement;
  readonly status: HTMLElement;
  readonly problem: HTMLElement;
  readonly steps: HTMLElement;
  readonly explorer: ExplorerFrame;
  readonly verify: HTMLElement;
  readonly suite: HTMLElement;
  readonly absorb: HTMLElement;
  readonly inputs: HTMLElement;
  readonly run: HTMLElement;
  readonly outputs: HTMLElement;
  readonly own: HTMLElement;
}

export function makeFrame(host: HTMLElement): Frame {
  const gallery = h('div', { class: 'gallery', role: 'group', 'aria-label': 'Gallery' });
  const editor = h('div', { class: 'editor', 'data-testid': 'graph-editor' });
  const status = h('p', { class: 'note', role: 'status', 'data-testid': 'graph-status' }, 'Starting…');
  const problem = h('p', {
    class: 'graph-problem',
    role: 'alert',
    'data-testid': 'graph-problem',
    hidden: true,
  });
  const steps = h('div', { class: 'graph-steps', role: 'group', 'aria-label': 'Expand and optimize' });
  const section = h('section', {
    class: 'explorer',
    'aria-labelledby': 'graph-explorer-title',
    hidden: true,
  });
  const body = h('div', { class: 'card flush' });
  const verify = h('div', { class: 'job', 'data-testid': 'verify' });
  const suite = h('div', { class: 'job', 'data-testid': 'suite' });
  const absorb = h('div', { class: 'absorb' });
  const inputs = h('div', { class: 'data-fields', 'data-testid': 'graph-inputs' });
  const run = h('div', { class: 'row run-row' });
  const outputs = h('div', { class: 'values', 'data-testid': 'graph-outputs' });
  const own = h('div', { class: 'own' });
  section.append(h('h2', { id: 'graph-explorer-title' }, 'What it becomes'), steps, body);
  const explorer = explorerFrame(section, body, 'graph-');
  host.replaceChildren(
    h(
      'section',
      { class: 'hero' },
      h('h1', {}, 'Any computation, as one graph'),
      h(
        'p',
        { class: 'lead' },
        'Write a graph, or take one; expand it step by step to what a processor runs; see who waits for whom; ' +
          'give it data, run it, and look into any operand; verify that it still means the same. It all stays in this tab.',
      ),
    ),
    h('section', { class: 'card', 'aria-label': 'Graphs to begin with' }, gallery),
    h(
      'div',
      { class: 'graph-columns' },
      titled('graph-text-title', 'Text', editor, problem, status),
      titled('graph-data-title', 'Data', inputs, run, outputs),
    ),
    section,
    titled('graph-verify-title', 'Verify this graph', verify),
    titled('graph-absorb-title', 'Absorb, step by step', absorb),
    titled('graph-own-title', 'An operator of your own', own),
    titled('graph-suite-title', 'Test this device', suite),
  );
  return {
    gallery,
    editor,
    status,
    problem,
    steps,
    explorer,
    verify,
    suite,
    absorb,
    inputs,
    run,
    outputs,
    own,
  };
}

function titled(id: string, title: string, ...contents: readonly HTMLElement[]): HTMLElement {
  return h(
    'section',
    { class: 'card graph-card', 'aria-labelledby': id },
    h('h2', { id }, title),
    ...contents,
  );
}
