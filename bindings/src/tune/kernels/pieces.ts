/** Which piece of work an operator is, so that a kernel of that piece is an implementation of it. The only place that knows operators by name here. */
import { operatorKey, type OperatorKey } from '../key.js';
import type { Piece } from './schedule.js';

/** The piece of an operator: of which ring. */
export interface PieceOfKey {
  readonly piece: Piece;
  readonly n: number;
  /** The prime that it computes modulo. */
  readonly prime: bigint;
}

/** Operators that are one piece, and whether the prime is an attribute of their own, or their input's. */
const OPERATORS: Readonly<Record<string, { readonly piece: Piece; readonly own: boolean }>> = {
  'limb.ntt': { piece: 'ring.forward', own: false },
  'limb.ntt_from': { piece: 'ring.forward', own: true },
  'limb.intt': { piece: 'ring.inverse', own: false },
};

/** The piece that a key asks for; undefined for what no kernel is made of. */
export function pieceOf({ operator, attributes, inputs }: OperatorKey): PieceOfKey | undefined {
  const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  const input = inputs[0];
  if (known === undefined || input === undefined || !/^limb(\[\d+\])?\{/.test(input)) return undefined;
  const number = (text: string, name: string): bigint | undefined => {
    const digits = new RegExp(`[{ ,]${name}=(\\d{1,20})[,}]`).exec(text)?.[1];
    return digits === undefined ? undefined : BigInt(digits);
  };
  const n = number(input, 'n');
  const prime = number(known.own ? attributes : input, 'q');
  if (n === undefined || prime === undefined || n > 2n ** 20n) return undefined;
  return { piece: known.piece, n: Number(n), prime };
}

/** The largest prime below 2^50 that has transforms of every dimension here: the largest residues that a kernel is given. */
const WIDE = 1_125_899_904_679_937n;

/**
 * What else a kernel of a key's piece is called for: transforms from another, larger prime, and those that leave doubles to sums of products, or take them. Conforming to all of
 * these, it may stand wherever the piece is needed.
 */
export function usesOf(key: OperatorKey): OperatorKey[] {
  const asked = pieceOf(key);
  if (asked === undefined) return [];
  const { n, prime } = asked;
  const limb = (form: string, q = prime): string => `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
  const [wide, prepared, device] = [limb('coeff', WIDE), limb('ntt'), key.device];
  const products = [wide, limb('coeff'), prepared, prepared, prepared, prepared];
  const convolve = { operator: 'limb.convolve', attributes: { outputs: 2, q: prime }, inputs: products };
  const from = { operator: 'limb.ntt_from', attributes: { q: prime }, inputs: [wide] };
  // In the end `convolve` transforms back.
  return [
    operatorKey({ ...convolve, outputs: [limb('coeff'), limb('coeff')], device }),
    ...(asked.piece === 'ring.forward' ? [operatorKey({ ...from, outputs: [prepared], device })] : []),
  ];
}

/** Bits of a prime, 17 at least, as schedules have them. */
export function bitsOf(prime: bigint): number {
  return Math.max(17, prime.toString(2).length);
}
