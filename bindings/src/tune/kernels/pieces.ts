/** Which piece of work an operator is, or has most of, so that a kernel of that piece is an implementation of it. The only place that knows operators by name here. */
import { operatorKey, type OperatorKey } from '../key.js';
import { type Change, isChange, isShaderPiece, isTerms, type Piece, type Terms } from './schedule.js';

/** The piece of an operator: of which ring. */
export interface PieceOfKey {
  readonly piece: Piece;
  /** The dimension of the ring: polynomials modulo X^n + 1. */
  readonly n: number;
  /** The prime that it computes modulo. */
  readonly prime: bigint;
  /** Of sums of products, and of changes of base. */
  readonly shape?: Terms | Change;
}

/** Operators that are one piece, and whether the prime is an attribute of their own, or their input's. */
const OPERATORS: Readonly<Record<string, { readonly piece: Piece; readonly own: boolean }>> = {
  'limb.ntt': { piece: 'ring.forward', own: false },
  'limb.ntt_from': { piece: 'ring.forward', own: true },
  'limb.ntt_divide': { piece: 'ring.forward', own: false },
  'limb.intt': { piece: 'ring.inverse', own: false },
  'limb.convolve': { piece: 'ring.sum', own: true },
  'rns.extend': { piece: 'rns.change', own: true },
  'rns.switch': { piece: 'rns.change', own: true },
  'rns.scale_round': { piece: 'rns.change', own: true },
  'limb.ntt@gpu': { piece: 'gpu.forward', own: false },
  'limb.intt@gpu': { piece: 'gpu.inverse', own: false },
};

/** The piece that a key asks for; undefined for what no kernel is made of. */
export function pieceOf({ operator, attributes, inputs }: OperatorKey): PieceOfKey | undefined {
  const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  const input = inputs[0];
  if (known?.piece === 'rns.change') return changeOf(operator, attributes, input);
  if (known === undefined || input === undefined || !/^limb(\[\d+\])?\{/.test(input)) return undefined;
  const number = (text: string, name: string): bigint | undefined => {
    const digits = new RegExp(`[{ ,]${name}=(\\d{1,20})[,}]`).exec(text)?.[1];
    return digits === undefined ? undefined : BigInt(digits);
  };
  const n = number(input, 'n');
  const prime = number(known.own ? attributes : input, 'q');
  if (n === undefined || prime === undefined || n > 2n ** 20n) return undefined;
  const of = { piece: known.piece, n: Number(n), prime };
  if (known.piece !== 'ring.sum') return of;
  const outputs = Number(number(attributes, 'outputs') ?? 0n);
  // Its factors come first; those that are transformed are what the sum has open.
  const factors = inputs.slice(0, inputs.length / (outputs + 1));
  const open = factors.filter((factor) => factor.includes('form="coeff"')).length;
  const terms: Terms = [open, factors.length - open, outputs];
  return isTerms(terms) ? { ...of, shape: terms } : undefined;
}

/** The change of base that an operator is: to other primes, or, of those that it divides by, to those that stay. Its prime is the largest of all. */
function changeOf(operator: string, attributes: string, input: string | undefined): PieceOfKey | undefined {
  const primes = (text: string, name: string): bigint[] => {
    const list = new RegExp(`[{ ,]${name}=\\[([\\d, ]+)\\]`).exec(text)?.[1];
    return (list ?? '').split(',').flatMap((one) => (/^ ?\d{1,20}$/.test(one) ? [BigInt(one.trim())] : []));
  };
  const n = Number(/^poly(?:\[\d+\])?\{.*[{ ,]n=(\d{1,7})[,}]/.exec(input ?? '')?.[1]);
  if (input === undefined || !Number.isSafeInteger(n) || !input.includes('form="coeff"')) return undefined;
  const [all, to, drop] = [primes(input, 'q'), primes(attributes, 'to'), primes(attributes, 'drop')];
  const divides = operator === 'rns.scale_round';
  const [sources, targets] = divides ? [drop.length, all.length - drop.length] : [all.length, to.length];
  // Of one source the factor is what the value is multiplied by.
  const scaled =
    sources > 1 || operator === 'rns.switch' || (divides && !/[{ ,]factor=1[,}]/.test(attributes));
  const shape: Change = [sources, targets, scaled ? 1 : 0, divides ? 1 : 0];
  const prime = [...all, ...to].reduce((most, one) => (one > most ? one : most), 0n);
  return isChange(shape) ? { piece: 'rns.change', n, prime, shape } : undefined;
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
  if (asked.piece === 'ring.sum') return sumsOf(key);
  // The last two are called for nothing else.
  if (asked.piece === 'rns.change' || isShaderPiece(asked.piece)) return [];
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

/** The same sums, transformed back, which takes what the kernel leaves, and not, which takes residues. */
function sumsOf(key: OperatorKey): OperatorKey[] {
  const plain = key.attributes.replace(/form="[a-z]*"(, )?/, '');
  return [plain, plain.replace('{', '{form="ntt", ')].map((attributes) => ({ ...key, attributes }));
}

/** Bits of a prime, 17 at least, as schedules have them. */
export function bitsOf(prime: bigint): number {
  return Math.max(17, prime.toString(2).length);
}
