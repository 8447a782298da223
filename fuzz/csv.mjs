// Fuzzes the page's CSV reader; `node scripts/fuzz.mjs csv` starts it. Guided by V8's own coverage: a file that reaches
// what none before reached is kept, and changed further. The oracle is that of the tests, bindings/test/hostile-table.ts.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));
const CORPUS = join(HERE, 'corpus', 'csv');
const FOUND = join(process.env.FUZZ_TARGET_DIR ?? join(HERE, '..', 'target', 'fuzz'), 'found', 'csv');
/** Files between two looks at the coverage: a look takes as long as some hundred files. */
const BATCH = 1000;
/** Milliseconds that a file may take. */
const LIMITS = { refused: 100, accepted: 1000 };

const { values: options } = parseArgs({
  strict: false,
  options: { runs: { type: 'string' }, seconds: { type: 'string' }, input: { type: 'string' }, seed: { type: 'string' }, minimize: { type: 'boolean' } },
});

/** The oracle, the reader and Papa Parse in one file that nothing else shares. */
async function target() {
  const require = createRequire(join(HERE, '..', 'bindings', 'package.json'));
  const { build } = await import(pathToFileURL(require.resolve('esbuild')));
  mkdirSync(FOUND, { recursive: true });
  const outfile = join(FOUND, '..', 'csv-target.mjs');
  await build({ entryPoints: [join(HERE, '..', 'bindings', 'test', 'hostile-table.ts')], outfile, bundle: true, format: 'esm', platform: 'node' });
  return { url: pathToFileURL(outfile).href, ...(await import(pathToFileURL(outfile))) };
}

/** Which blocks ran since the last look. */
function coverage(url) {
  const session = new Session();
  session.connect();
  const post = (method, parameters) => {
    let answer;
    session.post(method, parameters, (error, result) => {
      if (error) throw new Error(error.message);
      answer = result;
    });
    return answer;
  };
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return () => {
    const script = post('Profiler.takePreciseCoverage').result.find((found) => found.url === url);
    const ranges = (script?.functions ?? []).flatMap((each) => each.ranges);
    // How often a block runs counts in powers of two.
    return ranges.filter(({ count }) => count > 0).map((r) => `${r.startOffset}-${r.endOffset}:${Math.min(Math.trunc(Math.log2(r.count)), 6)}`);
  };
}

function mulberry(state) {
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) % limit;
  };
}

function files(folder) {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).map((name) => Uint8Array.from(readFileSync(join(folder, name))));
}

function keep(folder, file) {
  const name = createHash('sha1').update(file).digest('hex');
  writeFileSync(join(folder, name), file);
  return name;
}

const { url, read, changed, SEEDS } = await target();
const look = coverage(url);

function watched(file) {
  const start = performance.now();
  try {
    const verdict = read(file);
    const took = performance.now() - start;
    if (took > LIMITS[verdict]) throw new Error(`${verdict} after ${took.toFixed(0)} ms`);
  } catch (error) {
    console.error(`a finding, kept as ${join(FOUND, '..', `csv-${keep(join(FOUND, '..'), file)}`)}:`, error);
    process.exit(1);
  }
}

/** Whether a file runs, by itself, what none before ran. */
const known = new Set();
function isNew(file) {
  look();
  watched(file);
  const before = known.size;
  for (const block of look()) known.add(block);
  return known.size > before;
}

if (options.input) {
  watched(readFileSync(options.input));
  process.exit(0);
}
const start = [...SEEDS.map((seed) => new TextEncoder().encode(seed)), ...files(CORPUS), ...files(FOUND)];
const corpus = start.sort((a, b) => a.length - b.length).filter(isNew);
if (options.minimize) {
  for (const file of corpus) keep(CORPUS, file);
  process.exit(0);
}
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const pick = mulberry(seed);
const one = () => corpus[pick(corpus.length)];
const most = options.runs ? Number(options.runs) : Number.POSITIVE_INFINITY;
const end = options.runs ? Number.POSITIVE_INFINITY : performance.now() + 1000 * Number(options.seconds ?? 60);
const began = performance.now();
let runs = 0;
let told = began;
console.log(`csv: seed ${seed}, ${corpus.length} files to start from, ${known.size} blocks`);
const report = () => {
  const perSecond = (1000 * runs) / (performance.now() - began);
  console.log(`csv: ${runs} files, ${corpus.length} kept, ${known.size} blocks, ${perSecond.toFixed(0)} a second`);
};
while (runs < most && performance.now() < end) {
  const batch = Array.from({ length: Math.min(BATCH, most - runs) }, () => changed(one(), one(), pick));
  // Which of the counts are whose shows when each runs alone: a batch says only that some block is new.
  look();
  for (const file of batch) watched(file);
  runs += batch.length;
  const fresh = look().filter((block) => !known.has(block));
  if (fresh.some((block) => ![...Array(7).keys()].some((power) => known.has(block.replace(/\d+$/, String(power)))))) {
    for (const file of batch) {
      if (!isNew(file)) continue;
      corpus.push(file);
      keep(FOUND, file);
    }
  }
  if (performance.now() - told > 10_000) {
    told = performance.now();
    report();
  }
}
report();
