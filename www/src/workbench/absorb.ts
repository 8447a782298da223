/**
 * What an expansion did to operands, read from the text before and after it: where an expanded operator's result lies, and
 * who writes it now; which placeholders are new; and who reads the result, still at the same units.
 */
import { type GraphText, type Interval, joined, meet } from '../graph/graph-text.js';

/** One operator, and what it became. */
export interface Absorbed {
  /** Of the stage before. */
  readonly op: number;
  readonly type: string;
  /** Where its result lies, before and after. */
  readonly units: readonly Interval[];
  /** What it became, in order. */
  readonly parts: readonly Part[];
  /** Who reads its result. */
  readonly readersBefore: readonly Named[];
  readonly readersAfter: readonly Named[];
}

export interface Named {
  readonly op: number;
  readonly type: string;
}

/** An operator of the stage after. */
export interface Part extends Named {
  readonly units: readonly Interval[];
  /** Those of its units that are the result of what was expanded; none for what is in between. */
  readonly absorbed: readonly Interval[];
}

/** All operators that an expansion replaced, each looked into when it is asked for. `parent` gives of each operator after it the one that it came from. */
export function absorbed(before: GraphText, after: GraphText, parent: Int32Array): (() => Absorbed)[] {
  const children = new Map<number, number[]>();
  for (const [op, from] of parent.entries()) {
    const known = children.get(from);
    if (known === undefined) children.set(from, [op]);
    else known.push(op);
  }
  const found: (() => Absorbed)[] = [];
  for (let op = 0; op < before.size; op++) {
    const made = children.get(op) ?? [];
    if (made.length === 0 || (made.length === 1 && after.type(made[0]!) === before.type(op))) continue;
    found.push(() => lookInto(op, made, before, after));
  }
  return found;
}

function lookInto(op: number, made: readonly number[], before: GraphText, after: GraphText): Absorbed {
  const units = joined(before.writes(op));
  const parts = made.map((part) => {
    const written = after.writes(part);
    return { op: part, type: after.type(part), units: written, absorbed: meet(written, units) };
  });
  const readers = (text: GraphText, without: readonly number[]): Named[] =>
    Array.from({ length: text.size }, (_, reader) => reader)
      .filter((reader) => !without.includes(reader) && meet(text.reads(reader), units).length > 0)
      .map((reader) => ({ op: reader, type: text.type(reader) }));
  return {
    op,
    type: before.type(op),
    units,
    parts,
    readersBefore: readers(before, [op]),
    readersAfter: readers(after, made),
  };
}
