/**
 * From the schedule of a transform on a GPU to its shader: WGSL that follows what all shaders have before it (`engine/src/platform/gpu/words.rs`: bindings, records, arithmetic of 64-bit
 * words). Deterministic.
 *
 * A workgroup has `group * each` words of the ring, its tile: of a pass whose blocks are smaller some whole blocks, of others some columns of one block. A step does its layers on
 * `2^layers` words at a time, in registers; the first one reads storage and the last one writes it, and between steps words are exchanged in the memory of the workgroup.
 * Every loop ends at a constant, and every barrier is reached by all invocations of a workgroup, whatever the data.
 */
import type { WorkgroupNeeds } from '../../gpu/needs.js';
import { type ShaderSchedule as Schedule, tileOf } from './schedule.js';

/** The words of a table that a shader reads, for each power of the root (`engine/src/platform/gpu/made.rs`: `Factors`). */
export type Factors = `${Schedule['product']}${32 | 64}`;

/** A shader. */
export interface MadeShader {
  /** What follows the prelude; entry points `pass0`, `pass1`, ... */
  readonly body: string;
  /** Workgroups of one operator in each pass. */
  readonly passes: Uint32Array<ArrayBuffer>;
  readonly factors: Factors;
  /** What it takes of a device. */
  readonly needs: WorkgroupNeeds;
}

/** What is said of one pass. */
interface Pass {
  readonly steps: readonly number[];
  /** Layers of the transform before it, and its own. */
  readonly before: number;
  readonly layers: number;
  /** Words between those that meet in its last layer. */
  readonly part: number;
  /** Columns of a block that a workgroup has. */
  readonly columns: number;
  /** Blocks that a workgroup has, or 1, and workgroups that share one, or 1. */
  readonly blocks: number;
  readonly shared: number;
  /** Whether it reads the input, and whether nothing comes after it. */
  readonly first: boolean;
  readonly final: boolean;
}

/** One step of a pass. */
interface Step {
  readonly layers: number;
  /** Layers of the pass before it. */
  readonly before: number;
  readonly first: boolean;
  readonly last: boolean;
}

/** The shader of a schedule that was checked. */
export function makeShader(schedule: Schedule): MadeShader {
  const { n, each, words, product } = schedule;
  const tile = tileOf(schedule);
  const passes = passesOf(schedule);
  const memory = passes.some(({ steps }) => steps.length > 1);
  const workgroups = n / tile;
  const factors: Factors = `${product}${words === 1 ? 32 : 64}`;
  const parts = [
    // All that the shader is is in its text, and so in its hash.
    `\n// Factors: ${factors}. Workgroups: ${workgroups} in each of ${passes.length} passes.\n`,
    arithmetic(schedule),
    memory ? `\nvar<workgroup> words: array<Value, ${tile}>;\n` : '',
    ...passes.map((pass, number) => passText(schedule, pass, number)),
  ];
  return {
    body: parts.join(''),
    passes: new Uint32Array(passes.map(() => workgroups)),
    factors,
    needs: { invocations: tile / each, bytes: memory ? tile * 4 * words : 0 },
  };
}

/** In the order in which they are done. */
function passesOf(schedule: Schedule): Pass[] {
  const { n, passes, piece } = schedule;
  const tile = tileOf(schedule);
  const forward = piece === 'gpu.forward';
  let before = 0;
  const found = passes.map((steps, index): Pass => {
    const layers = steps.reduce((sum, step) => sum + step, 0);
    const part = n / 2 ** (before + layers);
    const columns = tile / 2 ** layers;
    const pass = {
      steps,
      before,
      layers,
      part,
      columns: Math.min(columns, part),
      blocks: Math.max(1, columns / part),
      shared: Math.max(1, part / columns),
      first: index === (forward ? 0 : passes.length - 1),
      final: index === (forward ? passes.length - 1 : 0),
    };
    before += layers;
    return pass;
  });
  return forward ? found : found.reverse();
}

/** In the order in which they are done. */
function stepsOf({ steps }: Pass, forward: boolean): Step[] {
  let before = 0;
  const found = steps.map((layers, index): Step => {
    const [start, end] = [index === 0, index === steps.length - 1];
    const step = { layers, before, first: forward ? start : end, last: forward ? end : start };
    before += layers;
    return step;
  });
  return forward ? found : found.reverse();
}

