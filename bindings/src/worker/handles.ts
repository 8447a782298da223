/** Objects of the wasm by number, so that messages can name them. */
import { failure } from '../errors.js';
import type { Handle } from './protocol.js';

/** A table of objects that have to be freed. */
export class Handles<T extends { free(): void }> {
  readonly #objects = new Map<Handle, T>();
  #last: Handle = 0;

  add(object: T): Handle {
    this.#last += 1;
    this.#objects.set(this.#last, object);
    return this.#last;
  }

  get(handle: Handle): T {
    const object = this.#objects.get(handle);
    if (object === undefined) throw failure('disposed', 'The object was disposed');
    return object;
  }

  free(handle: Handle): void {
    this.#objects.get(handle)?.free();
    this.#objects.delete(handle);
  }
}
