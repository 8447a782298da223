/** Limbs that lie anywhere in memory, whose addresses a kernel finds in a table that it is given as `a`. */
import { type Emitter, VECTOR } from './emitter.js';
import type { Local } from './wasm-writer.js';

/** Bytes of an address. */
const ADDRESS = 4;

/** A table of `count` addresses, and a counter of bytes that goes through all limbs at once. */
export class Limbs {
  readonly #e: Emitter;
  readonly #held: readonly Local[];
  readonly #at: Local;

  /** `held`: addresses are in locals, and not loaded where they are used. */
  constructor(e: Emitter, count: number, held: boolean) {
    const { body } = e;
    this.#e = e;
    this.#at = body.local('i32');
    body.i32(0).set(this.#at);
    this.#held = Array.from({ length: held ? count : 0 }, (_, index) => {
      const local = body.local('i32');
      body
        .get(e.a)
        .loadAddress(index * ADDRESS)
        .set(local);
      return local;
    });
  }

  /** Puts a vector of a limb on the stack, so many vectors behind the counter. */
  load(index: number, vector: number): void {
    const { body, a } = this.#e;
    const local = this.#held[index];
    if (local === undefined) body.get(a).loadAddress(index * ADDRESS);
    else body.get(local);
    body
      .get(this.#at)
      .do('i32.add')
      .load(vector * VECTOR);
  }

  /** Stores a vector to `out`, `offset` bytes behind the counter. */
  store(value: Local, offset: number): void {
    this.#e.body.get(this.#e.out).get(this.#at).do('i32.add').get(value).store(offset);
  }

  /** Repeats a step of so many bytes until the counter has gone through `bytes`. */
  each(bytes: number, step: number, body: () => void): void {
    const writer = this.#e.body;
    writer.loop(() => {
      body();
      writer.get(this.#at).i32(step).do('i32.add').tee(this.#at).i32(bytes).do('i32.lt_u');
    });
  }
}
