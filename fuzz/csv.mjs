// Fuzzes the page's CSV reader; `node scripts/fuzz.mjs csv` starts it. Guided by coverage: counters are put into every
// branch of the bundled reader, and a file that reaches what none before reached is kept, and changed further. The oracle
// is that of the tests, bindings/test/hostile-table.ts.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));
const CORPUS = join(HERE, 'corpus', 'csv');
const FOUND = join(process.env.FUZZ_TARGET_DIR ?? join(HERE, '..', 'target', 'fuzz'), 'found', 'csv');
/** Milliseconds of the processor that a file may take. */
const LIMITS = { refused: 100, accepted: 1000 };

const { values: options } = parseArgs({
  strict: false,
  options: {
    runs: { type: 'string' },
    seconds: { type: 'string' },
    input: { type: 'string' },
    seed: { type: 'string' },
    minimize: { type: 'boolean' },
  },
});

/** The oracle, the reader and Papa Parse in one file, with counters in every branch. */
async function target() {
  const require = createRequire(join(HERE, '..', 'bindings', 'package.json'));
  const { build } = await import(pathToFileURL(require.resolve('esbuild')));
  const { default: ts } = await import(pathToFileURL(require.resolve('typescript')));
  const entry = join(HERE, '..', 'bindings', 'test', 'hostile-table.ts');
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const { text, counters } = counted(ts, outputFiles[0].text);
  const file = join(FOUND, '..', 'csv-target.mjs');
  writeFileSync(file, `const counters$ = (globalThis.counters$ = new Uint8Array(${counters}));\n${text}`);
  return import(pathToFileURL(file));
}

/** JavaScript that counts how often each block, case and operand of a choice is reached. */
function counted(ts, text) {
  let counters = 0;
  const { factory } = ts;
  const one = () =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(factory.createIdentifier('counters$'), counters++),
    );
  const first = (statements) =>
    factory.createNodeArray([factory.createExpressionStatement(one()), ...statements]);
  const sequence = (node) => factory.createParenthesizedExpression(factory.createComma(one(), node));
  const choices = [
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ];
  const transform = (context) => {
    const visit = (found) => {
      const node = ts.visitEachChild(found, visit, context);
      if (ts.isBlock(node)) return factory.updateBlock(node, first(node.statements));
      if (ts.isCaseClause(node))
        return factory.updateCaseClause(node, node.expression, first(node.statements));
      if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
        const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow } = node;
        return factory.updateArrowFunction(
          node,
          modifiers,
          typeParameters,
          parameters,
          type,
          arrow,
          sequence(node.body),
        );
      }
      if (ts.isConditionalExpression(node)) {
        const { condition, questionToken, whenTrue, colonToken, whenFalse } = node;
        return factory.updateConditionalExpression(
          node,
          condition,
          questionToken,
          sequence(whenTrue),
          colonToken,
          sequence(whenFalse),
        );
      }
      if (ts.isBinaryExpression(node) && choices.includes(node.operatorToken.kind))
        return factory.updateBinaryExpression(node, node.left, node.operatorToken, sequence(node.right));
      if (ts.isIfStatement(node) && !ts.isBlock(node.thenStatement)) {
        const then = factory.createBlock(first([node.thenStatement]));
        return factory.updateIfStatement(node, node.expression, then, node.elseStatement);
      }
      return node;
    };
    return (file) => ts.visitNode(file, visit);
  };
  const source = ts.createSourceFile('target.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const { transformed } = ts.transform(source, [transform]);
  return { text: ts.createPrinter().printFile(transformed[0]), counters };
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

mkdirSync(FOUND, { recursive: true });
const { read, changed, SEEDS } = await target();
const counters = globalThis.counters$;

function watched(file) {
  const start = process.cpuUsage();
  try {
    const verdict = read(file);
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1000;
    if (took > LIMITS[verdict]) throw new Error(`${verdict} after ${took.toFixed(0)} ms`);
  } catch (error) {
    console.error(`a finding, kept as ${join(FOUND, '..', `csv-${keep(join(FOUND, '..'), file)}`)}:`, error);
    process.exit(1);
  }
}

/** Which powers of two each counter reached so far. */
const known = new Uint16Array(counters.length);
let features = 0;

/** Reads a file; true when it reaches what none before reached. */
function fresh(file) {
  counters.fill(0);
  watched(file);
  const before = features;
  for (let at = 0; at < counters.length; at++) {
    if (counters[at] === 0) continue;
    const power = 1 << (31 - Math.clz32(counters[at]));
    if (known[at] & power) continue;
    known[at] |= power;
    features += 1;
  }
  return features > before;
}

if (options.input) {
  watched(readFileSync(options.input));
  process.exit(0);
}
const start = [...SEEDS.map((seed) => new TextEncoder().encode(seed)), ...files(CORPUS), ...files(FOUND)];
const corpus = start.sort((a, b) => a.length - b.length).filter(fresh);
if (options.minimize) {
  for (const file of corpus) keep(CORPUS, file);
  process.exit(0);
}
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const pick = mulberry(seed);
const one = () => corpus[pick(corpus.length)];
const most = options.runs ? Number(options.runs) : Number.POSITIVE_INFINITY;
const end = options.runs
  ? Number.POSITIVE_INFINITY
  : performance.now() + 1000 * Number(options.seconds ?? 60);
const began = performance.now();
let runs = 0;
let told = began;
console.log(`csv: seed ${seed}, ${corpus.length} files to start from, ${features} features`);
const report = () => {
  const perSecond = (1000 * runs) / (performance.now() - began);
  console.log(
    `csv: ${runs} files, ${corpus.length} kept, ${features} features, ${perSecond.toFixed(0)} a second`,
  );
};
while (runs < most && performance.now() < end) {
  const file = changed(one(), one(), pick);
  if (fresh(file)) {
    corpus.push(file);
    keep(FOUND, file);
  }
  runs += 1;
  if (performance.now() - told > 10_000) {
    told = performance.now();
    report();
  }
}
report();
