/** The page's side of the layout worker: it keeps what was placed, and asks for what is new alone. */
import type { FlatGraph, FlatPlaces } from './flat-layout.js';
import { assemble, flatten, type Placed, type PlacedGroup, type ShapeGroup } from './layout.js';
import type { LayoutReply, LayoutRequest } from './layout-worker.js';
import { pace, Superseded } from './pace.js';

export class LayoutClient {
  #worker: Worker | undefined;
  #next = 0;
  #pending: { id: number; resolve: (reply: LayoutReply | undefined) => void } | undefined;
  readonly #placed: Placed = new WeakMap();
  /** Counts what was asked for. */
  #asked = 0;

  /**
   * The layout, or undefined if another was asked for meanwhile, or none could be made. Groups that were asked for before are the
   * same objects again.
   */
  async layOut(group: ShapeGroup): Promise<PlacedGroup | undefined> {
    const turn = ++this.#asked;
    const slices = pace(() => turn !== this.#asked);
    try {
      const flat = await flatten(group, this.#placed, slices);
      if (flat.groups.length > 0) {
        const reply = await this.#ask({ id: this.#next++, groups: flat.groups });
        if (reply === undefined || !('layouts' in reply)) return undefined;
        const { layouts, which } = reply;
        await assemble(
          flat,
          Array.from(which, (index) => layouts[index]!),
          this.#placed,
          slices,
        );
      }
      return turn === this.#asked ? this.#placed.get(group) : undefined;
    } catch (error) {
      if (error instanceof Superseded) return undefined;
      throw error;
    }
  }

  /** The same for all operators of a stage. */
  async placeFlat({ wave, inputsStart, inputs }: FlatGraph): Promise<FlatPlaces | undefined> {
    this.#asked++;
    const reply = await this.#ask({ id: this.#next++, flat: { wave, inputsStart, inputs } });
    return reply !== undefined && 'places' in reply ? reply.places : undefined;
  }

  #ask(request: LayoutRequest): Promise<LayoutReply | undefined> {
    this.#pending?.resolve(undefined);
    return new Promise((resolve) => {
      this.#pending = { id: request.id, resolve };
      this.#start().postMessage(request);
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./layout-worker.js', import.meta.url), {
      type: 'module',
      name: 'layout',
    });
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutReply>) => {
      if (data.id !== this.#pending?.id) return;
      this.#pending.resolve(data);
    });
    worker.addEventListener('error', () => this.#pending?.resolve(undefined));
    return (this.#worker = worker);
  }
}
