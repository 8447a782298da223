/** What moves or adds up elements of one tensor: every holder does it to its own share. */
import { checkArgument } from '../../arguments.js';
import { u64 } from '../../element.js';
import type { Operand, PartyBuilder } from '../../graph-types.js';
import type { Protocol } from './protocol.js';
import { checkAxes, checkAxis, checkBox, checkSame, concatenated, type Shape } from './shape.js';
import type { SharedTensor } from './types.js';

/** A linear call at each holder. */
function apart(
  protocol: Protocol,
  where: string,
  x: SharedTensor,
  shape: Shape,
  call: (holder: PartyBuilder, share: Operand) => Operand,
): SharedTensor {
  const shares = protocol.sharesOf(where, x);
  const all = protocol.each((holder, i) => call(holder, shares[i] as Operand));
  return protocol.tensor(all, shape, x.fraction);
}

/** See {@link Shares.negate}. */
export function negate(protocol: Protocol, x: SharedTensor): SharedTensor {
  protocol.sharesOf('negate', x);
  return apart(protocol, 'negate', x, x.shape, (holder, share) => holder.op('u64.neg', [share]));
}

/** See {@link Shares.sum}. */
export function sumAlong(protocol: Protocol, x: SharedTensor, axis: number): SharedTensor {
  protocol.sharesOf('sum', x);
  const along = checkAxis('sum', x.shape, axis);
  const shape = x.shape.filter((_, at) => at !== along);
  return apart(protocol, 'sum', x, shape, (holder, share) => holder.op('u64.sum', [share], { axis: along }));
}

/** See {@link Shares.reshape}. */
export function reshape(protocol: Protocol, x: SharedTensor, shape: Shape): SharedTensor {
  protocol.sharesOf('reshape', x);
  const other = checkSame('reshape', x.shape, shape);
  return apart(protocol, 'reshape', x, other, (holder, share) => holder.view(share, u64(...other)));
}

/** See {@link Shares.transpose}. */
export function transpose(protocol: Protocol, x: SharedTensor, axes?: Shape): SharedTensor {
  protocol.sharesOf('transpose', x);
  const order = checkAxes('transpose', x.shape, axes ?? x.shape.map((_, at) => x.shape.length - 1 - at));
  const shape = order.map((axis) => x.shape[axis] as number);
  return apart(protocol, 'transpose', x, shape, (holder, share) =>
    holder.op('u64.transpose', [share], { axes: order }),
  );
}

/** See {@link Shares.slice}. */
export function slice(protocol: Protocol, x: SharedTensor, start: Shape, size: Shape): SharedTensor {
  protocol.sharesOf('slice', x);
  checkBox('slice', x.shape, start, size);
  const box = { start: [...start], size: [...size] };
  return apart(protocol, 'slice', x, size, (holder, share) => holder.op('u64.slice', [share], box));
}

/** See {@link Shares.concat}. */
export function concat(protocol: Protocol, tensors: readonly SharedTensor[], axis: number): SharedTensor {
  checkArgument('concat', tensors, {
    expected: 'an array of shared tensors, at least one',
    fits: (value) => Array.isArray(value) && value.length > 0,
  });
  tensors.forEach((x) => protocol.sharesOf('concat', x));
  const along = checkAxis('concat', (tensors[0] as SharedTensor).shape, axis);
  const shape = concatenated(
    'concat',
    tensors.map((x) => x.shape),
    along,
  );
  const level = protocol.level('concat', tensors);
  const shares = level.map((x) => protocol.sharesOf('concat', x));
  const all = protocol.each((holder, i) =>
    holder.op(
      'u64.concat',
      shares.map((own) => own[i] as Operand),
      { axis: along },
    ),
  );
  return protocol.tensor(all, shape, (level[0] as SharedTensor).fraction);
}
