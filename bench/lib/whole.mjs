// Whole tasks, ours against the same by hand on node-seal in its fastest form.
import { load } from 'cipherloom';
import { compare, figures, statistics } from './measure.mjs';

/** Bits of noise budget (of precision, where results are near) that must be left, as our compiler asks for. */
const PEER_MARGIN = 2;
/** Milliseconds for which each side of a whole task works on before the next. */
const BURST = 150;
const MOST_SAMPLES = 9;
const PHASES = ['encrypt', 'evaluate', 'decrypt'];

/** How much is measured of a whole task. */
export function effortOf(effort, quick) {
  return { ...effort, most: Math.min(effort.most, quick ? 3 : MOST_SAMPLES), burst: BURST };
}

/**
 * One job on looms of each number of threads, and on node-seal. `by` says what its figure is: the task as a `whole`, or the run
 * of the server alone, `evaluate`; then the row has both, each against the peer's program that is the fastest by it.
 */
export async function* jobRows(group, name, job, threads, effort) {
  const { scheme = 'bfv', by = 'whole' } = job;
  const input = job.input();
  const looms = [];
  const sides = [];
  try {
    for (const count of threads) {
      const loom = await load({ threads: count });
      looms.push(loom);
      const opened = await job.ours(loom, input);
      const { result, served } = await phases(opened);
      job.check(input, result);
      if (served !== undefined) job.check(input, await opened.decrypt(served));
      sides.push({ ...opened, threads: count, variant: loom.mode.variant });
    }
    const { best, tried } = await fastest(job, input, by === 'whole' ? [by] : [by, 'whole']);
    const peers = [...new Set(Object.values(best).map(({ peer }) => peer))];
    const spent = new Map();
    const timed = (side) => async () => {
      const { milliseconds } = await phases(side);
      if (!spent.has(side)) spent.set(side, []);
      spent.get(side).push(milliseconds);
      return milliseconds[by];
    };
    const measured = await compare([...sides, ...peers].map(timed), { ...effort, counted: true });
    const phase = (side, which) => statistics(spent.get(side).map((milliseconds) => milliseconds[which])).median;
    const { peer, candidate } = best[by];
    const theirs = measured[sides.length + peers.indexOf(peer)];
    for (const [place, side] of sides.entries()) {
      const each = PHASES.map((which) => [which, { ours: phase(side, which), peer: phase(peer, which) }]);
      yield {
        group,
        name,
        scheme,
        n: side.n,
        threads: side.threads,
        ...figures([measured[place], theirs]),
        variant: side.variant,
        phases: Object.fromEntries(each),
        keys: { ours: side.keyTime, peer: peer.keyTime },
        compile: side.compileTime,
        peerParameters: candidate,
        peerBudget: peer.budget(),
        peerTried: tried,
        ...(by !== 'whole' && both(best.whole, (which) => phase(which, 'whole'), side)),
        ...(peer.encodeTime !== undefined && { peerEncode: peer.encodeTime }),
        ...(side.about && (await side.about())),
        ...(place > 0 && { speedup: measured[0].median / measured[place].median }),
      };
    }
  } finally {
    for (const loom of looms) loom.dispose();
  }
}

/** The whole task, where a row's own figure is another. */
function both({ peer, candidate }, time, side) {
  const [ours, theirs] = [time(side), time(peer)];
  return { whole: { ours, peer: theirs, ratio: theirs / ours, peerParameters: candidate } };
}

/** Encrypt, evaluate, decrypt, each timed; `serve`, where there is one, is what the server does for inputs that it has had before, and counts as `evaluate`. */
async function phases({ encrypt, evaluate, decrypt, serve }) {
  const at = [performance.now()];
  const inputs = await encrypt();
  at.push(performance.now());
  const outputs = await evaluate(inputs);
  at.push(performance.now());
  const result = await decrypt(outputs);
  at.push(performance.now());
  const each = PHASES.map((which, place) => [which, at[place + 1] - at[place]]);
  const milliseconds = { ...Object.fromEntries(each), whole: at[3] - at[0] };
  if (serve === undefined) return { result, milliseconds };
  const start = performance.now();
  const served = await serve();
  return { result, served, milliseconds: { ...milliseconds, evaluate: performance.now() - start } };
}

/** The peer's fastest form of a job that leaves noise budget, checked for the right numbers: one by each figure. */
export async function fastest(job, input, by = ['whole']) {
  const best = {};
  const tried = [];
  for (const [index, candidate] of job.candidates.entries()) {
    const peer = job.peer(input, candidate);
    const { result } = await phases(peer);
    const budget = peer.budget();
    // Right by luck is not enough: other keys and inputs must do as well.
    if (budget < PEER_MARGIN) {
      tried.push({ ...candidate, milliseconds: null, budget });
      peer.free?.();
      continue;
    }
    job.check(input, result);
    const runs = [];
    const once = async () => void runs.push((await phases(peer)).milliseconds);
    await compare([once], { warmUp: 300, time: 0, most: 5, least: 3 });
    // What else runs on the machine only adds.
    const least = (which) => Math.min(...runs.map((milliseconds) => milliseconds[which]));
    const wholly = by.length > 1 && { whole: least('whole') };
    tried.push({ ...candidate, milliseconds: least(by[0]), ...wholly, budget });
    for (const which of by) {
      if (best[which] === undefined || least(which) < best[which].least)
        best[which] = { peer, candidate, index, least: least(which) };
    }
  }
  if (best[by[0]] === undefined) throw new Error('node-seal: no candidate leaves noise budget');
  return { best, tried };
}
