/** Opens what is written, a moment after it was last changed; a newer text ends the check of the one before. */
import type { Circuit } from 'cipherloom';

/** Milliseconds without a change before a text is checked. */
const SETTLE = 300;

export interface CheckerEvents {
  open(text: string, signal: AbortSignal): Promise<Circuit>;
  started(): void;
  opened(circuit: Circuit, text: string): void;
  failed(error: unknown, text: string, signal: AbortSignal): void;
}

export class Checker {
  readonly #events: CheckerEvents;
  #timer = 0;
  #running: AbortController | undefined;

  constructor(events: CheckerEvents) {
    this.#events = events;
  }

  /** Has a text checked, by default when nothing else comes for a moment. */
  check(text: string, wait = SETTLE): void {
    this.cancel();
    const controller = new AbortController();
    this.#running = controller;
    this.#events.started();
    this.#timer = setTimeout(() => void this.#check(text, controller), wait);
  }

  /** Ends what goes on. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#running?.abort(new DOMException('Another text is checked', 'AbortError'));
    this.#running = undefined;
  }

  async #check(text: string, controller: AbortController): Promise<void> {
    const { signal } = controller;
    try {
      const circuit = await this.#events.open(text, signal);
      if (this.#running === controller) this.#events.opened(circuit, text);
      else circuit.dispose();
    } catch (error) {
      if (this.#running === controller) this.#events.failed(error, text, signal);
    }
  }
}
