// The inside: each kernel against the reference, the engine's scheduling against a fixed order.
import { openEngine } from './lib/engine.mjs';
import { compare, figures } from './lib/measure.mjs';
import { createTask } from 'cipherloom';
import { columns } from './tasks/data.mjs';
import { describeStatistics } from './tasks/statistics.mjs';

const DIMENSIONS = [4096, 8192, 16384];
/** A sample is about that many milliseconds of one kernel. */
const SAMPLE = 2;

/** Parameters of the operators group at N = 8192: SEAL's default primes. */
const DATA = [0x7fffffd8001n, 0x7fffffc8001n, 0xfffffffc001n, 0xffffff6c001n];
const SPECIAL = [0xfffffebc001n];
const PLAIN = 786433n;

export async function* insideRows({ effort, names, dimensions = DIMENSIONS }) {
  const wanted = (name) => names === undefined || names.includes(name);
  const engine = await openEngine(1);
  for (const operator of engine.baseOperators().filter((name) => wanted(`kernel:${name}`))) {
    for (const n of dimensions) {
      const kernels = engine.Kernels.prepare(operator, n);
      if (kernels === undefined) console.warn(`no case for the kernel of ${operator}: bench/wasm/src/kernels.rs`);
      else yield await kernelRow(kernels, operator, n, effort);
    }
  }
  if (wanted('scheduling')) yield* schedulingRows(engine, effort);
}

async function kernelRow(kernels, operator, n, effort) {
  if (operator !== 'rns.norm') kernels.check();
  const times = (run) => {
    const start = performance.now();
    run(20);
    return Math.max(1, Math.round((SAMPLE * 20) / (performance.now() - start)));
  };
  const [ours, peer] = [times((t) => kernels.runSimd(t)), times((t) => kernels.runScalar(t))];
  const small = { ...effort, time: effort.time / 10 };
  const [simd, scalar] = await compare([() => kernels.runSimd(ours), () => kernels.runScalar(peer)], small);
  kernels.free();
  const each = ({ median, ...rest }, count) => ({ ...rest, median: (1000 * median) / count });
  return {
    group: 'inside',
    name: `kernel:${operator}`,
    scheme: null,
    n,
    threads: 1,
    ...figures([each(simd, ours), each(scalar, peer)]),
    unit: 'us',
    against: 'scalar',
  };
}

/**
 * Rows whose ratio is the time in a fixed order over the time with the engine's scheduling: 0.97 is 3% of overhead. Storage
 * and the calls of kernels are in both; what making ready for a run takes, storage above all, is `storage`.
 */
async function* schedulingRows(engine, effort) {
  const n = 8192;
  const bfv = new engine.Scheme('bfv', n, Number(PLAIN), BigUint64Array.from(DATA), BigUint64Array.from(SPECIAL));
  const statistics = createTask();
  describeStatistics(statistics, columns(569));
  const cases = [
    ['multiply_relinearize', n, bfv.prepare('multiply_relinearize', 4)],
    ['statistics_569', null, new engine.Task(JSON.stringify(statistics.literal()))],
  ];
  for (const [what, dimension, program] of cases) {
    program.check();
    const [engine, straight, start] = await compare(
      [() => program.run(), () => program.runStraight(), () => program.start()],
      effort,
    );
    yield {
      group: 'inside',
      name: 'scheduling',
      scheme: 'bfv',
      n: dimension,
      threads: 1,
      ...figures([engine, straight]),
      what,
      baseOperators: program.operators(),
      storage: start.median,
      against: `fixed order, ${what}`,
    };
    program.free();
  }
  bfv.free();
}
