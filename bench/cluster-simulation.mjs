#!/usr/bin/env node
// A thousand workers, simulated: where a cluster stops to scale, and why. Costs of a part are those that `node bench/cluster.mjs` measures, its times those of real parts, measured
// here. `node bench/cluster-simulation.mjs [--manager MS] [--redis MS] [--idle MS] [--worker MS] [--quick]`
import { parseArgs } from 'node:util';
import { inline, loadJob, fromModule, SparseValueVector, VectorMap } from 'cipherloom/job';
import { mulberry32 } from '../pkg-tests/lib/random.mjs';

const { values } = parseArgs({
  options: {
    // Milliseconds of processor for each part: of the manager's only thread, of Redis' only thread, and of a worker beside the computing; and of Redis for each worker and second.
    manager: { type: 'string', default: '1' },
    redis: { type: 'string', default: '0.55' },
    worker: { type: 'string', default: '2' },
    idle: { type: 'string', default: '0.38' },
    quick: { type: 'boolean', default: false },
  },
});
const COST = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? Number(value) : value]),
);
/** A message from one machine to another, milliseconds. */
const WAY = 0.25;
/** Tasks that rounds have under way for each worker. */
const AHEAD = 2;
const WORKERS = [1, 10, 100, 300, 1000, ...(COST.quick ? [] : [3000])];
const PART_MS = [10, 100, 1000, 10_000];
const PARTS_EACH = COST.quick ? 5 : 20;

/** How parts differ among each other: times of 200 equal ones on this machine, over their median. */
async function spread() {
  const module = new URL('../pkg-tests/cluster/functions.mjs', import.meta.url);
  const parts = 220;
  const crew = inline();
  const job = await loadJob(
    {
      inputs: { x: SparseValueVector({ parts }) },
      rounds: [VectorMap(fromModule(module, { name: 'work' }), { over: 'x' })],
    },
    { crew },
  );
  for (let key = 0; key < 1000 * parts; key++) await job.inputs.x.emit(key, key);
  await job.run();
  const times = [];
  for await (const { event, milliseconds } of job.log.getItr()) if (event === 'end') times.push(milliseconds);
  job.dispose();
  // Until the module is compiled.
  times.splice(0, 20);
  const median = times.toSorted((a, b) => a - b)[times.length >> 1];
  return { median, relative: times.map((time) => time / median) };
}

/** Events by their times. */
class Agenda {
  #heap = [];
  get size() {
    return this.#heap.length;
  }
  add(time, what) {
    const heap = this.#heap;
    let at = heap.push({ time, what }) - 1;
    for (; at > 0;) {
      const above = (at - 1) >> 1;
      if (heap[above].time <= heap[at].time) break;
      [heap[above], heap[at]] = [heap[at], heap[above]];
      at = above;
    }
  }
  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const below of [2 * at + 1, 2 * at + 2])
          if (below < heap.length && heap[below].time < heap[least].time) least = below;
        if (least === at) break;
        [heap[least], heap[at]] = [heap[at], heap[least]];
        at = least;
      }
    }
    return first;
  }
}

/** One thing after the other. `share`: the part of its time that is left for this. */
class Server {
  busy = 0;
  #free = 0;
  constructor(share = 1) {
    this.share = share;
  }
  /** When something that comes at `now` and takes `cost` is done. */
  done(now, cost) {
    const took = cost / this.share;
    this.#free = Math.max(this.#free, now) + took;
    this.busy += took;
    return this.#free;
  }
}

function simulate(workers, partMs, relative) {
  const random = mulberry32(workers * 31 + partMs);
  const agenda = new Agenda();
  const manager = new Server();
  // Signs of life and empty looks into queues come first.
  const idle = (workers * COST.idle) / 1000;
  if (idle >= 1) return { rate: 0, why: 'Redis: signs of life' };
  const redis = new Server(1 - idle);
  const parts = workers * PARTS_EACH;
  const queue = [];
  let free = workers;
  let sent = 0;
  let done = 0;
  let end = 0;
  let computed = 0;
  const send = (now) => {
    if (sent === parts) return;
    sent += 1;
    // Half of the manager's work is before a part, half after it; of Redis' a third each: queueing, taking, finishing.
    const added = redis.done(manager.done(now, COST.manager / 2) + WAY, COST.redis / 3);
    agenda.add(added, queued);
  };
  const queued = (now) => {
    if (free === 0) return void queue.push(now);
    free -= 1;
    take(now);
  };
  const take = (now) => {
    const taken = redis.done(now, COST.redis / 3) + 3 * WAY;
    const time = partMs * relative[Math.floor(random() * relative.length)];
    computed += time;
    agenda.add(taken + COST.worker + time, finished);
  };
  const finished = (now) => {
    agenda.add(redis.done(now + WAY, COST.redis / 3) + WAY, known);
    if (queue.length === 0) free += 1;
    else {
      queue.shift();
      take(now);
    }
  };
  const known = (now) => {
    end = manager.done(now, COST.manager / 2);
    done += 1;
    send(end);
  };
  for (let index = 0; index < AHEAD * workers; index++) send(0);
  while (agenda.size > 0) {
    const { time, what } = agenda.next();
    what(time);
  }
  if (done !== parts) throw new Error(`${done} of ${parts} parts`);
  const use = {
    manager: manager.busy / end,
    redis: (redis.busy * redis.share) / end + idle,
    workers: computed / end / workers,
  };
  const [most, who] = use.manager >= use.redis ? [use.manager, "the manager's thread"] : [use.redis, "Redis' thread"];
  const why = use.workers > 0.8 ? '' : most > 0.8 ? who : 'the slowest parts, and the last ones';
  return { rate: (1000 * parts) / end, use, why };
}

const percent = (value) => `${Math.round(100 * value)} %`;
const { median, relative } = await spread();
console.log(
  `costs: manager ${COST.manager} ms, Redis ${COST.redis} ms, worker ${COST.worker} ms a part; Redis ${COST.idle} ms a second for each worker. Parts measured here: median ${median.toFixed(1)} ms, from ${Math.min(...relative).toFixed(2)} to ${Math.max(...relative).toFixed(2)} of it`,
);
console.log('part ms | workers | parts/s | computing | manager | Redis | held up by');
for (const partMs of PART_MS) {
  for (const workers of WORKERS) {
    const { rate, use, why } = simulate(workers, partMs, relative);
    const cells = use ? [percent(use.workers), percent(use.manager), percent(use.redis)] : ['-', '-', '-'];
    console.log([partMs, workers, rate.toFixed(0), ...cells, why].join(' | '));
  }
  const most = Math.floor((partMs + COST.worker) / COST.manager);
  console.log(
    `parts of ${partMs} ms keep about ${most} workers busy: one manager makes ${Math.round(1000 / COST.manager)} parts a second`,
  );
}
process.exit();
