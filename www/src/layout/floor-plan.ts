/** Where the boxes of a machine stand: clusters with their cores and caches, below them memories, within a width. */
import type { Machine, Place } from 'cipherloom/layout';
import { corePlace } from './walk.js';

/** Sizes of boxes, the room around them, and of a cluster's name. */
const [CORE, WIDEST, TALL, PAD, GAP, HEAD] = [112, 190, 62, 10, 10, 24];
/** Most cores of a cluster in a row. */
const COLUMNS = 4;
/** Room below cores, for what goes from one to another, and above memories. */
const LANE = 34;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface FloorPlan {
  readonly width: number;
  readonly height: number;
  readonly clusters: readonly Box[];
  /** Cores, caches and memories. */
  readonly places: ReadonlyMap<Place, Box>;
}

/** Boxes of a machine; no wider than `width` where one core fits in it. */
export function floorPlan(on: Machine, width: number): FloorPlan {
  const places = new Map<Place, Box>();
  const clusters: Box[] = [];
  let [x, y, tallest, widest, core] = [0, 0, 0, 0, 0];
  const most = Math.max(1, Math.floor((width - 2 * PAD + GAP) / (CORE + GAP)));
  // As wide as all clusters beside each other may be.
  const abreast = on.clusters.reduce((sum, { cores }) => sum + Math.min(cores, COLUMNS), 0);
  const room = (width - on.clusters.length * (2 * PAD + GAP)) / abreast - GAP;
  const wide = Math.max(CORE, Math.min(WIDEST, room));
  for (const [index, { cores, cache }] of on.clusters.entries()) {
    const columns = Math.min(cores, most, COLUMNS);
    const rows = Math.ceil(cores / columns);
    const own = columns * (wide + GAP) - GAP + 2 * PAD;
    const height = HEAD + rows * (TALL + LANE) + (cache ? TALL - 14 + PAD : 0);
    if (x > 0 && x + own > width) {
      y += tallest + GAP;
      x = tallest = 0;
    }
    for (let k = 0; k < cores; k++) {
      const at = {
        x: x + PAD + (k % columns) * (wide + GAP),
        y: y + HEAD + Math.floor(k / columns) * (TALL + LANE),
      };
      places.set(corePlace(core++), { ...at, width: wide, height: TALL });
    }
    if (cache)
      places.set(`cluster${index + 1}`, {
        x: x + PAD,
        y: y + HEAD + rows * (TALL + LANE),
        width: own - 2 * PAD,
        height: TALL - 14,
      });
    clusters.push({ x, y, width: own, height });
    widest = Math.max(widest, x + own);
    tallest = Math.max(tallest, height);
    x += own + GAP;
  }
  y += tallest + LANE;
  const perRow = Math.min(
    on.memories,
    Math.max(1, Math.floor((Math.max(widest, CORE) + GAP) / (CORE + GAP))),
  );
  const store = (Math.max(widest, CORE) + GAP) / perRow - GAP;
  for (let memory = 0; memory < on.memories; memory++)
    places.set(`mem${memory + 1}`, {
      x: (memory % perRow) * (store + GAP),
      y: y + Math.floor(memory / perRow) * (TALL + GAP),
      width: store,
      height: TALL - 14,
    });
  const rows = Math.ceil(on.memories / perRow);
  return { width: Math.max(widest, CORE), height: y + rows * (TALL + GAP) - GAP - 14 + 2, clusters, places };
}
