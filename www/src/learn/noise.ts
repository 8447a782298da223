/** Lesson: one ciphertext and its noise, from encryption until it cannot be decrypted any more. */
import { CipherloomError, type Loom, type Parameters, type } from 'cipherloom';
import * as format from '../format.js';
import { h, s } from '../ui/dom.js';
import { type Given, type Lesson, one, type Shown } from './lesson.js';
import { bitsOf, log2, type Numbers, PRIMES, type Ring, Toy } from './toy.js';
import { formula, numbersTable, says, superscript } from './words.js';

/** How often what was multiplied is multiplied with itself again. */
const SQUARINGS = 4;
const SPECIAL = [PRIMES[30][4]];

/** What an operation made of the ciphertext. */
export interface Measured {
  /** What it is, of x. */
  readonly name: string;
  /** The slots that it should have, by plain arithmetic, and those that it is decrypted to. */
  readonly right: readonly bigint[];
  readonly found: readonly bigint[];
  /** log2 of the largest coefficient of what decryption sees, by the secret key. */
  readonly noise: number;
}

/** What a ciphertext of that depth may and does have, as a program that the compiler made. */
export interface Promised {
  readonly name: string;
  /** Bits of budget that are left by the compiler's bound, and when it was run; undefined where it was refused. */
  readonly budget: { readonly bound: number; readonly measured: number } | undefined;
  /** Why it was. */
  readonly refused: string | undefined;
}

export function ringOf(n: number, primes: number, t: bigint): Ring {
  return { n, q: PRIMES[30].slice(0, primes), special: SPECIAL, t };
}

/** Slots 0, 1, 2, ... of x are first, first + 1, ... modulo t. */
export function slotsOf({ n, t }: Ring, first: bigint): bigint[] {
  return Array.from({ length: n }, (_, slot) => (first + BigInt(slot)) % t);
}

/** x, x + x, x², x⁴, ... on ciphertexts, nothing else, whatever becomes of it. */
export async function multiplyOn(
  loom: Loom,
  ring: Ring,
  first: bigint,
): Promise<{ readonly rows: readonly Measured[]; readonly ciphertext: readonly bigint[] }> {
  const toy = new Toy(loom, ring);
  const { g } = toy;
  const relinearization = toy.key({ from: 'square' });
  const fresh = toy.encrypt(toy.encode(toy.slots('x')));
  // The same in the clear: slots are numbers modulo t, as values of a transform are.
  const clear = g.input('clear', type('limb', { form: 'ntt', n: ring.n, q: ring.t }));
  const made = [
    { name: 'x', encrypted: fresh, right: clear },
    { name: 'x + x', encrypted: g.op('rlwe.add', [fresh, fresh]), right: g.op('limb.add', [clear, clear]) },
  ];
  let power = made[0]!;
  for (let squaring = 1; squaring <= SQUARINGS; squaring++) {
    const { encrypted, right } = power;
    power = {
      name: powerName(squaring),
      encrypted: g.op('rlwe.relinearize', [g.op('bgv.multiply', [encrypted, encrypted]), relinearization]),
      right: g.op('limb.mul', [right, right]),
    };
    made.push(power);
  }
  for (const [at, { encrypted, right }] of made.entries()) {
    g.output(`found${at}`, toy.decrypt(encrypted));
    g.output(`right${at}`, right);
    g.output(`noise${at}`, toy.noise(encrypted));
  }
  g.output('ciphertext', fresh);
  const x = slotsOf(ring, first);
  const out: Numbers = await toy.run({ x, clear: x });
  const rows = made.map(({ name }, at) => ({
    name,
    right: out[`right${at}`]!,
    found: out[`found${at}`]!,
    noise: bitsOf(out[`noise${at}`]!),
  }));
  return { rows, ciphertext: out['ciphertext']! };
}

