/** Secret sharing: graphs in which parties compute on what none of them knows. */
import { checkArgument, checkOptions, describe, type Kinds, isName, PARTY_NAME } from '../../arguments.js';
import { failure } from '../../errors.js';
import type { GraphBuilder, Operand, TensorType } from '../../graph-types.js';
import type { Approximation, ApproximationOptions } from '../../values/types.js';
import * as arrange from './arrange.js';
import { approximate, polynomial, sigmoid } from './polynomial.js';
import { matmul, multiply, square } from './product.js';
import { Protocol, type Settings, wrongFraction } from './protocol.js';
import { plus, times } from './public.js';
import { checkTensor, open, openReal, share } from './share.js';
import { truncate } from './truncate.js';
import type { PublicNumber, SharedElement, SharedTensor, Shares, SharesOptions } from './types.js';

const MOST_HOLDERS = 16;
const MOST_FRACTION = 30;
const DEFAULT_FRACTION = 16;
/** Words are units of the graph. */
const UNIT = 64;

const OPTIONS: Kinds<SharesOptions> = {
  holders: {
    expected: `an array of 2 to ${MOST_HOLDERS} names of parties`,
    fits: (value) =>
      Array.isArray(value) && value.length >= 2 && value.length <= MOST_HOLDERS && value.every(isName),
  },
  dealer: PARTY_NAME,
  fraction: { expected: 'a number of bits', fits: (value) => typeof value === 'number' },
  name: { expected: 'a name', fits: isName },
};

/**
 * Secret sharing among parties of a graph. Errors: InputError `input.type`, PartyError `party.shares` for a holder that is named twice or the dealer,
 * ParameterError `parameters.fraction`, GraphError `graph.shape` for a graph of another unit than 64 bits.
 */
export function shares(graph: GraphBuilder, options: SharesOptions): Shares {
  checkArgument('shares, graph', graph, {
    expected: 'a builder, as loom.graph({ unit: 64 }) gives it',
    fits: (value) => typeof (value as Partial<GraphBuilder> | undefined)?.party === 'function',
  });
  checkOptions('shares', options, OPTIONS);
  const { holders, dealer, fraction = DEFAULT_FRACTION, name = 'shares' } = options;
  checkArgument('shares, option holders', holders, OPTIONS.holders);
  const twice = holders.find((holder, at) => holders.indexOf(holder) !== at);
  if (twice !== undefined) throw wrongParty('option holders', `${describe(twice)} twice`, 'each holder once');
  if (dealer !== undefined && holders.includes(dealer))
    throw wrongParty('option dealer', `the holder ${describe(dealer)}`, 'a party that holds no shares');
  if (!Number.isInteger(fraction) || fraction < 0 || fraction > MOST_FRACTION)
    throw wrongFraction(
      'shares, option fraction',
      `${fraction}`,
      `a whole number from 0 to ${MOST_FRACTION}`,
    );
  if (graph.unit !== UNIT) {
    const [found, expected] = [`a graph of unit ${graph.unit}`, `one of unit ${UNIT}`];
    throw failure('graph.shape', `shares: expected ${expected}, found ${found}`, { found, expected });
  }
  return new Recorder(graph, { holders: Object.freeze([...holders]), dealer, fraction, name });
}

function wrongParty(where: string, found: string, expected: string): Error {
  return failure('party.shares', `shares, ${where}: expected ${expected}, found ${found}`, {
    where,
    found,
    expected,
  });
}

/** See {@link Shares}: one operation, one function beside this. */
class Recorder implements Shares {
  readonly holders: readonly string[];
  readonly dealer: string | undefined;
  readonly fraction: number;
  readonly #protocol: Protocol;

  constructor(graph: GraphBuilder, settings: Settings) {
    this.holders = settings.holders;
    this.dealer = settings.dealer;
    this.fraction = settings.fraction;
    this.#protocol = new Protocol(graph, settings);
  }

  share(party: string, operand: Operand, type: TensorType<SharedElement>): SharedTensor {
    return share(this.#protocol, party, operand, type);
  }

  input(party: string, name: string, type: TensorType<SharedElement>): SharedTensor {
    checkTensor('input, type', type);
    return this.share(party, this.#protocol.party(party).input(name, type), type);
  }

  open(x: SharedTensor, party: string): Operand {
    return open(this.#protocol, x, party);
  }

  openReal(x: SharedTensor, party: string): Operand {
    return openReal(this.#protocol, x, party);
  }

  add(x: SharedTensor, y: SharedTensor): SharedTensor {
    return this.#protocol.pairwise('add', 'u64.add', x, y);
  }

  sub(x: SharedTensor, y: SharedTensor): SharedTensor {
    return this.#protocol.pairwise('sub', 'u64.sub', x, y);
  }

  negate(x: SharedTensor): SharedTensor {
    return arrange.negate(this.#protocol, x);
  }

  plus(x: SharedTensor, y: PublicNumber): SharedTensor {
    return plus(this.#protocol, x, y);
  }

  times(x: SharedTensor, y: PublicNumber): SharedTensor {
    return times(this.#protocol, x, y);
  }

  sum(x: SharedTensor, axis: number): SharedTensor {
    return arrange.sumAlong(this.#protocol, x, axis);
  }

  reshape(x: SharedTensor, shape: readonly number[]): SharedTensor {
    return arrange.reshape(this.#protocol, x, shape);
  }

  transpose(x: SharedTensor, axes?: readonly number[]): SharedTensor {
    return arrange.transpose(this.#protocol, x, axes);
  }

  concat(tensors: readonly SharedTensor[], axis: number): SharedTensor {
    return arrange.concat(this.#protocol, tensors, axis);
  }

  slice(x: SharedTensor, start: readonly number[], size: readonly number[]): SharedTensor {
    return arrange.slice(this.#protocol, x, start, size);
  }

  multiply(x: SharedTensor, y: SharedTensor): SharedTensor {
    return multiply(this.#protocol, x, y);
  }

  square(x: SharedTensor): SharedTensor {
    return square(this.#protocol, x);
  }

  matmul(x: SharedTensor, y: SharedTensor): SharedTensor {
    return matmul(this.#protocol, x, y);
  }

  truncate(x: SharedTensor, bits?: number): SharedTensor {
    return truncate(this.#protocol, x, bits);
  }

  polynomial(x: SharedTensor, coefficients: readonly number[]): SharedTensor {
    return polynomial(this.#protocol, x, coefficients);
  }

  approximate(x: SharedTensor, of: Approximation): SharedTensor {
    return approximate(this.#protocol, x, of);
  }

  sigmoid(x: SharedTensor, options?: ApproximationOptions): SharedTensor {
    return sigmoid(this.#protocol, x, options);
  }
}
