/** Lesson: key switching, by a rotation of slots. */
import { type Loom, type } from 'cipherloom';
import * as format from '../format.js';
import { type Given, type Lesson, one, type Shown } from './lesson.js';
import { bitsOf, centered, log2, type Numbers, PRIMES, type Ring, Toy } from './toy.js';
import { formula, numbersTable, polynomial, says, signed } from './words.js';

const N = 8;
const T = 257n;
/** Primes of key switching, by their bits. */
const SPECIAL: Readonly<Record<string, bigint>> = { 20: PRIMES[20][0], 30: PRIMES[30][0], 40: PRIMES[40][3] };

/** A ciphertext as who has a certain key sees it. */
export interface Seen {
  /** Its phase, the first prime's residues centred. */
  readonly phase: readonly bigint[];
  readonly slots: readonly bigint[];
  /** log2 of its largest coefficient, modulo all primes. */
  readonly noise: number;
}

export interface Switching {
  readonly secret: readonly bigint[];
  readonly turnedSecret: readonly bigint[];
  readonly fresh: Seen;
  /** X to X^g, without anything else: by s, and by s(X^g). */
  readonly turned: Seen;
  readonly turnedByItsKey: Seen;
  readonly switched: Seen;
  /** c_1 modulo each prime: its digits. */
  readonly digits: readonly (readonly bigint[])[];
  /** Words of the switching key. */
  readonly keyWords: number;
}

/** With so many primes of ciphertexts, 3 at most. */
export function ringOf(specialBits: bigint, primes = 2): Ring {
  return { n: N, q: PRIMES[40].slice(0, primes), special: [SPECIAL[String(specialBits)]!], t: T };
}

/** `element`: g, odd and below 2n. A toy key may be its own image, one in 81 for g = 9, and nothing is to be switched then: another one is drawn. */
export async function switching(
  loom: Loom,
  ring: Ring,
  slots: readonly bigint[],
  element: number,
): Promise<Switching> {
  for (;;) {
    const found = await withSomeKey(loom, ring, slots, element);
    if (found.secret.some((value, at) => value !== found.turnedSecret[at])) return found;
  }
}

async function withSomeKey(
  loom: Loom,
  ring: Ring,
  slots: readonly bigint[],
  element: number,
): Promise<Switching> {
  const toy = new Toy(loom, ring);
  const { g, secret } = toy;
  const { n, q, special, t } = ring;
  const all = [...q, ...special];
  const size = n * q.length;
  const key = toy.key({ from: 'galois', g: element });
  const fresh = toy.encrypt(toy.encode(toy.slots('x')));
  const turn = (from: number): typeof fresh =>
    g.op('poly.automorphism', [g.view(fresh, type('poly', { form: 'coeff', n, q: [...q] }), { from })], {
      g: element,
    });
  const turned = g.merge([turn(0), turn(size)], type('ciphertext', { factor: 1, n, parts: 2, q: [...q], t }));
  const limbs = all.map((prime, at) =>
    g.view(secret, type('limb', { form: 'ntt', n, q: prime }), { from: at * n }),
  );
  const turnedLimbs = limbs.map((limb) => g.op('limb.permute', [limb], { g: element }));
  const turnedSecret = g.merge(turnedLimbs, type('secret_key', { n, q: all }));
  const switched = g.op('rlwe.automorphism', [fresh, key], { g: element });
  g.output('secret', g.op('limb.intt', [limbs[0]!]));
  g.output('turnedSecret', g.op('limb.intt', [turnedLimbs[0]!]));
  g.output('key', key);
  g.output('ciphertext', fresh);
  const views = {
    fresh: [fresh, secret],
    turned: [turned, secret],
    turnedByItsKey: [turned, turnedSecret],
    switched: [switched, secret],
  } as const;
  for (const [name, [ciphertext, by]] of Object.entries(views)) {
    g.output(`${name}_phase`, g.op('rlwe.phase', [by, ciphertext]));
    g.output(`${name}_slots`, toy.decrypt(ciphertext, by));
    g.output(`${name}_noise`, toy.noise(ciphertext, by));
  }
  const out = await toy.run({ x: slots });
  const near = (numbers: readonly bigint[]): bigint[] =>
    numbers.slice(0, n).map((residue) => centered(residue, q[0]!));
  const seen = (name: keyof typeof views): Seen => ({
    phase: near(out[`${name}_phase`]!),
    slots: out[`${name}_slots`]!,
    noise: bitsOf(out[`${name}_noise`]!),
  });
  return {
    secret: near(out['secret']!),
    turnedSecret: near(out['turnedSecret']!),
    fresh: seen('fresh'),
    turned: seen('turned'),
    turnedByItsKey: seen('turnedByItsKey'),
    switched: seen('switched'),
    digits: q.map((prime, at) =>
      out['ciphertext']!.slice(size + at * n, size + (at + 1) * n).map((residue) => centered(residue, prime)),
    ),
    keyWords: (out as Numbers)['key']!.length,
  };
}

