/** The page's side of the layout worker. */
import type { PlacedGroup, ShapeGroup } from './layout.js';
import type { LayoutReply, LayoutRequest } from './layout-worker.js';

export class LayoutClient {
  #worker: Worker | undefined;
  #next = 0;
  #pending: { id: number; resolve: (placed: PlacedGroup | undefined) => void } | undefined;

  /** The layout, or undefined if another was asked for meanwhile, or none could be made. */
  layOut(group: ShapeGroup): Promise<PlacedGroup | undefined> {
    this.#pending?.resolve(undefined);
    const request: LayoutRequest = { id: this.#next++, group };
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
      this.#pending.resolve('placed' in data ? data.placed : undefined);
    });
    worker.addEventListener('error', () => this.#pending?.resolve(undefined));
    return (this.#worker = worker);
  }
}
