/**
 * Fewer bits behind the point, which never fails (masks over all of Z_2^64 as in P. Mohassel and P. Rindal, "ABY3", ia.cr/2018/403, section 5.1.2; what wraps
 * around is told by a shared top bit, after A. Dalskov, D. Escudero and M. Keller, ia.cr/2019/131).
 *
 * Z = X + 2^62 is from 0 to 2^63 - 1. The dealer deals shares of a uniform word r = t 2^63 + r', of t, and of r' >> m. C = Z + r mod 2^64 is opened among the
 * holders: uniform, whatever X is. Let C = k 2^63 + C'. Then Z + r' = w 2^63 + C' with w = k xor t, and
 *
 *   y = (C' >> m) - (r' >> m) + w 2^(63 - m) = floor(Z / 2^m) + [C' mod 2^m < r' mod 2^m] = floor((Z + u) / 2^m), u = 2^m - 1 - (C' mod 2^m),
 *
 * less 2^(62 - m). Every term is linear in shares: w = k + t - 2 k t, and k is known. u is uniform, independent of X, and known to the holders: what they see
 * follows from u and their results.
 */
import type { Operand, PartyBuilder } from '../../graph-types.js';
import { type Protocol, wrongFraction } from './protocol.js';
import type { SharedTensor } from './types.js';

const BELOW_TOP = 2n ** 63n - 1n;
const OFFSET = 2n ** 62n;

/** See {@link Shares.truncate}. */
export function truncate(protocol: Protocol, x: SharedTensor, bits?: number): SharedTensor {
  const xs = protocol.sharesOf('truncate', x);
  const m = bits ?? x.fraction - protocol.fraction;
  if (!Number.isInteger(m) || m < 1 || m > x.fraction)
    throw wrongFraction(
      'truncate, bits',
      `${m}`,
      `1 to ${x.fraction}, which the tensor has behind the point`,
    );
  const dealer = protocol.dealer('truncate');
  const [lower, top, amount] = [protocol.word(BELOW_TOP), protocol.word(63n), protocol.word(BigInt(m))];
  const high = (at: PartyBuilder, words: Operand): Operand =>
    at.op('u64.shr', [at.op('u64.and', [words, lower]), amount]);

  const r = dealer.draw(x.shape);
  const highs = dealer.deal(high(dealer.party, r.sum), x.shape);
  const tops = dealer.deal(dealer.party.op('u64.shr', [r.sum, top]), x.shape);

  const masked = protocol.each((holder, i, first) => {
    const sum = holder.op('u64.add', [xs[i] as Operand, r.shares[i] as Operand]);
    return first ? holder.op('u64.add', [sum, protocol.word(OFFSET)]) : sum;
  });
  const opened = protocol.reveal(masked);

  const carry = protocol.word(1n << BigInt(63 - m));
  const shares = protocol.each((holder, i, first) => {
    const c = opened[i] as Operand;
    const k = holder.op('u64.shr', [c, top]);
    // t (1 - 2 k), and k at one holder.
    const sign = holder.op('u64.sub', [protocol.word(1n), holder.op('u64.add', [k, k])]);
    const turned = holder.op('u64.mul', [tops[i] as Operand, sign]);
    const wraps = holder.op('u64.mul', [first ? holder.op('u64.add', [turned, k]) : turned, carry]);
    const own = holder.op('u64.sub', [wraps, highs[i] as Operand]);
    if (!first) return own;
    const raised = holder.op('u64.add', [own, high(holder, c)]);
    return holder.op('u64.sub', [raised, protocol.word(1n << BigInt(62 - m))]);
  });
  return protocol.tensor(shares, x.shape, x.fraction - m);
}
