/** What the service has seen of one: its own log, in words. */
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import type { Desk, Entry } from './desk.js';

const ACTIONS: Readonly<Record<string, string>> = {
  'user.register': 'registered',
  'session.start': 'signed in',
  'session.end': 'signed out',
  'blob.store': 'sent bytes',
  'program.add': 'offered a question',
  'key.add': 'gave keys to compute with',
  'key.request': 'asked for a key',
  'key.decline': 'declined to give a key',
  'key.delete': 'deleted keys',
  'record.add': 'stored a record',
  'record.delete': 'deleted a record',
  'grant.add': 'let somebody ask',
  'grant.revoke': 'took that back',
  'question.ask': 'a question was asked',
  'question.start': 'a question is being computed',
  'question.done': 'a question was answered',
  'question.fail': 'a question failed',
  'question.cancel': 'a question was cancelled',
  'answer.delete': 'an answer was deleted',
};
/** Kinds of bytes (FORMAT.md). */
const KINDS: Readonly<Record<number, string>> = {
  7: 'a question',
  8: 'an encrypted column',
  9: 'a key to compute with',
  11: 'a public key',
};

export class Seen {
  readonly place = h('div', {
    class: 'scroll clinic-seen',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The log',
    'data-testid': 'clinic-seen',
  });
  readonly #desk: Desk;
  #last = -1;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  draw(): void {
    const { entries } = this.#desk.known;
    const last = entries.at(-1)?.seq ?? 0;
    if (last === this.#last) return;
    this.#last = last;
    this.place.replaceChildren(
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h('tr', {}, ...['When', 'What', 'More'].map((text) => h('th', { scope: 'col' }, text))),
        ),
        h('tbody', {}, ...[...entries].reverse().map(rowOf)),
      ),
    );
  }
}

function rowOf({ at, action, details, seq }: Entry): HTMLElement {
  return h(
    'tr',
    { 'data-seq': seq, 'data-action': action },
    h('td', {}, new Date(at).toLocaleTimeString('en-GB')),
    h('td', {}, ACTIONS[action] ?? action),
    h('td', {}, wordsOf(details)),
  );
}

function wordsOf(details: string): string {
  const { bytes, kind, attempt, code } = JSON.parse(details) as Partial<
    Record<'bytes' | 'kind' | 'attempt', number>
  > & {
    code?: string;
  };
  return [
    kind === undefined ? '' : (KINDS[kind] ?? `kind ${kind}`),
    bytes === undefined ? '' : format.bytes(bytes),
    attempt === undefined || attempt < 2 ? '' : `try ${attempt}`,
    code ?? '',
  ]
    .filter(Boolean)
    .join(', ');
}
