/** What all operations on shares stand on: who takes part, what they draw, and shared tensors. */
import { type, u64 } from '../../element.js';
import { failure } from '../../errors.js';
import type { GraphBuilder, Operand, PartyBuilder } from '../../graph-types.js';
import { checkArgument, type Kind } from '../../arguments.js';
import { broadcast, type Shape } from './shape.js';
import type { SharedTensor } from './types.js';

/** Most bits behind the point: so there are some before it. */
const MOST_FRACTION = 60;

/** A shared tensor's shares, one of each holder. */
class Tensor implements SharedTensor {
  readonly shape: Shape;
  readonly fraction: number;
  readonly #protocol: Protocol;
  readonly #shares: readonly Operand[];

  constructor(protocol: Protocol, shares: readonly Operand[], shape: Shape, fraction: number) {
    this.#protocol = protocol;
    this.#shares = shares;
    this.shape = Object.freeze([...shape]);
    this.fraction = fraction;
    Object.freeze(this);
  }

  /** Errors: InputError `input.type`, GraphError `graph.foreign`. */
  static sharesOf(protocol: Protocol, where: string, value: unknown): readonly Operand[] {
    checkArgument(where, value, TENSOR);
    if ((value as Tensor).#protocol === protocol) return (value as Tensor).#shares;
    const [found, expected] = ['a shared tensor of others', 'one that these shares made'];
    throw failure('graph.foreign', `${where}: expected ${expected}, found ${found}`, {
      where,
      found,
      expected,
    });
  }

  static is(value: unknown): boolean {
    return typeof value === 'object' && value !== null && #shares in value;
  }
}

const TENSOR: Kind = { expected: 'a shared tensor', fits: Tensor.is };

/** {@link SharesOptions}, checked. */
export interface Settings {
  readonly holders: readonly string[];
  readonly dealer: string | undefined;
  readonly fraction: number;
  readonly name: string;
}

/** Who takes part. */
export class Protocol {
  readonly holders: readonly PartyBuilder[];
  readonly dealerName: string | undefined;
  readonly fraction: number;
  readonly #graph: GraphBuilder;
  readonly #names: readonly string[];
  readonly #name: string;
  readonly #dealer: Dealer | undefined;
  readonly #seeds = new Map<string, Operand>();
  readonly #words = new Map<bigint, Operand>();

  constructor(graph: GraphBuilder, { holders, dealer, fraction, name }: Settings) {
    this.#graph = graph;
    this.#names = holders;
    this.dealerName = dealer;
    this.#name = name;
    this.holders = holders.map((holder) => graph.party(holder));
    this.#dealer = dealer === undefined ? undefined : new Dealer(this, dealer);
    this.fraction = fraction;
  }

  /** Errors: GraphError `graph.name`. */
  party(name: string): PartyBuilder {
    return this.#graph.party(name);
  }