/** The same powers as tasks under the same primes: the compiler bounds the noise, switches it down where it can, and refuses what would not be right. */
export async function compileOn(loom: Loom, { n, q, special, t }: Ring): Promise<readonly Promised[]> {
  const parameters: Parameters = {
    ...{ scheme: 'BGV', n, scale: undefined, plainModuli: [String(t)] },
    moduli: q.map(String),
    special: special.map(String),
  };
  const found: Promised[] = [];
  for (let squaring = 0; squaring <= SQUARINGS; squaring++) {
    const name = squaring === 0 ? 'x' : powerName(squaring);
    const task = loom.task();
    let value = task.encrypted('x', { shape: [n], min: 0, max: 1 });
    for (let again = 0; again < squaring; again++) value = value.square();
    task.output('power', squaring === 0 ? value.add(value) : value);
    try {
      using program = await task.compile({
        ...{ parameters, allowInsecure: true },
        passes: { openResults: false, square: true },
      });
      using client = await program.client();
      const inputs = await client.encrypt({ x: Array.from({ length: n }, (_, slot) => slot % 2) });
      const { power } = await client.decryptDetails(await program.run(inputs, client.evaluationKeys));
      const bound = Math.min(...program.info.ciphertexts.map(({ budgetBits }) => budgetBits));
      found.push({ name, budget: { bound, measured: power!.budgetBits ?? Number.NaN }, refused: undefined });
    } catch (error) {
      if (!(error instanceof CipherloomError) || !error.code.startsWith('parameters.')) throw error;
      found.push({ name, budget: undefined, refused: error.code });
    }
  }
  return found;
}

function powerName(squaring: number): string {
  return `x${superscript(2 ** squaring)}`;
}

async function show(loom: Loom, given: Given): Promise<Shown> {
  const ring = ringOf(Number(one(given, 'n')), Number(one(given, 'primes')), one(given, 't'));
  const first = one(given, 'first') % ring.t;
  const [{ rows, ciphertext }, promised] = await Promise.all([
    multiplyOn(loom, ring, first),
    compileOn(loom, ring),
  ]);
  const limit = log2(ring.q) - 1;
  const few = 4;
  const list = (numbers: readonly bigint[]): string => `${numbers.slice(0, few).join(', ')}, …`;
  const isRight = ({ right, found }: Measured): boolean => right.every((value, at) => value === found[at]);
  const broken = rows.findIndex((row) => !isRight(row));
  const upTo = (last: number): HTMLElement[] => [
    levels(rows, last, limit),
    numbersTable('noise', {
      caption: `Noise, of at most ${limit.toFixed(1)} bits`,
      head: ['Of x', 'Slots are', 'Decrypted to', 'Noise, bits', 'Right'],
      rows: rows
        .slice(0, last + 1)
        .map((row) => [
          row.name,
          list(row.right),
          list(row.found),
          row.noise.toFixed(1),
          isRight(row) ? 'yes' : 'no',
        ]),
      strong: [last],
    }),
  ];
  const said: Readonly<Record<string, string>> = {
    'x + x': 'A sum has the noise of both: at most one bit more.',
    'x²': 'A product multiplies message and noise of one with those of the other, so that their bits add up; the key that brings it back to two polynomials adds a little.',
  };
  const size = 2 * ring.n * ring.q.length;
  return {
    stops: [
      {
        title: 'Encrypt',
        body: [
          says(
            `x has ${format.count(ring.n)} slots, ${list(slotsOf(ring, first))} modulo ${ring.t}. Encrypted it is two polynomials that look random, and are: ${format.count(size)} words of 64 bits, the first of which are ${list(ciphertext)}`,
          ),
          formula('c₀ + c₁ s = m + t e  (mod Q)'),
          says(
            `s is the secret key, with coefficients −1, 0 and 1; e is a small random error, at most 21 in each coefficient. Who has s computes m + t e, takes it modulo t, and has m. The noise is the size of m + t e: it has to stay below Q / 2, which is ${limit.toFixed(1)} bits here.`,
          ),
          ...upTo(0),
        ],
      },
      ...rows.slice(1).map((row, before) => {
        const at = before + 1;
        const over =
          at === broken
            ? ` Here it does not fit into Q any more: it wraps around, and what is decrypted is nothing that anybody computed.`
            : broken >= 0 && at > broken
              ? ' It stays at the limit, since nothing modulo Q is larger.'
              : '';
        return {
          title: at === broken ? `${row.name}: it breaks` : row.name,
          body: [
            says(
              (said[row.name] ?? `${row.name} is the square of what was there: about twice the bits.`) + over,
            ),
            ...(at === 1
              ? [formula('noise(a + b) ≤ noise(a) + noise(b)')]
              : [formula('noise(a b) usually ≤ 2 √n · noise(a) · noise(b)')]),
            ...upTo(at),
          ],
        };
      }),
      {
        title: 'What the compiler does about it',
        body: [
          says(
            'A program does not multiply on blindly. For the same primes the compiler bounds the noise of each power before anything is encrypted, divides by a prime after products so that noise shrinks with the modulus, and refuses what would not be right. Bits of budget are what is left below the limit: by its bound, and measured.',
          ),
          numbersTable('promised', {
            caption: 'Budget of each power under the same primes, in bits',
            head: ['Task', 'At least (bound)', 'Measured', ''],
            rows: promised.map(({ name, budget, refused }) => [
              name === 'x' ? 'x + x' : name,
              budget === undefined ? '–' : budget.bound.toFixed(1),
              budget === undefined ? '–' : budget.measured.toFixed(1),
              refused === undefined ? 'compiled' : `refused: ${refused}`,
            ]),
          }),
        ],
      },
    ],
    question: {
      text: 'Which power of x is the first that is decrypted wrongly here? Give its exponent; 0 if none is.',
      answer: BigInt(broken < 2 ? 0 : 2 ** (broken - 1)),
      why:
        broken < 0
          ? 'None: all of them are right.'
          : `${rows[broken]!.name}: its noise would have more than ${limit.toFixed(1)} bits.`,
    },
  };
}

