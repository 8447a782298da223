/** Questions: how far they are, through restarts of the service, and their answers, which are opened here. */
import { button, h } from '../ui/dom.js';
import { type Answer, answerOf, answerPicture, answerTable } from './answer.js';
import { type Desk, nameOf, put, type Question } from './desk.js';

/** A service that is away for so long is given up, until somebody asks again. */
const PATIENCE_MS = 10 * 60_000;
/** Streams at once: a browser has six connections to an old server, for all tabs, and other requests need some. How the other questions are, each look tells. */
const MOST_WATCHED = 2;
const ENDED = ['done', 'failed', 'cancelled'];

export class Questions {
  readonly place = h('ul', { class: 'clinic-list', 'data-testid': 'clinic-questions' });
  readonly #desk: Desk;
  /** Newer than what is known of all. */
  readonly #states = new Map<string, Question>();
  readonly #watching = new Map<string, AbortController>();
  /** Questions whose service is away. */
  readonly #away = new Set<string>();
  readonly #answers = new Map<string, Answer>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  reset(): void {
    for (const controller of this.#watching.values())
      controller.abort(new DOMException('Left', 'AbortError'));
    for (const map of [this.#states, this.#watching, this.#answers]) map.clear();
    this.#away.clear();
  }

  draw(): void {
    const { questions } = this.#desk.known;
    for (const question of questions) if (!ENDED.includes(question.state)) this.#watch(question.id);
    if (questions.length === 0) {
      put(this.place, h('li', { class: 'note' }, 'None yet. Ask a record.'));
      return;
    }
    put(this.place, ...questions.map((question) => this.#item(this.#newest(question))).reverse());
  }

  focus(question: string): void {
    this.place.querySelector<HTMLElement>(`[data-item="${question}"] button`)?.focus();
  }

  #newest(question: Question): Question {
    const heard = this.#states.get(question.id);
    // What is over cannot be newer than what the service says of all.
    if (heard === undefined || ENDED.includes(question.state)) return question;
    // Nor is what was heard of one that is watched no more newer, unless it is over.
    return this.#watching.has(question.id) || ENDED.includes(heard.state) ? heard : question;
  }

  #watch(id: string): void {
    if (this.#watching.has(id) || this.#watching.size >= MOST_WATCHED) return;
    const controller = new AbortController();
    this.#watching.set(id, controller);
    const { client } = this.#desk;
    void client
      .wait(id, {
        signal: controller.signal,
        patienceMs: PATIENCE_MS,
        onState: (state: Question) => {
          this.#away.delete(id);
          this.#states.set(id, state);
          this.draw();
        },
        onAway: () => {
          if (this.#away.has(id)) return;
          this.#away.add(id);
          this.draw();
        },
      })
      // That it failed or was cancelled is in its state; what is left of a service that is away, the next look tells.
      .catch(() => undefined)
      .finally(() => {
        if (this.#watching.get(id) !== controller) return;
        this.#watching.delete(id);
        this.#away.delete(id);
        void this.#desk.refresh().catch(() => undefined);
      });
  }

  #item(question: Question): HTMLElement {
    const { id, state, asker, done, total } = question;
    const { known, user } = this.#desk;
    const mine = asker === user?.id;
    const labels = question.records.map(
      (record) => known.records.find((one) => one.id === record)?.label ?? 'a record',
    );
    const over = ENDED.includes(state);
    const share = total > 0 ? done / total : 0;
    return h(
      'li',
      { 'data-item': id, 'data-state': state, 'data-testid': 'clinic-question' },
      h(
        'div',
        { class: 'clinic-item-head' },
        h('strong', {}, labels.join(', ')),
        h('span', { class: 'note' }, mine ? 'asked by you' : `asked by ${nameOf(known, asker)}`),
      ),
      h('p', { class: 'note' }, known.programs.get(question.program)?.name ?? ''),
      h('p', { class: 'clinic-state', 'data-testid': 'clinic-state' }, this.#words(question)),
      ...(over
        ? []
        : [
            h('progress', { max: 1, value: share, 'aria-label': 'Computed' }, `${Math.round(share * 100)} %`),
          ]),
      h('div', { class: 'row' }, ...this.#buttons(question, mine, over)),
      ...this.#answer(id),
    );
  }

  #words({ id, state, attempt, done, total, error, holder, outputs }: Question): string {
    if (this.#away.has(id))
      return 'The service is away. The question is safe there: this goes on when it is back.';
    const again =
      attempt > 1 ? `, at the ${attempt}${attempt === 2 ? 'nd' : attempt === 3 ? 'rd' : 'th'} try` : '';
    switch (state) {
      case 'queued':
        return 'Waits for its turn.';
      case 'running':
        return `Is being computed on ciphertexts${again}${total > 0 ? `: ${Math.floor((100 * done) / total)} %` : ''}.`;
      case 'failed':
        return `Failed: ${error?.message ?? 'no reason was given'} (${error?.code ?? 'unknown'})`;
      case 'cancelled':
        return 'Cancelled.';
      case 'done':
        if (Object.keys(outputs ?? {}).length === 0) return 'Done; the answer was deleted.';
        if (holder === this.#desk.user?.id) return 'The answer is there, encrypted.';
        return `The answer is there. It opens by the key of ${nameOf(this.#desk.known, holder)}, who can see that you asked.`;
    }
  }

  #buttons(question: Question, mine: boolean, over: boolean): HTMLElement[] {
    const { id, state, outputs, holder } = question;
    const { user } = this.#desk;
    const there = state === 'done' && Object.keys(outputs ?? {}).length > 0;
    return [
      ...(mine && !over
        ? [
            button('Cancel', () => void this.#cancel(id), {
              ...{ class: 'small', 'data-testid': 'clinic-cancel', 'data-focus': `cancel ${id}` },
            }),
          ]
        : []),
      ...(there && holder === user?.id && !this.#answers.has(id)
        ? [
            button('Open the answer here', () => void this.#open(question), {
              ...{ class: 'primary small', 'data-testid': 'clinic-open', 'data-focus': `open ${id}` },
            }),
          ]
        : []),
      ...(there && mine
        ? [
            button('Delete the answer', () => void this.#delete(id), {
              ...{ class: 'small', 'data-testid': 'clinic-delete-answer', 'data-focus': `delete ${id}` },
            }),
          ]
        : []),
    ];
  }

  #answer(id: string): HTMLElement[] {
    const answer = this.#answers.get(id);
    if (answer === undefined) return [];
    const picture = answerPicture(answer);
    return [
      h(
        'div',
        {
          class: 'clinic-answer',
          'data-testid': 'clinic-answer',
          tabindex: -1,
          'data-focus': `answer ${id}`,
        },
        h('div', { class: 'scroll' }, answerTable(answer)),
        ...(picture === undefined ? [] : [picture]),
      ),
    ];
  }

  async #open({ id, program }: Question): Promise<void> {
    await this.#desk.attempt('opening the answer', async () => {
      const { client, known } = this.#desk;
      const question = known.questions.find((one) => one.id === id)!;
      const set = setOf(this.#desk, question);
      if (set === undefined)
        throw new Error(
          'The key of this answer is not in this tab. If you kept it in this browser, open it under “Your keys”; if not, the tab that made it is the only one that can open the answer',
        );
      const opened = await client.program(program);
      const outputs = await client.answerDetails(id, set);
      this.#answers.set(id, answerOf(outputs, opened.info));
      this.draw();
      this.place.querySelector<HTMLElement>(`[data-focus="answer ${id}"]`)?.focus();
    });
  }

  async #cancel(id: string): Promise<void> {
    await this.#desk.attempt('cancelling the question', async () => {
      await this.#desk.client.call('DELETE', `/questions/${id}`);
      await this.#desk.refresh();
    });
  }

  async #delete(id: string): Promise<void> {
    await this.#desk.attempt('deleting the answer', async () => {
      await this.#desk.client.call('DELETE', `/questions/${id}/answer`);
      this.#states.delete(id);
      this.#answers.delete(id);
      await this.#desk.refresh();
    });
  }
}

/** The set of keys that an answer opens by, if its secret key is here. Whoever asked may not see the record any more: then any key for the program is tried. */
function setOf({ client, known }: Desk, { records, program, holder }: Question): string | undefined {
  const [record] = records;
  const own = known.records.find(({ id }) => id === record)?.key;
  if (own !== undefined) return client.holds(own) ? own : undefined;
  const name = nameOf(known, holder);
  return known.keys.find((set) => set.program === program && set.holder === name && client.holds(set.id))?.id;
}
