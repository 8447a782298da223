/** What can be made of the stage that is shown: one step, a level, a platform, or passes of the optimizer. */
import type { ExpandOptions } from 'cipherloom';
import { PASSES } from 'virtual:operator-names';
import { button, h } from '../ui/dom.js';

export interface StepEvents {
  /** Without a name it is a step, which is counted. */
  expand(name: string | undefined, options: ExpandOptions): void;
  /** Undefined: the usual passes. */
  optimize(name: string, passes: readonly string[] | undefined): void;
  /** Ends what is being made. */
  cancel(): void;
}

const EXPANSIONS: readonly (readonly [title: string, name: string, options: ExpandOptions])[] = [
  ['to ciphertexts', 'Ciphertexts', { level: 'scheme' }],
  ['to polynomials', 'Polynomials', { level: 'polynomial' }],
  ['to base operators', 'Base', { level: 'base' }],
  ['for vector kernels (simd)', 'Simd', { platform: 'simd' }],
  ['for plain kernels (scalar)', 'Scalar', { platform: 'scalar' }],
];

export class StepBar {
  readonly #controls: readonly (HTMLButtonElement | HTMLSelectElement)[];
  /** What had the focus before something was made. */
  #left: HTMLElement | undefined;
  readonly #cancel: HTMLButtonElement;

  constructor(host: HTMLElement, events: StepEvents) {
    const step = button('Expand one step', () => events.expand(undefined, { steps: 1 }), {
      'data-testid': 'expand-step',
    });
    const to = h(
      'select',
      { 'data-testid': 'expand-to', 'aria-label': 'Expand to' },
      h('option', { value: '' }, 'Expand…'),
      ...EXPANSIONS.map(([title], index) => h('option', { value: index }, title)),
    );
    to.addEventListener('change', () => {
      const [, name, options] = EXPANSIONS[Number(to.value)]!;
      to.value = '';
      events.expand(name, options);
    });
    const usual = h('input', { type: 'checkbox', checked: true });
    const boxes = PASSES.map((pass) => h('input', { type: 'checkbox', value: pass, disabled: true }));
    usual.addEventListener('change', () => {
      for (const box of boxes) box.disabled = usual.checked;
    });
    const optimize = button(
      'Optimize',
      () => {
        const passes = boxes.filter(({ checked }) => checked).map(({ value }) => value);
        events.optimize(usual.checked ? 'Optimized' : passes.join(', '), usual.checked ? undefined : passes);
      },
      { 'data-testid': 'optimize' },
    );
    const chosen = h(
      'details',
      { class: 'passes' },
      h('summary', {}, 'Passes'),
      h(
        'div',
        { class: 'passes-body card' },
        h('label', {}, usual, ' the usual ones'),
        ...boxes.map((box) => h('label', {}, box, ' ', h('code', {}, box.value))),
      ),
    );
    this.#cancel = button('Cancel', () => events.cancel(), { hidden: true, 'data-testid': 'making-cancel' });
    this.#controls = [step, to, optimize];
    host.append(step, to, optimize, chosen, this.#cancel);
  }

  /** Something is being made. */
  set busy(busy: boolean) {
    const focused = this.#controls.find((control) => control === document.activeElement);
    const isCancelFocused = document.activeElement === this.#cancel;
    for (const control of this.#controls) control.disabled = busy;
    this.#cancel.hidden = !busy;
    // What is disabled or hidden loses the focus: it goes to what takes its turn, and back.
    if (busy && focused !== undefined) {
      this.#left = focused;
      this.#cancel.focus();
    } else if (!busy && isCancelFocused) (this.#left ?? this.#controls[0])?.focus();
  }
}
