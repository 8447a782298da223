/** The editor for an operator of one's own. */
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { button, h } from '../ui/dom.js';
import { Editor } from './editor.js';
import { POLYNOMIAL } from './own/examples.js';
import { OwnOperatorError, type OwnOperator } from './own/own-operators.js';

export class OwnPanel {
  readonly #editor: Editor;
  readonly #name: HTMLInputElement;
  readonly #said = h('p', { class: 'note', role: 'status', 'data-testid': 'own-status' });
  readonly #known = h('div', { class: 'row own-known' });

  constructor(host: HTMLElement, define: (operator: OwnOperator) => void) {
    const code = h('div', { class: 'editor small', 'data-testid': 'own-editor' });
    this.#name = h('input', {
      type: 'text',
      id: 'own-name',
      spellcheck: 'false',
      autocomplete: 'off',
      'data-testid': 'own-name',
    });
    const add = button(
      'Make it known',
      () => define({ name: this.#name.value.trim(), code: this.#editor.text }),
      { class: 'primary', 'data-testid': 'own-define' },
    );
    host.append(
      h(
        'p',
        { class: 'note' },
        'Declare ',
        h('code', {}, 'expand(g, inputs, { types, attributes })'),
        ': it gives the operator’s output in lower operators of g (op, view, merge, constant). It is asked once for every ' +
          'combination of types and attributes, in a worker of its own, apart from this page.',
      ),
      h('div', { class: 'row' }, h('label', { for: 'own-name' }, 'Name'), this.#name, add),
      this.#known,
      code,
      this.#said,
    );
    this.#editor = new Editor(code, {
      label: 'Code of the operator',
      language: javascriptLanguage,
      extensions: [javascript().support],
      complete: undefined,
      changed: () => this.#editor.showProblem(undefined),
    });
    this.show(POLYNOMIAL);
  }

  /** Puts an operator into the editor. */
  show({ name, code }: OwnOperator): void {
    this.#name.value = name;
    this.#editor.text = code;
    this.say('');
  }

  /** Offers all operators that are known, to be changed. */
  list(operators: readonly OwnOperator[]): void {
    this.#known.replaceChildren(
      ...operators.map((operator) =>
        button(operator.name, () => this.show(operator), { class: 'small', 'data-testid': 'own-known' }),
      ),
    );
  }

  say(text: string): void {
    this.#said.textContent = text;
    this.#said.classList.remove('wrong');
    this.#editor.showProblem(undefined);
  }

  /** Shows an error of an operator's code at its line, if that operator is in the editor. */
  fail(error: unknown): void {
    this.#said.textContent = error instanceof Error ? error.message : String(error);
    this.#said.classList.add('wrong');
    if (!(error instanceof OwnOperatorError) || error.operator !== this.#name.value.trim()) return;
    this.#editor.showProblem({ line: error.line ?? 1, word: undefined, message: error.message });
  }
}
