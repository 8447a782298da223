/** Lesson: packing: slots, what is done to all of them at once, rotations, and a sum over them. */
import type { Loom, Operand } from 'cipherloom';
import { h } from '../ui/dom.js';
import { type Given, type Lesson, one, type Shown } from './lesson.js';
import { centered, PRIMES, type Ring, Toy } from './toy.js';
import { formula, numbersTable, polynomial, says } from './words.js';

export const N = 8;
const ROW = N / 2;
const T = 257n;
const RING: Ring = { n: N, q: PRIMES[40].slice(0, 2), special: [PRIMES[40][3]], t: T };

export interface Packed {
  /** The polynomial that holds the slots of x, coefficients centred. */
  readonly polynomial: readonly bigint[];
  readonly sum: readonly bigint[];
  readonly product: readonly bigint[];
  readonly rotated: readonly bigint[];
  readonly swapped: readonly bigint[];
  /** x, and after each of three additions of itself moved. */
  readonly sums: readonly (readonly bigint[])[];
  /** x moved by one, times y. */
  readonly asked: readonly bigint[];
}

/** Everything on ciphertexts but `polynomial`. `step`: how far slots move to the left, 0 to 3. */
export async function pack(
  loom: Loom,
  x: readonly bigint[],
  y: readonly bigint[],
  step: number,
): Promise<Packed> {
  const toy = new Toy(loom, RING);
  const { g } = toy;
  const plain = toy.encode(toy.slots('x'));
  const [a, b] = [toy.encrypt(plain), toy.encrypt(toy.encode(toy.slots('y')))] as const;
  const turn = (ciphertext: Operand, element: number): Operand =>
    element === 1
      ? ciphertext
      : g.op('rlwe.automorphism', [ciphertext, toy.key({ from: 'galois', g: element })], { g: element });
  const swap = 2 * N - 1;
  const times = (left: Operand, right: Operand): Operand =>
    g.op('rlwe.relinearize', [g.op('bgv.multiply', [left, right]), toy.key({ from: 'square' })]);
  const sums = [a];
  for (const element of [elementOf(1), elementOf(2), swap]) {
    const last = sums.at(-1)!;
    sums.push(g.op('rlwe.add', [last, turn(last, element)]));
  }
  g.output('polynomial', plain);
  const results = {
    sum: g.op('rlwe.add', [a, b]),
    product: times(a, b),
    rotated: turn(a, elementOf(step)),
    swapped: turn(a, swap),
    asked: times(turn(a, elementOf(1)), b),
    ...Object.fromEntries(sums.map((sum, at) => [`sum${at}`, sum])),
  };
  for (const [name, ciphertext] of Object.entries(results)) g.output(name, toy.decrypt(ciphertext));
  const out = await toy.run({ x, y });
  return {
    polynomial: out['polynomial']!.map((value) => centered(value, T)),
    sum: out['sum']!,
    product: out['product']!,
    rotated: out['rotated']!,
    swapped: out['swapped']!,
    asked: out['asked']!,
    sums: sums.map((_, at) => out[`sum${at}`]!),
  };
}

/** g = 3^step mod 2n: X to X^g moves slots to the left by `step`. */
function elementOf(step: number): number {
  return 3 ** step % (2 * N);
}

