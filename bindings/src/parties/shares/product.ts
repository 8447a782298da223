/**
 * Products of two shared tensors (D. Beaver, "Efficient Multiparty Protocols Using Circuit Randomization", CRYPTO 1991; of matrices: P. Mohassel and
 * Y. Zhang, "SecureML", ia.cr/2017/396, section 4.1).
 *
 * The dealer deals shares of uniform a and b and of c = a b. D = x - a and E = y - b are opened among the holders: of each product others, so that they are uniform whatever x and y
 * are. Then x y = (D + a)(E + b) = c + D b + a E + D E: each holder's share is c_i + D b_i + a_i E, one of them adds D E.
 */
import type { Operand } from '../../graph-types.js';
import type { Protocol } from './protocol.js';
import { broadcast, product, type Shape } from './shape.js';
import type { SharedTensor } from './types.js';

/** See {@link Shares.multiply}. */
export function multiply(protocol: Protocol, x: SharedTensor, y: SharedTensor): SharedTensor {
  return beaver(protocol, 'multiply', 'u64.mul', broadcast, x, y);
}

/** See {@link Shares.matmul}. */
export function matmul(protocol: Protocol, x: SharedTensor, y: SharedTensor): SharedTensor {
  return beaver(protocol, 'matmul', 'u64.matmul', product, x, y);
}

/** See {@link Shares.square}: with a = b, x^2 = c + 2 D a + D^2. */
export function square(protocol: Protocol, x: SharedTensor): SharedTensor {
  const xs = protocol.sharesOf('square, x', x);
  const fraction = protocol.bits('square', 2 * x.fraction);
  const dealer = protocol.dealer('square');
  const a = dealer.draw(x.shape);
  const c = dealer.deal(dealer.party.op('u64.mul', [a.sum, a.sum]), x.shape);
  const opened = hidden(protocol, xs, a.shares);
  const shares = protocol.each((holder, i, first) => {
    const [d, own] = [opened[i] as Operand, a.shares[i] as Operand];
    const twice = holder.op('u64.add', [own, own]);
    const factor = first ? holder.op('u64.add', [twice, d]) : twice;
    return holder.op('u64.add', [c[i] as Operand, holder.op('u64.mul', [d, factor])]);
  });
  return protocol.tensor(shares, x.shape, fraction);
}

function beaver(
  protocol: Protocol,
  where: string,
  operator: 'u64.mul' | 'u64.matmul',
  shapeOf: (where: string, x: Shape, y: Shape) => Shape,
  x: SharedTensor,
  y: SharedTensor,
): SharedTensor {
  const [xs, ys] = [protocol.sharesOf(`${where}, x`, x), protocol.sharesOf(`${where}, y`, y)];
  const shape = shapeOf(where, x.shape, y.shape);
  const fraction = protocol.bits(where, x.fraction + y.fraction);
  const dealer = protocol.dealer(where);
  const [a, b] = [dealer.draw(x.shape), dealer.draw(y.shape)];
  const c = dealer.deal(dealer.party.op(operator, [a.sum, b.sum]), shape);
  const [ds, es] = [hidden(protocol, xs, a.shares), hidden(protocol, ys, b.shares)];
  const shares = protocol.each((holder, i, first) => {
    const [d, e] = [ds[i] as Operand, es[i] as Operand];
    const own = b.shares[i] as Operand;
    // D (b_i + E) is D b_i and D E at once.
    const right = holder.op(operator, [d, first ? holder.op('u64.add', [own, e]) : own]);
    const left = holder.op(operator, [a.shares[i] as Operand, e]);
    return holder.op('u64.add', [c[i] as Operand, holder.op('u64.add', [right, left])]);
  });
  return protocol.tensor(shares, shape, fraction);
}

/** x - mask, known to every holder. */
function hidden(protocol: Protocol, xs: readonly Operand[], mask: readonly Operand[]): readonly Operand[] {
  return protocol.reveal(
    protocol.each((holder, i) => holder.op('u64.sub', [xs[i] as Operand, mask[i] as Operand])),
  );
}