/** Noise of each row as a bar, and the limit. */
function levels(rows: readonly Measured[], last: number, limit: number): HTMLElement {
  const [width, left, right, row] = [320, 46, 14, 24];
  const height = rows.length * row + 20;
  const scale = (width - left - right) / limit;
  const bars = rows.slice(0, last + 1).flatMap(({ name, noise }, at) => [
    s('text', { class: 'node', x: left - 8, y: at * row + 16, 'text-anchor': 'end' }, name),
    s('rect', {
      class: at === last ? 'bar now' : 'bar',
      x: left,
      y: at * row + 4,
      width: Math.max(noise * scale, 1),
      height: 16,
    }),
  ]);
  const edge = left + limit * scale;
  return h(
    'figure',
    { class: 'learn-figure' },
    s(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': `Noise of ${rows[last]!.name}: ${rows[last]!.noise.toFixed(1)} of ${limit.toFixed(1)} bits`,
      },
      ...bars,
      s('line', { class: 'limit', x1: edge, y1: 0, x2: edge, y2: height - 16 }),
      s(
        'text',
        { class: 'node', x: edge, y: height - 3, 'text-anchor': 'end' },
        `limit ${limit.toFixed(1)} bits`,
      ),
    ),
  );
}

const choice = (values: readonly bigint[]): { value: bigint; text: string }[] =>
  values.map((value) => ({ value, text: format.count(Number(value)) }));

export const NOISE: Lesson = {
  id: 'noise',
  title: 'One ciphertext and its noise',
  lead: 'A ciphertext is a number under a little noise. Every operation makes the noise larger; when it is too large, the number is lost. Here it is multiplied until that happens.',
  fields: [
    { kind: 'choice', name: 'n', label: 'Ring dimension n', first: [16n], options: choice([16n, 32n, 128n]) },
    {
      kind: 'choice',
      name: 'primes',
      label: 'Primes of 30 bits in Q',
      first: [2n],
      options: choice([1n, 2n, 3n, 4n]),
    },
    {
      kind: 'choice',
      name: 't',
      label: 'Plaintext modulus t',
      first: [257n],
      options: choice([257n, 65537n]),
    },
    {
      kind: 'numbers',
      name: 'first',
      label: 'First slot of x',
      first: [3n],
      count: 1,
      least: 0n,
      most: 65536n,
    },
  ],
  sources: [
    {
      text: 'Z. Brakerski, C. Gentry, V. Vaikuntanathan, Fully Homomorphic Encryption without Bootstrapping: the scheme',
      address: 'https://ia.cr/2011/277',
    },
    {
      text: 'A. Kim, Y. Polyakov, V. Zucca, Revisiting Homomorphic Encryption Schemes for Finite Fields, section 2: |a b| ≤ 2 √n |a| |b| where one of the two is random',
      address: 'https://ia.cr/2021/204',
    },
  ],
  show,
};
