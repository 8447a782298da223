/** The tab “Learn”: a lesson, its numbers, its stops, its question. */
import type { App } from '../app.js';
import { failureOf } from '../failure.js';
import { h } from '../ui/dom.js';
import { keepFocus } from '../ui/keep-focus.js';
import { type FieldFrame, type Frame, makeFields, makeFrame } from './frame.js';
import { FieldError, type Given, type Lesson, numbersOf, type Shown } from './lesson.js';
import { lessonOf, LESSONS } from './lessons.js';
import './learn.css';

/** Milliseconds without a key before numbers are read, and before a visitor is told to wait. */
const [SETTLE, PATIENCE] = [200, 300];

export class Learn {
  readonly #frame: Frame;
  readonly #app: Pick<App, 'loom'>;
  #lesson: Lesson = LESSONS[0]!;
  #fields: ReadonlyMap<string, FieldFrame> = new Map();
  #shown: Shown | undefined;
  #at = 0;
  #settling = 0;
  /** Counts what was asked for: only the last answer is shown. */
  #asked = 0;

  constructor(host: HTMLElement, app: Pick<App, 'loom'>) {
    this.#frame = makeFrame(host, LESSONS);
    this.#app = app;
    this.#connect(host);
    this.#open(lessonOf(location.hash));
  }

  #connect(host: HTMLElement): void {
    const { lessons, back, on, ask, reveal } = this.#frame;
    for (const lesson of LESSONS)
      lessons.get(lesson.id)!.addEventListener('click', () => {
        if (lesson !== this.#lesson && location.hash.split('?')[0] === '#learn') {
          // So that Back comes to the lesson that was open, which an address without one does not say.
          history.replaceState(null, '', `#learn?${this.#lesson.id}`);
          history.pushState(null, '', `#learn?${lesson.id}`);
        }
        this.#open(lesson);
      });
    // What Back and Forward come to is told by this one too.
    addEventListener('hashchange', () => {
      const lesson = lessonOf(location.hash);
      if (location.hash.startsWith('#learn?') && lesson !== this.#lesson) this.#open(lesson);
    });
    back.addEventListener('click', () => this.#goTo(this.#at - 1));
    on.addEventListener('click', () => this.#goTo(this.#at + 1));
    host.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const { target } = event;
      // Keys that a field, or what scrolls, needs itself.
      if (by === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (target instanceof Element && target.closest('input, select, textarea, .scroll') !== null) return;
      event.preventDefault();
      this.#goTo(this.#at + by);
    });
    ask.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#check();
    });
    reveal.addEventListener('click', () => {
      if (this.#shown !== undefined) this.#say('told', this.#shown.question.why);
    });
  }

  #open(lesson: Lesson): void {
    this.#lesson = lesson;
    this.#at = 0;
    const { lessons, title, lead, fields, sources } = this.#frame;
    for (const [id, choice] of lessons)
      if (id === lesson.id) choice.setAttribute('aria-current', 'page');
      else choice.removeAttribute('aria-current');
    title.textContent = lesson.title;
    lead.textContent = lesson.lead;
    this.#fields = makeFields(fields, lesson.fields);
    for (const { control } of this.#fields.values())
      control.addEventListener('input', () => {
        this.#stale();
        clearTimeout(this.#settling);
        this.#settling = setTimeout(
          () => void this.#run(),
          control instanceof HTMLSelectElement ? 0 : SETTLE,
        );
      });
    sources.replaceChildren(
      ...lesson.sources.map(({ text, address }) =>
        h(
          'li',
          {},
          text,
          ...(address === undefined ? [] : [' ', h('a', { href: address, rel: 'noreferrer' }, address)]),
        ),
      ),
    );
    clearTimeout(this.#settling);
    this.#stale();
    this.#clear();
    void this.#run();
  }

  /** What is shown is of other numbers. */
  #stale(): void {
    this.#asked++;
    this.#frame.walk.dataset['stale'] = 'true';
  }