/** Residues modulo the prime of an operator's record, and butterflies. */
function arithmetic(schedule: Schedule): string {
  const { words, product, prime, lazy, piece } = schedule;
  const one = words === 1;
  const literal = (value: bigint): string => {
    const low = `${value & 0xffff_ffffn}u`;
    return one ? low : `Word(${low}, ${(value >> 32n) & 0xffff_ffffn}u)`;
  };
  const read = (at: number): string => `number(r, ${at}u)${one ? '.x' : ''}`;
  const known = prime === undefined ? undefined : BigInt(prime);
  const [q, inverse] =
    known === undefined ? [read(0), read(1)] : [literal(known), literal(inverseOf(known) & (2n ** 64n - 1n))];
  const shoup = product === 'shoup';
  // A factor and its quotient, or a factor alone.
  const factor = shoup ? 'struct Factor { w: Value, quotient: Value }' : 'alias Factor = Value;';
  const [entry, scale] = {
    shoup64: [
      'Factor(entry(r, 2u * at), entry(r, 2u * at + 1u))',
      'Factor(number(r, 2u + 2u * at), number(r, 3u + 2u * at))',
    ],
    shoup32: ['Factor(entry(r, at).x, entry(r, at).y)', 'Factor(number(r, 2u + at).x, number(r, 2u + at).y)'],
    montgomery64: ['entry(r, at)', 'number(r, 2u + at)'],
    montgomery32: ['entry(r, at >> 1u)[at & 1u]', 'number(r, 2u)[at]'],
  }[`${product}${one ? 32 : 64}` as Factors] as [string, string];
  const sums = one
    ? `fn plus(a: Value, b: Value) -> Value { return a + b; }
fn minus(a: Value, b: Value) -> Value { return a - b; }
fn below_once(x: Value, m: Value) -> Value { return min(x, x - m); }`
    : `fn plus(a: Value, b: Value) -> Value { return add(a, b); }
fn minus(a: Value, b: Value) -> Value { return sub(a, b); }
fn below_once(x: Value, m: Value) -> Value { return select(sub(x, m), x, below(x, m)); }`;
  const times = {
    shoup64: 'sub(mul_low(x, f.w), mul_low(mul_high(x, f.quotient), p.q))',
    shoup32: 'x * f.w - wide(x, f.quotient).y * p.q',
    montgomery64: 'add(sub(mul_high(x, f), mul_high(mul_low(mul_low(x, f), p.inverse), p.q)), p.q)',
    montgomery32: 'product.y - wide(product.x * p.inverse, p.q).y + p.q',
  }[`${product}${one ? 32 : 64}` as Factors];
  const before = one && !shoup ? '\n  let product = wide(x, f);' : '';
  return `
alias Value = ${one ? 'u32' : 'Word'};
${factor}
struct Prime { q: Value, twice: Value, inverse: Value }

fn factor(r: u32, at: u32) -> Factor { return ${entry}; }
fn prime_of(r: u32) -> Prime {
  let q = ${q};
  return Prime(q, plus(q, q), ${inverse});
}
${sums}
// A product by a known factor, below 2 q.
fn times(x: Value, f: Factor, p: Prime) -> Value {${before}
  return ${times};
}
${piece === 'gpu.forward' ? forwardText(lazy) : inverseText(lazy, scale)}`;
}

/** Below 4 q, or below q. */
function forwardText(lazy: boolean): string {
  const [x, y] = lazy
    ? ['below_once(*u, p.twice)', 'times(*v, f, p)']
    : ['*u', 'below_once(times(*v, f, p), p.q)'];
  const [sum, difference] = ['plus(x, y)', `minus(plus(x, p.${lazy ? 'twice' : 'q'}), y)`];
  const kept = (value: string): string => (lazy ? value : `below_once(${value}, p.q)`);
  const residue = lazy ? 'below_once(below_once(x, p.twice), p.q)' : 'x';
  return `fn butterfly(u: ptr<function, Value>, v: ptr<function, Value>, f: Factor, p: Prime) {
  let x = ${x};
  let y = ${y};
  *u = ${kept(sum)};
  *v = ${kept(difference)};
}
fn residue(x: Value, p: Prime) -> Value { return ${residue}; }
`;
}

/** Below 2 q, or below q. The last layer has the factor 1/n, too. */
function inverseText(lazy: boolean, scale: string): string {
  const bound = lazy ? 'twice' : 'q';
  const kept = (value: string): string => (lazy ? value : `below_once(${value}, p.q)`);
  const difference = `minus(plus(x, p.${bound}), y)`;
  return `fn butterfly(u: ptr<function, Value>, v: ptr<function, Value>, f: Factor, p: Prime) {
  let x = *u;
  let y = *v;
  *u = below_once(plus(x, y), p.${bound});
  *v = ${kept(`times(${difference}, f, p)`)};
}
fn scale(r: u32, at: u32) -> Factor { return ${scale}; }
fn last_butterfly(u: ptr<function, Value>, v: ptr<function, Value>, r: u32, p: Prime) {
  let x = *u;
  let y = *v;
  *u = ${kept('times(plus(x, y), scale(r, 0u), p)')};
  *v = ${kept(`times(${difference}, scale(r, 1u), p)`)};
}
fn residue(x: Value, p: Prime) -> Value { return ${lazy ? 'below_once(x, p.q)' : 'x'}; }
`;
}

/** 1/q modulo 2^64, q odd: each step doubles the bits that are right, of which q itself has 3. */
function inverseOf(q: bigint): bigint {
  let x = q;
  for (let step = 0; step < 5; step++) x = BigInt.asUintN(64, x * (2n - q * x));
  return x;
}

