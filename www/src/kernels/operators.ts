/** What is measured: the operators that key switching, and so multiplication and rotation, is made of. */
import { operatorKey } from 'cipherloom/tune';
import type { OperatorKey } from 'cipherloom/tune';

/** Primes of 50 and 43 bits, 1 modulo 2^16: for rings of all dimensions that are offered. */
const FIFTY = [0x3_ffff_ffdf_0001, 0x3_ffff_ff91_0001] as const;
const FORTY_THREE = 0x7ff_ffdb_0001;
/** Of 40 bits and of 17. */
const OTHERS = [1_099_511_480_321, 65_537] as const;

/** Ring dimensions to choose from. */
export const DIMENSIONS = [1024, 2048, 4096, 8192, 16_384] as const;

/** An operator of the table. */
export interface Measurable {
  /** Its name in graphs. */
  readonly name: string;
  readonly title: string;
  /** What it computes, in a sentence. */
  readonly what: string;
  /** Names of the operators of this table whose kernels it is made of; its own, where its schedule is searched. */
  readonly made: readonly string[];
  key(n: number, device: string): OperatorKey;
}

const limb = (n: number, q: number, form: 'coeff' | 'ntt'): string =>
  `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
/** A key; what is written follows from the rest, and no trial asks for it. */
const key = (
  operator: string,
  attributes: Record<string, bigint | number | bigint[]>,
  inputs: string[],
  device: string,
): OperatorKey => operatorKey({ operator, attributes, inputs, outputs: [], device });

export const OPERATORS: readonly Measurable[] = [
  {
    name: 'limb.ntt',
    title: 'Forward transform',
    what: 'From coefficients to values, so that products of polynomials are products of numbers; 50 bits.',
    made: ['limb.ntt'],
    key: (n, device) => key('limb.ntt', {}, [limb(n, FIFTY[0], 'coeff')], device),
  },
  {
    name: 'limb.intt',
    title: 'Inverse transform',
    what: 'From values back to coefficients; 50 bits.',
    made: ['limb.intt'],
    key: (n, device) => key('limb.intt', {}, [limb(n, FIFTY[0], 'ntt')], device),
  },
  {
    name: 'limb.convolve',
    title: 'Inner product of key switching',
    what: 'Four digits are transformed, multiplied by eight polynomials of a key, summed, and transformed back.',
    made: ['limb.ntt', 'limb.intt', 'limb.convolve'],
    key: (n, device) =>
      key(
        'limb.convolve',
        { q: BigInt(FIFTY[0]), outputs: 2 },
        [
          ...Array.from({ length: 4 }, () => limb(n, FIFTY[0], 'coeff')),
          ...Array.from({ length: 8 }, () => limb(n, FIFTY[0], 'ntt')),
        ],
        device,
      ),
  },
  {
    name: 'limb.tensor',
    title: 'Product of two ciphertexts',
    what: 'Four products of polynomials, summed to three, transformed back.',
    made: ['limb.intt'],
    key: (n, device) =>
      key(
        'limb.tensor',
        {},
        Array.from({ length: 4 }, () => limb(n, FIFTY[0], 'ntt')),
        device,
      ),
  },
  {
    name: 'rns.extend',
    title: 'Change of base',
    what: 'The same polynomial modulo two other primes, from three.',
    made: ['rns.extend'],
    key: (n, device) =>
      key(
        'rns.extend',
        { to: OTHERS.map(BigInt) },
        [`poly[${3 * n}]{form="coeff", n=${n}, q=[${[...FIFTY, FORTY_THREE].join(', ')}]}`],
        device,
      ),
  },
];
