/** Lesson: one number-theoretic transform of eight coefficients, step by step. */
import type { Loom } from 'cipherloom';
import { h } from '../ui/dom.js';
import { butterflies } from './butterflies.js';
import { type Given, type Lesson, one, type Shown } from './lesson.js';
import { centered } from './toy.js';
import { N, transform } from './transform.js';
import { formula, numbersTable, polynomial, says } from './words.js';

async function show(loom: Loom, given: Given): Promise<Shown> {
  const q = one(given, 'q');
  const modulo = (numbers: readonly bigint[]): bigint[] => numbers.map((value) => ((value % q) + q) % q);
  const [f, g] = [modulo(given['f']!), modulo(given['g']!)];
  const power = (at: number): bigint[] => Array.from({ length: N }, (_, i) => (i === at ? 1n : 0n));
  const [found, asked] = await Promise.all([
    transform(loom, q, f, g),
    transform(loom, q, power(N - 1), power(2)),
  ]);
  const [first, second, third] = found.factors as [readonly bigint[], readonly bigint[], readonly bigint[]];
  const equal = found.f.every((value, at) => value === found.layers[3]![at]);
  const small = (numbers: readonly bigint[]): string =>
    polynomial(numbers.map((value) => centered(value, q)));
  const picture = (layer: number): HTMLElement[] => [
    butterflies(found, layer),
    numbersTable('layers', {
      caption: 'The eight numbers, layer by layer',
      head: ['Place', ...Array.from({ length: layer + 1 }, (_, at) => (at === 0 ? 'f' : `Layer ${at}`))],
      rows: Array.from({ length: N }, (_, at) => [
        String(at),
        ...found.layers.slice(0, layer + 1).map((numbers) => String(numbers[at])),
      ]),
    }),
  ];
  return {
    stops: [
      {
        title: 'Eight coefficients',
        body: [
          says(
            `Polynomials of ciphertexts have coefficients modulo a prime q and are taken modulo Xⁿ + 1: Xⁿ is −1. Here n is 8 and q is ${q}; in earnest n is 4,096 and more, and q has 30 to 60 bits.`,
          ),
          formula(`f = ${small(f)}`),
          formula(`g = ${small(g)}`),
          says(
            'Multiplying them term by term takes n² products. The transform takes n/2 · log₂ n for each of the two and as many for the way back; in between are n.',
          ),
          ...picture(0),
        ],
      },
      {
        title: 'Layer 1: two halves of four',
        body: [
          says(
            `Modulo ${q} there is a w with w² = −1, which is ${first[0]}. So X⁸ + 1 = (X⁴ − w)(X⁴ + w): what f is modulo each of the two says all of it. Modulo X⁴ − w, X⁴ is w; so the upper four coefficients go into the lower ones, w times. Modulo X⁴ + w they go in with a minus.`,
          ),
          formula(`(a, b) → (a + w b, a − w b), with w = ${first[0]}`),
          ...picture(1),
        ],
      },
      {
        title: 'Layer 2: four quarters of two',
        body: [
          says(
            `Each half splits again, by a root of its own w: ${second[0]} in the first half, ${second[2]} in the second.`,
          ),
          formula(`X⁴ − ${first[0]} = (X² − ${second[0]})(X² + ${second[0]})`),
          ...picture(2),
        ],
      },
      {
        title: 'Layer 3: eight single numbers',
        body: [
          says(`And once more, by ${third.join(', ')}. Modulo X − r a polynomial is its value at r.`),
          ...picture(3),
        ],
      },
      {
        title: 'Eight values',
        body: [
          says(
            'What came out are the values of f at the eight roots of X⁸ + 1, the odd powers of a number ψ of order 16, in an order in which bits of the exponent are reversed. In the package one operator, ',
            h('code', {}, 'limb.ntt'),
            `, does all layers; what it gives for f ${equal ? 'is the same, all eight numbers' : 'is something else: this is a fault, please report it'}.`,
          ),
          formula('value at place i = f(ψ^(2 · reverse(i) + 1))'),
          numbersTable('values', {
            caption: 'Roots and values',
            head: ['Place', 'Root r', 'f(r) by layers', 'f(r) by limb.ntt'],
            rows: found.roots.map((root, at) => [
              String(at),
              String(root),
              String(found.layers[3]![at]),
              String(found.f[at]),
            ]),
          }),
        ],
      },
      {
        title: 'A product is eight products',
        body: [
          says(
            'The value of a product is the product of the values. So polynomials that were transformed are multiplied place by place, and added place by place.',
          ),
          numbersTable('product', {
            caption: 'Values of f, of g and of f g',
            head: ['Place', 'f(r)', 'g(r)', 'f(r) g(r)'],
            rows: found.values.map((value, at) => [
              String(at),
              String(found.f[at]),
              String(found.g[at]),
              String(value),
            ]),
          }),
        ],
      },
      {
        title: 'And back',
        body: [
          says(
            h('code', {}, 'limb.intt'),
            ' undoes the layers, the last one first, and gives the coefficients of f g modulo X⁸ + 1. What would stand at X⁸ comes back at 1 with a minus.',
          ),
          formula(`f g = ${small(found.product)}`),
          numbersTable('coefficients', {
            caption: `Coefficients of f g, from 0 to ${q - 1n}, and as the nearest numbers to 0`,
            head: ['Power', 'Modulo q', 'Nearest to 0'],
            rows: found.product.map((value, at) => [`X^${at}`, String(value), String(centered(value, q))]),
          }),
        ],
      },
    ],
    question: {
      text: `X⁷ times X² modulo X⁸ + 1 and ${q}: which number from 0 to ${q - 1n} is the coefficient of X?`,
      answer: asked.product[1]!,
      why: `X⁷ · X² is X⁹ = X⁸ · X = −X, and −1 modulo ${q} is ${asked.product[1]!}.`,
    },
  };
}

const coefficients = { kind: 'numbers', count: N, least: -1_000_000n, most: 1_000_000n } as const;

export const NTT: Lesson = {
  id: 'ntt',
  title: 'A transform of eight numbers',
  lead: 'Nearly all the time of homomorphic encryption goes into one algorithm, the number-theoretic transform. Here is one at a size at which every number can be looked at.',
  fields: [
    {
      kind: 'choice',
      name: 'q',
      label: 'Prime q',
      first: [17n],
      options: [17n, 97n, 113n, 193n, 241n, 257n].map((value) => ({ value, text: String(value) })),
    },
    { ...coefficients, name: 'f', label: 'Coefficients of f', first: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] },
    { ...coefficients, name: 'g', label: 'Coefficients of g', first: [1n, 1n, 0n, 0n, 0n, 0n, 0n, 0n] },
  ],
  sources: [
    { text: 'J. Cooley, J. Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series, 1965' },
    {
      text: 'P. Longa, M. Naehrig, Speeding up the Number Theoretic Transform for Faster Ideal Lattice-Based Cryptography, 2016: the order, and X^n + 1',
      address: 'https://ia.cr/2016/504',
    },
  ],
  show,
};