async function show(loom: Loom, given: Given): Promise<Shown> {
  const modulo = (numbers: readonly bigint[]): bigint[] => numbers.map((value) => ((value % T) + T) % T);
  const [x, y] = [modulo(given['x']!), modulo(given['y']!)];
  const step = Number(one(given, 'step'));
  const found = await pack(loom, x, y, step);
  const [, pairs, fours, eights] = found.sums as [
    readonly bigint[],
    readonly bigint[],
    readonly bigint[],
    readonly bigint[],
  ];
  return {
    stops: [
      {
        title: 'Two rows of slots',
        body: [
          says(
            `A polynomial with ${N} coefficients modulo ${T} can be told by its values at the ${N} roots of X⁸ + 1. These values are the slots. There are two rows of ${ROW}, since the odd numbers below 16 are powers of 3 and their negatives.`,
          ),
          slots('x', x),
          formula(`x(X) = ${polynomial(found.polynomial)}`),
          formula('slot j = x(ψ^(3^j)); below it x(ψ^(−3^j))'),
        ],
      },
      {
        title: 'Add and multiply all at once',
        body: [
          says(
            'Values of a sum are sums of values, and values of a product are products. So one operation on ciphertexts is done in every slot: here in 8, in earnest in 4,096 and more.',
          ),
          slots('y', y),
          slots('x + y', found.sum, 'sum'),
          slots('x y', found.product, 'product'),
        ],
      },
      {
        title: 'Rotate',
        body: [
          says(
            `X to X^g permutes the roots, and so the slots. With g = 3^${step} modulo 16, which is ${elementOf(step)}, both rows move by ${step} to the left. A switching key brings the result back under the key, as the lesson before shows.`,
          ),
          slots('x', x),
          slots(`x moved by ${step}`, found.rotated, 'rotated'),
        ],
      },
      {
        title: 'Swap the rows',
        body: [
          says('g = 15, which is −1 modulo 16, has the rows change places.'),
          slots('x', x),
          slots('x swapped', found.swapped, 'swapped'),
        ],
      },
      {
        title: 'A sum: pairs',
        body: [
          says('Add x moved by 1 to x: each slot is the sum of two.'),
          slots('s₁ = x + move(x, 1)', pairs, 'pairs'),
        ],
      },
      {
        title: 'A sum: fours',
        body: [
          says('Add that moved by 2: each slot is the sum of its row. Twice as many each time.'),
          slots('s₂ = s₁ + move(s₁, 2)', fours, 'fours'),
        ],
      },
      {
        title: 'A sum: all eight',
        body: [
          says(
            'Swap and add: every slot is the sum of all. It took log₂ n rotations, not n. The compiler knows cheaper ways where a sum is a result: then nothing is rotated at all.',
          ),
          slots('s₃ = s₂ + swap(s₂)', eights, 'eights'),
        ],
      },
    ],
    question: {
      text: `Move x by 1, then multiply by y. What is in the first slot, modulo ${T}?`,
      answer: found.asked[0]!,
      why: `The second slot of x times the first of y: ${x[1]!} · ${y[0]!} is ${found.asked[0]!} modulo ${T}.`,
    },
  };
}

function slots(title: string, numbers: readonly bigint[], name = title): HTMLElement {
  return h(
    'div',
    { class: 'learn-slots' },
    numbersTable(name, {
      caption: title,
      head: ['', ...Array.from({ length: ROW }, (_, at) => `Slot ${at}`)],
      rows: [0, 1].map((row) => [
        row === 0 ? 'First row' : 'Second',
        ...numbers.slice(row * ROW, (row + 1) * ROW).map(String),
      ]),
    }),
  );
}

const numbers = { kind: 'numbers', count: N, least: -1_000_000n, most: 1_000_000n } as const;

export const PACKING: Lesson = {
  id: 'packing',
  title: 'Packing',
  lead: 'One ciphertext holds many numbers, side by side. What is done to it is done to all of them, and they can be moved.',
  fields: [
    { ...numbers, name: 'x', label: 'Slots of x', first: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] },
    { ...numbers, name: 'y', label: 'Slots of y', first: [10n, 10n, 10n, 10n, 1n, 0n, 1n, 0n] },
    {
      kind: 'choice',
      name: 'step',
      label: 'Slots move by',
      first: [1n],
      options: [1n, 2n, 3n].map((value) => ({ value, text: String(value) })),
    },
  ],
  sources: [
    {
      text: 'N. Smart, F. Vercauteren, Fully Homomorphic SIMD Operations, 2011',
      address: 'https://ia.cr/2011/133',
    },
    {
      text: 'C. Gentry, S. Halevi, N. Smart, Fully Homomorphic Encryption with Polylog Overhead, 2011: rotations by automorphisms',
      address: 'https://ia.cr/2011/566',
    },
  ],
  show,
};
