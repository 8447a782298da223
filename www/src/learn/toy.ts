/** Toy rings, and graphs that run on them. All of it is far too small to protect anything: it is for looking at. */
import { type Circuit, type GraphBuilder, type Loom, type Operand, type } from 'cipherloom';

/** Primes that are 1 modulo 256, by their bits, so that rings up to n = 128 have transforms; largest first. */
export const PRIMES = {
  20: [1047041n, 1044737n],
  30: [1073738753n, 1073736449n, 1073734913n, 1073732609n, 1073731073n],
  40: [1099511619841n, 1099511607041n, 1099511603713n, 1099511600897n],
} as const satisfies Readonly<Record<number, readonly bigint[]>>;

/** Numbers by the name of their output. */
export type Numbers = Readonly<Record<string, readonly bigint[]>>;

/** A ring, with what keys need. */
export interface Ring {
  readonly n: number;
  readonly q: readonly bigint[];
  readonly special: readonly bigint[];
  /** Of the plaintext: slots hold numbers modulo t. */
  readonly t: bigint;
}

/** Keys and ciphertexts of BGV in a graph; errors are multiples of t. */
export class Toy {
  readonly g: GraphBuilder;
  readonly ring: Ring;
  readonly secret: Operand;
  readonly #seeds: readonly [open: Operand, hidden: Operand];

  constructor(loom: Loom, ring: Ring) {
    const g = loom.graph({ unit: 64 });
    this.g = g;
    this.ring = ring;
    this.#seeds = [g.input('open', type('public_seed')), g.input('hidden', type('secret_seed'))];
    this.secret = g.op('rlwe.secret_key', [this.#seeds[1]], { n: ring.n, q: [...ring.q, ...ring.special] });
  }

  /** A switching key. */
  key(from: { readonly from: 'square' } | { readonly from: 'galois'; readonly g: number }): Operand {
    const { q, special, t } = this.ring;
    return this.g.op('rlwe.switching_key', [this.secret, ...this.#seeds], {
      ...{ q: [...q], special: [...special], digit: 1, factor: t },
      ...from,
    });
  }

  /** An input of numbers modulo t, one to a slot. */
  slots(name: string): Operand {
    const { n, t } = this.ring;
    return this.g.input(name, type('slots', { n, t }));
  }

  encode(slots: Operand): Operand {
    return this.g.op('slots.encode', [slots]);
  }

  encrypt(plain: Operand): Operand {
    return this.g.op('bgv.encrypt_secret', [this.secret, plain, ...this.#seeds], { q: [...this.ring.q] });
  }

  /** The slots of a ciphertext. */
  decrypt(ciphertext: Operand, secret = this.secret): Operand {
    return this.g.op('slots.decode', [this.g.op('bgv.decrypt', [secret, ciphertext])]);
  }

  /** log2 of the largest coefficient of what decryption sees. */
  noise(ciphertext: Operand, secret = this.secret): Operand {
    return this.g.op('bgv.noise', [secret, ciphertext]);
  }

  /** Fresh keys and errors, and these numbers. */
  run(given: Numbers): Promise<Numbers> {
    return runOnce(this.g, { ...given, open: seed(), hidden: seed() });
  }
}

/** 32 bytes of the platform's randomness. */
function seed(): readonly bigint[] {
  return Array.from(crypto.getRandomValues(new BigUint64Array(4)));
}

/** Builds, expands, runs and forgets a graph of unit 64. */
export async function runOnce(g: GraphBuilder, given: Numbers): Promise<Numbers> {
  const made: Circuit[] = [];
  try {
    made.push(await g.build());
    made.push(await made[0]!.expand({ platform: 'simd' }));
    const inputs = Object.fromEntries(
      Object.entries(given).map(([name, numbers]) => [name, BigUint64Array.from(numbers)]),
    );
    // Also a toy's secrets are overwritten.
    const outputs = await made[1]!.run(inputs, { secret: true });
    return Object.fromEntries(
      Object.entries(outputs).map(([name, data]) => [name, Array.from(data as BigUint64Array)]),
    );
  } finally {
    for (const circuit of made) circuit.dispose();
  }
}

/** What `bgv.noise` gives: a double in a word. */
export function bitsOf(words: readonly bigint[]): number {
  return new Float64Array(BigUint64Array.from(words).buffer)[0]!;
}

/** A residue as the number nearest to 0 that it stands for. */
export function centered(residue: bigint, q: bigint): bigint {
  return 2n * residue > q ? residue - q : residue;
}

/** log2 of a product of primes. */
export function log2(primes: readonly bigint[]): number {
  return primes.reduce((sum, prime) => sum + Math.log2(Number(prime)), 0);
}
