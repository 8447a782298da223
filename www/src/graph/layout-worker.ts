/** Lays out pictures away from the page's thread. A new one ends the one before. */
import { type FlatGraph, type FlatPlaces, placeFlat } from './flat-layout.js';
import { type FlatGroupShapes, layOutFlat, type LayoutCache, type PlacedGroup } from './layout.js';

/** Boxes in boxes, or all operators of a stage. */
export type LayoutRequest = { readonly id: number } & (
  { readonly groups: readonly FlatGroupShapes[] } | { readonly flat: FlatGraph }
);

export type LayoutReply = { readonly id: number } &
  /** Each layout once, and which of them every group has: expansions repeat. */
  (
    | { readonly layouts: readonly PlacedGroup[]; readonly which: Uint32Array }
    | { readonly places: FlatPlaces }
    | { readonly error: string }
  );

const MOST_CACHED = 2000;
/** Milliseconds of work after which a newer request may come in. */
const SLICE = 20;
const cache: LayoutCache = new Map();
let latest = -1;
let sliceStart = 0;

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  latest = data.id;
  void answer(data);
});

async function answer(request: LayoutRequest): Promise<void> {
  const { id } = request;
  if (cache.size > MOST_CACHED) cache.clear();
  let reply: LayoutReply;
  try {
    reply =
      'flat' in request
        ? { id, places: placeFlat(request.flat) }
        : { id, ...once(await layOutFlat(request.groups, cache, () => newestOnly(id))) };
  } catch (error) {
    reply = { id, error: String(error) };
  }
  postMessage(reply);
}

function once(all: readonly PlacedGroup[]): { layouts: PlacedGroup[]; which: Uint32Array } {
  const places = new Map<PlacedGroup, number>();
  for (const one of all) if (!places.has(one)) places.set(one, places.size);
  return { layouts: [...places.keys()], which: Uint32Array.from(all, (one) => places.get(one)!) };
}

/** Lets a newer request come in, and ends this one if there is one. */
async function newestOnly(id: number): Promise<void> {
  if (performance.now() - sliceStart < SLICE) return;
  await new Promise((resolve) => setTimeout(resolve));
  sliceStart = performance.now();
  if (id !== latest) throw new Error('A newer picture was asked for.');
}