  /** Nothing of the lesson before is shown, or asked, any more. */
  #clear(): void {
    this.#shown?.dispose?.();
    this.#shown = undefined;
    const { stop, body, at, back, on, question, answer, verdict, failure } = this.#frame;
    for (const part of [stop, body, at, question, verdict]) part.replaceChildren();
    answer.value = '';
    failure.hidden = true;
    back.disabled = on.disabled = true;
  }

  async #run(): Promise<void> {
    const asked = this.#asked;
    const lesson = this.#lesson;
    const { walk, status, failure } = this.#frame;
    const given = this.#read();
    if (given === undefined) return;
    const slow = setTimeout(() => (status.textContent = 'Computing…'), PATIENCE);
    walk.setAttribute('aria-busy', 'true');
    try {
      const shown = await lesson.show(await this.#app.loom(), given);
      if (asked !== this.#asked) return shown.dispose?.();
      this.#shown?.dispose?.();
      this.#shown = shown;
      failure.hidden = true;
      this.#draw();
    } catch (error) {
      if (asked !== this.#asked) return;
      const { sentence, code } = failureOf(error, `running the lesson ${lesson.id}`);
      failure.replaceChildren(`${sentence} `, h('code', {}, code));
      failure.hidden = false;
    } finally {
      clearTimeout(slow);
      if (asked === this.#asked) {
        status.textContent = '';
        walk.removeAttribute('aria-busy');
      }
    }
  }

  /** The numbers of the fields; undefined where one of them is wrong, which is said. */
  #read(): Given | undefined {
    const given: Record<string, readonly bigint[]> = {};
    let isRight = true;
    for (const field of this.#lesson.fields) {
      const { control, wrong } = this.#fields.get(field.name)!;
      wrong.hidden = true;
      control.removeAttribute('aria-invalid');
      try {
        given[field.name] =
          field.kind === 'choice' ? [BigInt(control.value)] : numbersOf(field, control.value);
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        isRight = false;
        wrong.textContent = `${error.message}. What is below is of the numbers before.`;
        wrong.hidden = false;
        control.setAttribute('aria-invalid', 'true');
      }
    }
    return isRight ? given : undefined;
  }

  #draw(): void {
    const { walk, question, answer, verdict } = this.#frame;
    const shown = this.#shown!;
    question.textContent = shown.question.text;
    answer.value = '';
    verdict.textContent = '';
    delete verdict.dataset['right'];
    this.#goTo(Math.min(this.#at, shown.stops.length - 1));
    walk.dataset['stale'] = 'false';
  }

  #goTo(at: number): void {
    const stops = this.#shown?.stops;
    if (stops === undefined || at < 0 || at >= stops.length) return;
    this.#at = at;
    const { stop, body, back, on, at: place } = this.#frame;
    stop.textContent = stops[at]!.title;
    body.replaceChildren(...stops[at]!.body);
    place.textContent = `Step ${at + 1} of ${stops.length}`;
    const change = (): void => {
      back.disabled = at === 0;
      on.disabled = at === stops.length - 1;
    };
    keepFocus(change, on, back);
  }

  #check(): void {
    const { answer } = this.#frame;
    if (this.#shown === undefined) return;
    const text = answer.value.trim().replaceAll(/[,\s]/g, '').replace('−', '-');
    if (!/^[+-]?\d{1,30}$/.test(text)) return this.#say('wrong', 'Give a whole number.');
    const { question } = this.#shown;
    if (BigInt(text.replace('+', '')) === question.answer) this.#say('right', `Right. ${question.why}`);
    else this.#say('wrong', 'Not so. Walk through once more, or have the answer shown.');
  }

  #say(right: 'right' | 'wrong' | 'told', text: string): void {
    const { verdict } = this.#frame;
    verdict.dataset['right'] = right;
    verdict.textContent = text;
  }
}
