/** The page's side of the layout worker. */
import type { FlatGraph, FlatPlaces } from './flat-layout.js';
import type { PlacedGroup, ShapeGroup } from './layout.js';
import type { LayoutReply, LayoutRequest } from './layout-worker.js';

export class LayoutClient {
  #worker: Worker | undefined;
  #next = 0;
  #pending: { id: number; resolve: (reply: LayoutReply | undefined) => void } | undefined;

  /** The layout, or undefined if another was asked for meanwhile, or none could be made. */
  async layOut(group: ShapeGroup): Promise<PlacedGroup | undefined> {
    const reply = await this.#ask({ id: this.#next++, group });
    return reply !== undefined && 'placed' in reply ? reply.placed : undefined;
  }

  /** The same for all operators of a stage. */
  async placeFlat({ wave, inputsStart, inputs }: FlatGraph): Promise<FlatPlaces | undefined> {
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