  /** Who deals; asked before calls are made. Errors: PartyError `party.shares` where nobody does. */
  dealer(where: string): Dealer {
    if (this.#dealer !== undefined) return this.#dealer;
    const [found, expected] = ['none', 'a dealer: option dealer of shares, for products and truncations'];
    const problem = `${where}: expected ${expected}, found ${found}`;
    throw failure('party.shares', problem, { where, found, expected });
  }

  /** A holder's number; -1 for others. */
  holderNumber(name: string): number {
    return this.#names.indexOf(name);
  }

  /** Words that a party draws from its own seed, which is an input that nobody else ever sees; no two draws are alike. */
  draw(party: string, shape: Shape): Operand {
    let seed = this.#seeds.get(party);
    if (seed === undefined) {
      seed = this.party(party).input(`${this.#name}: seed of ${party}`, type('secret_seed'));
      this.#seeds.set(party, seed);
    }
    return this.party(party).op('sample.words', [seed], { shape });
  }

  /** Shares of what a party has: all but one are drawn, that one is what is left, its own where it holds one. */
  split(party: string, value: Operand, shape: Shape): readonly Operand[] {
    const own = this.holderNumber(party);
    const kept = own >= 0 ? own : this.holders.length - 1;
    let rest = value;
    const shares = this.holders.map((_, holder) => {
      if (holder === kept) return undefined;
      const mask = this.draw(party, shape);
      rest = this.party(party).op('u64.sub', [rest, mask]);
      return mask;
    });
    return shares.map((share) => share ?? rest);
  }

  /** What shares add up to, at every holder, who all send theirs to each other. */
  reveal(shares: readonly Operand[]): readonly Operand[] {
    return this.holders.map((holder) => sum(holder, shares));
  }

  /** Which calls each holder makes; `first` is true for one of them. */
  each(calls: (holder: PartyBuilder, number: number, first: boolean) => Operand): readonly Operand[] {
    return this.holders.map((holder, number) => calls(holder, number, number === 0));
  }

  /** A single word that is part of the graph. */
  word(value: bigint): Operand {
    const constant = this.#words.get(value) ?? this.words(BigUint64Array.of(value), []);
    this.#words.set(value, constant);
    return constant;
  }

  /** Words that are part of the graph: everybody has them. */
  words(words: BigUint64Array<ArrayBuffer>, shape: Shape): Operand {
    return this.#graph.constant(u64(...shape), words);
  }

  tensor(shares: readonly Operand[], shape: Shape, fraction: number): SharedTensor {
    return new Tensor(this, shares, shape, fraction);
  }

  /** That many bits behind the point; asked before calls are made. Errors: ParameterError `parameters.fraction`. */
  bits(where: string, fraction: number): number {
    if (fraction <= MOST_FRACTION) return fraction;
    throw wrongFraction(
      where,
      `${fraction} bits behind the point`,
      `at most ${MOST_FRACTION}: truncate first`,
    );
  }

  /** Errors: InputError `input.type`, GraphError `graph.foreign`. */
  sharesOf(where: string, x: SharedTensor): readonly Operand[] {
    return Tensor.sharesOf(this, where, x);
  }

  /** One element-wise operator on two tensors, at every holder. Both have as many bits behind the point. */
  pairwise(where: string, operator: 'u64.add' | 'u64.sub', x: SharedTensor, y: SharedTensor): SharedTensor {
    [x, y].forEach((tensor) => this.sharesOf(where, tensor));
    const shape = broadcast(where, x.shape, y.shape);
    const [a, b] = this.level(where, [x, y]) as [SharedTensor, SharedTensor];
    const [left, right] = [this.sharesOf(where, a), this.sharesOf(where, b)];
    const shares = this.each((holder, i) => holder.op(operator, [left[i] as Operand, right[i] as Operand]));
    return this.tensor(shares, shape, a.fraction);
  }

  /** All with as many bits behind the point as the one with most: X 2^d for those that have d fewer. */
  level(where: string, tensors: readonly SharedTensor[]): readonly SharedTensor[] {
    const most = Math.max(...tensors.map(({ fraction }) => fraction));
    return tensors.map((x) => {
      if (x.fraction === most) return x;
      const factor = this.word(1n << BigInt(most - x.fraction));
      const shares = this.sharesOf(where, x);
      const raised = this.each((holder, i) => holder.op('u64.mul', [shares[i] as Operand, factor]));
      return this.tensor(raised, x.shape, most);
    });
  }
}

/** Who deals what nobody is to know. */
export class Dealer {
  readonly party: PartyBuilder;
  readonly #protocol: Protocol;
  readonly #name: string;

  constructor(protocol: Protocol, name: string) {
    this.party = protocol.party(name);
    this.#protocol = protocol;
    this.#name = name;
  }

  /** Uniform words: a share for each holder, and their sum, which is as uniform. */
  draw(shape: Shape): { readonly shares: readonly Operand[]; readonly sum: Operand } {
    const shares = this.#protocol.holders.map(() => this.#protocol.draw(this.#name, shape));
    return { shares, sum: sum(this.party, shares) };
  }

  /** Shares of what it has. */
  deal(value: Operand, shape: Shape): readonly Operand[] {
    return this.#protocol.split(this.#name, value, shape);
  }
}

/** Errors: ParameterError `parameters.fraction`. */
export function wrongFraction(where: string, found: string, expected: string): Error {
  const problem = `${where}: expected ${expected}, found ${found}`;
  return failure('parameters.fraction', problem, { where, found, expected });
}

/** The sum of operands of one shape, at a party. */
export function sum(party: PartyBuilder, operands: readonly Operand[]): Operand {
  return operands.reduce((all, operand) => party.op('u64.add', [all, operand]));
}