async function show(loom: Loom, given: Given): Promise<Shown> {
  const element = Number(one(given, 'g'));
  const ring = ringOf(one(given, 'special'));
  const x = given['x']!.map((value) => ((value % T) + T) % T);
  const [found, larger] = await Promise.all([
    switching(loom, ring, x, element),
    switching(loom, ringOf(one(given, 'special'), ring.q.length + 1), x, element),
  ]);
  const limit = log2(ring.q) - 1;
  const seenTable = (seen: Seen): HTMLElement =>
    numbersTable('seen', {
      caption: `What decryption sees: ${seen.noise.toFixed(1)} of ${limit.toFixed(1)} bits`,
      head: ['', ...Array.from({ length: N }, (_, at) => String(at))],
      rows: [
        ['Phase, coefficients', ...seen.phase.map(signed)],
        ['Slots', ...seen.slots.map(String)],
      ],
    });
  return {
    stops: [
      {
        title: 'A ciphertext and its key',
        body: [
          says(
            'The key is a polynomial with coefficients −1, 0 and 1, drawn just now for this lesson alone. What decryption computes from the ciphertext is called its phase: message plus t times an error, so small numbers.',
          ),
          formula(`s = ${polynomial(found.secret)}`),
          formula('phase = c₀ + c₁ s = m + t e  (mod Q)'),
          seenTable(found.fresh),
        ],
      },
      {
        title: `Put X${element === 3 ? '³' : '^g'} for X`,
        body: [
          says(
            `To move slots, put X^g for X, in both polynomials, with g = ${element}. Coefficients change their places and signs; it costs nothing. But the key inside has moved with them, and by the old key this is noise from end to end.`,
          ),
          formula('c₀(X^g) + c₁(X^g) s(X^g) = phase(X^g)'),
          seenTable(found.turned),
        ],
      },
      {
        title: 'The key that would fit',
        body: [
          says(
            'By s(X^g) all is well: the same small numbers in other places, and the slots moved. But a result in another key for each rotation cannot be added to anything. It has to be brought back under s.',
          ),
          formula(`s(X^g) = ${polynomial(found.turnedSecret)}`),
          seenTable(found.turnedByItsKey),
        ],
      },
      {
        title: 'A switching key',
        body: [
          says(
            `The owner of s gives the evaluator s(X^g), encrypted under s: who has it can switch, and cannot decrypt. As c₁ is large, c₁ times an encryption would be as much noise; so it is encrypted once for each digit, times a special prime P that is divided out again. This one has ${format.count(found.keyWords)} words: ${ring.q.length} digits, 2 polynomials each, modulo ${ring.q.length + 1} primes, of ${N} coefficients.`,
          ),
          formula('key_d = (−a_d s + t e_d + P · g_d · s′,  a_d)'),
        ],
      },
      {
        title: 'Digits',
        body: [
          says(
            'g_d is 1 modulo one prime of Q and 0 modulo the others, so that c₁ modulo that prime is its digit: nothing has to be computed for it. Digits are below the primes, and c₁ itself is as large as their product.',
          ),
          numbersTable('digits', {
            caption: 'c₁ modulo each prime',
            head: ['Prime', ...Array.from({ length: N }, (_, at) => `X^${at}`)],
            rows: found.digits.map((digit, at) => [String(ring.q[at]), ...digit.map(signed)]),
          }),
        ],
      },
      {
        title: 'Switched',
        body: [
          says(
            `Digits times their keys, summed up, divided by P: under s again, and the slots have moved. What the errors of the key add is divided by P, too. With a special prime of ${one(given, 'special')} bits noise went from ${found.fresh.noise.toFixed(1)} to ${found.switched.noise.toFixed(1)} bits. Try a smaller and a larger one.`,
          ),
          formula('(c₀, 0) + round(Σ_d digit_d · key_d / P)'),
          formula('noise added ≤ digits · 2 √n · 21 t · q_d / P + rounding'),
          seenTable(found.switched),
        ],
      },
    ],
    question: {
      text: `Were there ${ring.q.length + 1} primes in Q, and the special one: how many words of 64 bits would the key have?`,
      answer: BigInt(larger.keyWords),
      why: `${ring.q.length + 1} digits × 2 polynomials × ${ring.q.length + 2} primes × ${N} coefficients are ${larger.keyWords}.`,
    },
  };
}

export const KEY_SWITCHING: Lesson = {
  id: 'keys',
  title: 'Key switching',
  lead: 'Rotations and products leave a ciphertext under another key. A switching key, which decrypts nothing, brings it back.',
  fields: [
    {
      kind: 'choice',
      name: 'g',
      label: 'X becomes X^g',
      first: [3n],
      options: [3n, 9n, 11n, 15n].map((value) => ({
        value,
        text: `g = ${value}: ${value === 15n ? 'rows are swapped' : `slots move by ${{ 3: 1, 9: 2, 11: 3 }[String(value)]}`}`,
      })),
    },
    {
      kind: 'choice',
      name: 'special',
      label: 'Special prime P',
      first: [40n],
      options: [20n, 30n, 40n].map((value) => ({ value, text: `${value} bits` })),
    },
    {
      kind: 'numbers',
      name: 'x',
      label: `Slots of x, modulo ${T}`,
      first: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n],
      ...{ count: N, least: -1_000_000n, most: 1_000_000n },
    },
  ],
  sources: [
    {
      text: 'K. Han, D. Ki, Better Bootstrapping for Approximate Homomorphic Encryption, 2019: digits of several primes, a special modulus',
      address: 'https://ia.cr/2019/688',
    },
    {
      text: 'C. Gentry, S. Halevi, N. Smart, Homomorphic Evaluation of the AES Circuit, 2012, section 3.1: the special modulus',
      address: 'https://ia.cr/2012/099',
    },
  ],
  show,
};
