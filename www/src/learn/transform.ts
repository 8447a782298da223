/** One number-theoretic transform of eight coefficients, computed twice by the engine: by its own operator, and butterfly by butterfly. */
import { type Loom, type, u64 } from 'cipherloom';
import { type Numbers, runOnce } from './toy.js';

export const N = 8;
/** Lengths of halves, layer by layer. */
export const HALVES = [4, 2, 1] as const;

/** What the engine computed. */
export interface Transform {
  /** f before the first layer, and after each. */
  readonly layers: readonly (readonly bigint[])[];
  /** For each layer the factor of each of its four butterflies. */
  readonly factors: readonly (readonly bigint[])[];
  /** Where the values are taken: roots of X^8 + 1, in the order of the values. */
  readonly roots: readonly bigint[];
  /** The transforms of f and g, by one operator each; their product, value by value; and this as coefficients. */
  readonly f: readonly bigint[];
  readonly g: readonly bigint[];
  readonly values: readonly bigint[];
  readonly product: readonly bigint[];
}

/** All of it: twice the engine, once by its own operator, once butterfly by butterfly on plain numbers. */
export async function transform(
  loom: Loom,
  q: bigint,
  f: readonly bigint[],
  g: readonly bigint[],
): Promise<Transform> {
  const whole = await byOperator(loom, q, f, g);
  const powers: Readonly<Record<number, readonly bigint[]>> = {
    1: whole['roots']!,
    2: whole['squares']!,
    4: whole['fourths']!,
  };
  // The roots r of the left half of a block of 2 L all have r^L = w, by which the right half is multiplied.
  const factors = HALVES.map((half) => firsts(half).map((first) => powers[half]![first]!));
  const layers = await byLayers(loom, q, f, factors);
  return {
    layers,
    factors,
    roots: whole['roots']!,
    f: whole['f_values']!,
    g: whole['g_values']!,
    values: whole['values']!,
    product: whole['product']!,
  };
}

/** Of each butterfly of a layer the place where its block begins. */
function firsts(half: number): number[] {
  return Array.from({ length: N / 2 }, (_, at) => Math.floor(at / half) * 2 * half);
}

/** By the operators that ciphertexts are made of. The transform of X says which roots there are. */
async function byOperator(
  loom: Loom,
  q: bigint,
  f: readonly bigint[],
  g: readonly bigint[],
): Promise<Numbers> {
  const graph = loom.graph({ unit: 64 });
  const values = ['f', 'g', 'x'].map((name) =>
    graph.op('limb.ntt', [graph.input(name, type('limb', { form: 'coeff', n: N, q }))]),
  );
  const [fValues, gValues, roots] = values as [(typeof values)[0], (typeof values)[0], (typeof values)[0]];
  const squares = graph.op('limb.mul', [roots, roots]);
  const product = graph.op('limb.mul', [fValues, gValues]);
  const outputs = {
    ...{ f_values: fValues, g_values: gValues, roots, squares, values: product },
    fourths: graph.op('limb.mul', [squares, squares]),
    product: graph.op('limb.intt', [product]),
  };
  for (const [name, operand] of Object.entries(outputs)) graph.output(name, operand);
  return runOnce(graph, { f, g, x: [0n, 1n, 0n, 0n, 0n, 0n, 0n, 0n] });
}

/** The same as a graph of plain products, sums and remainders, all four butterflies of a layer at once. */
async function byLayers(
  loom: Loom,
  q: bigint,
  f: readonly bigint[],
  factors: readonly (readonly bigint[])[],
): Promise<readonly (readonly bigint[])[]> {
  const graph = loom.graph({ unit: 64 });
  const modulus = graph.constant(u64(), BigUint64Array.of(q));
  const rest = (operand: ReturnType<typeof graph.op>): typeof operand =>
    graph.op('u64.rem', [operand, modulus]);
  let now = graph.input('f', u64(N));
  for (const [layer, half] of HALVES.entries()) {
    const blocks = Array.from({ length: N / (2 * half) }, (_, block) => block);
    const gathered = (from: number): typeof now =>
      graph.merge(
        blocks.map((block) => graph.view(now, u64(half), { from: block * 2 * half + from })),
        u64(N / 2),
      );
    const left = gathered(0);
    const right = rest(graph.op('u64.mul', [gathered(half), graph.input(`w${layer}`, u64(N / 2))]));
    const sums = rest(graph.op('u64.add', [left, right]));
    const differences = rest(graph.op('u64.sub', [graph.op('u64.add', [left, modulus]), right]));
    now = graph.merge(
      blocks.flatMap((block) =>
        [sums, differences].map((operand) => graph.view(operand, u64(half), { from: block * half })),
      ),
      u64(N),
    );
    graph.output(`layer${layer}`, now);
  }
  const given = Object.fromEntries(factors.map((ws, layer) => [`w${layer}`, ws]));
  const found = await runOnce(graph, { f, ...given });
  return [f, ...HALVES.map((_, layer) => found[`layer${layer}`]!)];
}
