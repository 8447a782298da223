/** The last operators of each task, and numbers for keys: what predictors share. */
import { keyText } from '../key.js';
import type { OperatorKey } from '../key.js';

/** Keys by number, at most so many: the one that was not met for longest makes room. */
export class Numbered {
  readonly #numbers = new Map<string, number>();
  readonly #keys: OperatorKey[] = [];
  readonly #met: number[] = [];
  #clock = 0;

  constructor(readonly most: number) {}

  get size(): number {
    return this.#keys.length;
  }

  /** The number of a key, with a new one where it has none. `replaced`: a number that meant another key before. */
  of(key: OperatorKey): { readonly number: number; readonly replaced: boolean } {
    const text = keyText(key);
    const known = this.#numbers.get(text);
    if (known !== undefined) {
      this.#met[known] = ++this.#clock;
      return { number: known, replaced: false };
    }
    const full = this.#keys.length >= this.most;
    const number = full ? this.#met.indexOf(Math.min(...this.#met)) : this.#keys.length;
    if (full) this.#numbers.delete(keyText(this.#keys[number] as OperatorKey));
    this.#numbers.set(text, number);
    this.#keys[number] = key;
    this.#met[number] = ++this.#clock;
    return { number, replaced: full };
  }

  find(key: OperatorKey): number | undefined {
    return this.#numbers.get(keyText(key));
  }

  key(number: number): OperatorKey {
    return this.#keys[number] as OperatorKey;
  }

  keys(): readonly OperatorKey[] {
    return [...this.#keys];
  }
}

/** The last few numbers of each of the last few tasks. */
export class Windows {
  readonly #windows = new Map<string, number[]>();

  constructor(
    readonly length: number,
    readonly tasks: number,
  ) {}

  /** Gives those before, the latest last, and adds one. */
  add(task: string, number: number): readonly number[] {
    const window = this.#windows.get(task) ?? [];
    this.#windows.delete(task);
    this.#windows.set(task, window);
    if (this.#windows.size > this.tasks) this.#windows.delete(this.#windows.keys().next().value as string);
    const before = [...window];
    window.push(number);
    if (window.length > this.length) window.shift();
    return before;
  }

  /** A number that means another key from now on. */
  forget(number: number): void {
    for (const [task, window] of this.#windows)
      this.#windows.set(
        task,
        window.filter((one) => one !== number),
      );
  }
}
