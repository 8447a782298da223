/** Which piece of work an operator is, so that a kernel of that piece is an implementation of it. The only place that knows operators by name here. */
import type { OperatorKey } from '../key.js';
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

/** Bits of a prime, 17 at least, as schedules have them. */
export function bitsOf(prime: bigint): number {
  return Math.max(17, prime.toString(2).length);
}
