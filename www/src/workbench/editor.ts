/**
 * A text editor. It lives in a shadow root, where its styles are adopted sheets: in the page they would be inline styles,
 * which the page's policy forbids.
 */
import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, type Language, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

export interface EditorOptions {
  /** For those who do not see it. */
  readonly label: string;
  readonly language: Language;
  /** What else belongs to the language. */
  readonly extensions?: readonly Extension[];
  readonly complete: CompletionSource | undefined;
  /** The text was changed, by a person or by `text`. */
  readonly changed: () => void;
}

/** What is wrong, and in which line, counted from 1. */
export interface Problem {
  readonly line: number;
  /** The part of the line that is about it; all of the line if it does not occur there. */
  readonly word: string | undefined;
  readonly message: string;
}

export class Editor {
  readonly #host: HTMLElement;
  readonly #view: EditorView;

  constructor(host: HTMLElement, { label, language, extensions = [], complete, changed }: EditorOptions) {
    this.#host = host;
    const root = host.attachShadow({ mode: 'open' });
    this.#view = new EditorView({
      parent: root as unknown as Element, // a fragment takes a child as well
      root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          lintGutter(),
          language,
          ...extensions,
          syntaxHighlighting(COLORS),
          autocompletion(complete === undefined ? {} : { override: [complete] }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
          LOOKS,
        ],
      }),
    });
  }

  /** Somebody writes in it. */
  get hasFocus(): boolean {
    return this.#view.hasFocus;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set text(text: string) {
    const { length } = this.#view.state.doc;
    this.#view.dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor: 0 } });
    this.#view.scrollDOM.scrollTop = 0;
  }

  /** Shows what is wrong at its place, undefined for nothing, and what else there is to say of parts of the text. */
  showProblem(problem: Problem | undefined, others: readonly Diagnostic[] = []): void {
    const diagnostics = [...(problem === undefined ? [] : [this.#diagnostic(problem)]), ...others];
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
    if (problem === undefined) delete this.#host.dataset['problemLine'];
    else this.#host.dataset['problemLine'] = String(problem.line);
  }

  /** Puts the cursor at a line, counted from 1, without taking the focus. */
  reveal(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
  }

  #diagnostic({ line, word, message }: Problem): Diagnostic {
    const { doc } = this.#view.state;
    const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const at = word === undefined || word === '' ? -1 : text.indexOf(word);
    const place = at < 0 ? { from, to } : { from: from + at, to: from + at + word!.length };
    return { ...place, severity: 'error', message };
  }
}

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--evaluator)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--ink)' },
  { tag: tags.labelName, color: 'var(--client)' },
  { tag: tags.typeName, color: 'var(--kind-transform)' },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: 'var(--kind-product)',
  },
  { tag: tags.propertyName, color: 'var(--kind-move)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--kind-modulus)' },
  { tag: tags.string, color: 'var(--kind-encoding)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const LOOKS = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    color: 'var(--ink-soft)',
    backgroundColor: 'var(--sunken)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--client) 7%, transparent)' },
  '.cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--client) 14%, transparent)',
    color: 'var(--ink)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'color-mix(in oklab, var(--focus) 28%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in oklab, var(--evaluator) 22%, transparent)',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete > ul > li': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--client)',
  },
  '.cm-tooltip .type-info': {
    padding: '0.5rem 0.7rem',
    maxWidth: '34rem',
    maxHeight: '16rem',
    overflow: 'auto',
  },
  '.cm-tooltip .type-info code': { fontFamily: 'var(--mono)', whiteSpace: 'pre-wrap' },
  '.cm-tooltip .type-info p': { fontFamily: 'var(--sans)', margin: '0.4rem 0 0', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', whiteSpace: 'pre-wrap', maxWidth: '34rem' },
});