function passText(schedule: Schedule, pass: Pass, number: number): string {
  const { each, words, piece, staged } = schedule;
  const tile = tileOf(schedule);
  const threads = tile / each;
  const { part, columns, blocks, shared, layers, first, final } = pass;
  const one = words === 1;
  // Where the tile of a workgroup begins: at its first block, or at its first column of one.
  const base =
    shared > 1
      ? `group.x / ${shared}u * ${part * 2 ** layers}u + group.x % ${shared}u * ${columns}u`
      : `group.x * ${tile}u`;
  const block = shared > 1 ? `group.x / ${shared}u` : `group.x * ${blocks}u`;
  /** Where a word of the tile is in the ring. */
  const place = (at: string): string =>
    shared > 1 ? `base + ${at} / ${columns}u * ${part}u + ${at} % ${columns}u` : `base + ${at}`;
  /** How far apart words are in the ring that are so far apart in the tile. */
  const apart = (distance: number): number => (shared > 1 ? (distance / columns) * part : distance);
  const loaded = (at: string): string =>
    `${first ? `load(r, 0u, ${at})` : `arena[records[r] + ${at}]`}${one ? '.x' : ''}`;
  const stored = (at: string, value: string): string => {
    const last = final ? `residue(${value}, p)` : value;
    return `store(r, ${at}, ${one ? `Word(${last}, 0u)` : last});`;
  };
  const exchanged = staged && pass.steps.length > 1;
  const steps = stepsOf(pass, piece === 'gpu.forward').map((step) =>
    stepText(schedule, pass, step, {
      read: step.first && !exchanged ? { place, apart, text: loaded } : inMemory(),
      write: step.last && !exchanged ? { place, apart, text: stored } : inMemory(),
    }),
  );
  const barrier = '  workgroupBarrier();\n';
  const copied = (line: (at: string) => string): string =>
    `  for (var t = thread; t < ${tile}u; t += ${threads}u) { ${line('t')} }\n`;
  const before = exchanged ? copied((at) => `words[${at}] = ${loaded(place(at))};`) + barrier : '';
  const after = exchanged ? barrier + copied((at) => stored(place(at), `words[${at}]`)) : '';
  return `
@compute @workgroup_size(${threads})
fn pass${number}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let r = group.y * STRIDE;
  let p = prime_of(r);
  let base = ${base};
  let first = ${block};
${before}${steps.join(barrier)}${after}}
`;
}

/** Where words of a step are, and the text that reads or writes one. */
interface Side<T> {
  place(at: string): string;
  apart(distance: number): number;
  readonly text: T;
}

type Read = (at: string) => string;
type Write = (at: string, value: string) => string;

function inMemory(): Side<Read & Write> {
  const text = (at: string, value?: string): string =>
    value === undefined ? `words[${at}]` : `words[${at}] = ${value};`;
  return { place: (at) => at, apart: (distance) => distance, text };
}

function stepText(
  schedule: Schedule,
  pass: Pass,
  { layers, before }: Step,
  { read, write }: { read: Side<Read>; write: Side<Write> },
): string {
  const { each, piece } = schedule;
  const threads = tileOf(schedule) / each;
  const count = 2 ** layers;
  // Words of the tile between those that a step has at a time.
  const stride = 2 ** (pass.layers - before - layers) * pass.columns;
  const forward = piece === 'gpu.forward';
  const ends = !forward && pass.final && before === 0;
  const lines: string[] = [];
  for (let number = 0; number < layers; number++) {
    const layer = forward ? number : layers - 1 - number;
    const half = 2 ** (layers - 1 - layer);
    for (let pair = 0; pair < count / 2; pair++) {
      const of = Math.floor(pair / half);
      const at = 2 * half * of + (pair % half);
      const words = `&x${at}, &x${at + half}`;
      if (ends && layer === 0) lines.push(`last_butterfly(${words}, r, p);`);
      else {
        if (pair % half === 0) lines.push(`let f${layer}_${of} = factor(r, (block << ${layer}u) + ${of}u);`);
        lines.push(`butterfly(${words}, f${layer}_${of}, p);`);
      }
    }
  }
  const offset = (side: Side<unknown>, at: number): string => `${side.apart(at * stride)}u`;
  const all = Array.from({ length: count }, (_, at) => at);
  return `  for (var t = thread; t < ${(each / count) * threads}u; t += ${threads}u) {
    let part = t / ${stride}u;
    let at = part * ${count * stride}u + t % ${stride}u;
    let block = ${2 ** (pass.before + before)}u + first * ${2 ** before}u + part;
    let read_at = ${read.place('at')};
    let write_at = ${write.place('at')};
${[
  ...all.map((at) => `var x${at} = ${read.text(`read_at + ${offset(read, at)}`)};`),
  ...lines,
  ...all.map((at) => write.text(`write_at + ${offset(write, at)}`, `x${at}`)),
]
  .map((line) => `    ${line}\n`)
  .join('')}  }
`;
}
