// Very large graphs: time and memory of every stage from 10,000 to 1,000,000 base operators, and how they grow.
import { openEngine } from './lib/engine.mjs';

const COUNTS = [10_000, 100_000, 1_000_000];
const QUICK = [1_000, 10_000];
/**
 * About so many operators are measured of every count, but each graph at least so often: the clock ticks every 4 ms, so that
 * only sums over many graphs tell anything of small ones.
 */
const OPERATORS = 2_000_000;
const LEAST = 3;
/** What the target is on; saving and loading are told beside it. */
const TOGETHER = ['build', 'expand', 'optimize', 'analyze', 'plan'];

/** Rows { name: 'scale:SHAPE', count, ours: s of the stages together, seconds of each, memoryMB, bytesEach, exponents }. */
export async function* scaleRows({ quick, names }) {
  const shapes = (await openEngine(1)).shapes();
  const counts = quick ? QUICK : COUNTS;
  for (const shape of shapes.filter((shape) => names === undefined || names.includes(`scale:${shape}`))) {
    let smallest;
    for (const count of counts) {
      const row = await scaleRow(shape, count, quick ? 1 : Math.max(LEAST, Math.ceil(OPERATORS / count)));
      smallest ??= row;
      if (count === counts.at(-1)) row.exponents = exponents(smallest, row);
      yield row;
    }
  }
}

/** One graph, several times in an instance of its own, whose memory tells the peak of the first time. */
async function scaleRow(shape, count, times) {
  const engine = await openEngine(1);
  const before = engine.memoryBytes();
  const spent = {};
  let operators, bytes, memory;
  for (let time = 0; time < times; time++) {
    const graph = new engine.Scale();
    const timed = (stage, work) => {
      const start = seconds();
      const result = work();
      spent[stage] = (spent[stage] ?? 0) + (seconds() - start) / times;
      return result;
    };
    timed('build', () => graph.build(shape, count));
    operators = timed('expand', () => graph.expand());
    const left = timed('optimize', () => graph.optimize());
    timed('analyze', () => graph.analyze());
    timed('plan', () => graph.plan());
    memory ??= engine.memoryBytes() - before;
    graph.release();
    bytes = timed('save', () => graph.save()) / left;
    if (timed('load', () => graph.load()) !== left) throw new Error(`scale: ${shape} is not what was saved`);
    graph.free();
  }
  return {
    group: 'scale',
    name: `scale:${shape}`,
    scheme: null,
    n: null,
    threads: 1,
    count,
    ours: TOGETHER.reduce((sum, stage) => sum + spent[stage], 0),
    peer: null,
    unit: 's',
    ratio: null,
    seconds: spent,
    baseOperators: operators,
    samples: times,
    memoryMB: memory / 1e6,
    bytesEach: bytes,
  };
}

/** Time of the processor, in this thread: what else a machine does at that time is not counted. */
function seconds() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}

/** By which power of the number of operators each stage, and all together, grows. */
function exponents(small, large) {
  const growth = (of) => Math.log(of(large) / of(small)) / Math.log(large.baseOperators / small.baseOperators);
  const stages = Object.keys(large.seconds).map((stage) => [stage, growth(({ seconds }) => seconds[stage])]);
  return { ...Object.fromEntries(stages), together: growth(({ ours }) => ours) };
}
