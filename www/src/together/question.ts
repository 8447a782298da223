/**
 * What the parties compute: how many values all of them have, their mean and their standard deviation, and nothing else.
 *
 * Each party adds up its own values and their squares, and shares these three numbers among all (`shares`, without a dealer: nothing is multiplied): everybody gets a random part, adds up
 * the parts that they have, and opens that sum to the others. All of these sums together are the totals. Whoever has fewer than all other parties' parts has only random numbers.
 */
import { type Loom, type Operand, type PartyBuilder, u64 } from 'cipherloom';
import { type Crossing, type SharedGraph, shares } from 'cipherloom/parties';

/** Most values of one party: the graph has so many places, those without a value 0. */
export const MOST_VALUES = 4096;
/** Largest value, in units of its last decimal: so the sum of the squares of five parties stays below 2^64. */
export const LARGEST = 30_000_000;
const TOTALS = u64(3);

/** What one party brings. */
export interface Bring {
  /** Units of the last decimal. */
  readonly values: readonly number[];
}

export interface Answer {
  readonly count: number;
  readonly mean: number;
  /** Of all values as a sample; `NaN` of one. */
  readonly deviation: number;
}

const valuesOf = (party: string): string => `${party}: values`;
const countOf = (party: string): string => `${party}: how many`;
const totalsOfAll = (party: string): string => `${party}: totals`;

/** The graph that all parties agree on. */
export async function sharedGraph(loom: Loom, parties: readonly string[]): Promise<SharedGraph> {
  const graph = loom.graph({ unit: 64 });
  const s = shares(graph, { holders: parties });
  const all = parties
    .map((name) => s.share(name, ownTotalsOf(graph.party(name), name), TOTALS))
    .reduce((sum, other) => s.add(sum, other));
  for (const name of parties) graph.party(name).output(totalsOfAll(name), s.open(all, name));
  return graph.share();
}

/** Whether what crosses is a part that its owner has drawn for another; else it is the sum of the parts that somebody has. */
export function isPart({ producer }: Crossing): boolean {
  return producer === 'sample.words';
}

/** Of a run's outputs, as words. */
export function totalsIn(outputs: Readonly<Record<string, unknown>>, party: string): readonly bigint[] {
  return [...(outputs[totalsOfAll(party)] as BigInt64Array)].map((word) => BigInt.asUintN(64, word));
}

/** How many, sum, sum of squares: of one party. */
function ownTotalsOf(party: PartyBuilder, name: string): Operand {
  const values = party.input(valuesOf(name), u64(MOST_VALUES));
  const count = party.input(countOf(name), u64(1));
  const squares = party.op('u64.mul', [values, values]);
  const [sum, square] = [values, squares].map((terms) => party.op('u64.sum', [terms], { axis: 0 })) as [
    Operand,
    Operand,
  ];
  return party.merge([count, sum, square], TOTALS);
}

/** What a party brings to the run, beside the seed of its parts. */
export function inputsOf(party: string, { values }: Bring): Record<string, BigUint64Array> {
  const places = new BigUint64Array(MOST_VALUES);
  for (const [at, value] of values.entries()) places[at] = BigInt.asUintN(64, BigInt(value));
  return { [valuesOf(party)]: places, [countOf(party)]: BigUint64Array.of(BigInt(values.length)) };
}

/** A party's own totals, for comparison with what leaves it. */
export function ownTotals({ values }: Bring): readonly bigint[] {
  const sum = values.reduce((sum, value) => sum + BigInt(value), 0n);
  const squares = values.reduce((sum, value) => sum + BigInt(value) ** 2n, 0n);
  return [BigInt(values.length), sum, squares];
}

/** The answer, of the totals; of no values at all: undefined. */
export function answerOf(totals: readonly bigint[], decimals: number): Answer | undefined {
  const [count, sum, squares] = [totals[0]!, BigInt.asIntN(64, totals[1]!), totals[2]!];
  if (count === 0n) return undefined;
  const unit = 10 ** decimals;
  // Exact until here: n * sum of squares - sum^2 is what rounding would spoil.
  const spread = Number(count * squares - sum * sum) / Number(count) / (Number(count) - 1);
  return {
    count: Number(count),
    mean: Number(sum) / Number(count) / unit,
    deviation: Math.sqrt(spread) / unit,
  };
}

/**
 * Values as units of the last decimal: of all rows, or of every so manieth one (`of`) from a row on (`first`, counted from 0). Errors: a sentence, with the row as the file has it, counted
 * from 1.
 */
export function unitsOf(values: ArrayLike<number>, decimals: number, first = 0, of = 1): number[] {
  const units: number[] = [];
  for (let at = first; at < values.length; at += of) {
    const [value, row] = [values[at]!, at + 1];
    if (Number.isNaN(value)) continue;
    const scaled = Math.round(value * 10 ** decimals);
    // Who was invited has not chosen how many.
    if (Math.abs(scaled) <= LARGEST && scaled / 10 ** decimals !== value)
      throw new Error(
        `Row ${row} has ${value}, with more digits behind the decimal point than the ${decimals} of this meeting. A meeting with more of them takes it.`,
      );
    if (Math.abs(scaled) > LARGEST)
      throw new Error(
        `Row ${row} has ${value}: with ${decimals} decimals values lie between -${LARGEST / 10 ** decimals} and ${LARGEST / 10 ** decimals}.`,
      );
    units.push(scaled);
  }
  if (units.length > MOST_VALUES)
    throw new Error(
      `${units.length} values are more than ${MOST_VALUES}, which is what one party can bring here.`,
    );
  if (units.length === 0) throw new Error('There is no value in it.');
  return units;
}
