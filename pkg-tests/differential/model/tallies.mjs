/** What is counted in groups, and looked up, by definitions. */
import * as cell from '../cells.mjs';
import { fraction, minus, over, plus, times } from '../fraction.mjs';
import { repeated } from '../shapes.mjs';
import { ARITHMETIC } from './arithmetic.mjs';
import { constant, operandOf } from './constants.mjs';
import { dayOf } from './data.mjs';
import { otherMasks } from './gaps.mjs';
import { LOGIC } from './logic.mjs';
import { MOVES } from './moves.mjs';
import { SUMS } from './sums.mjs';
import { ModelValue, operation, Refusal, Rules } from './value.mjs';

const MOST_EDGES = 257;
const isNumber = (value) => typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));

export const TALLIES = {
  counts(self) {
    ofColumn(self, self.kind === 'category');
    return together(labels(self, self.categories).map((label) => total(LOGIC.equals(self, label))));
  },

  histogram(self, edges, options) {
    checkEdges(self, edges, ['integer', 'real', 'date']);
    return together(bins(self, edges, options));
  },

  quantile(self, share, edges, options) {
    new Rules().broken(self.record, 'operator.invalid').end();
    if (!(typeof share === 'number' && share > 0 && share <= 1)) throw new Refusal('input.type');
    checkEdges(self, edges, ['integer', 'real']);
    const all = [SUMS.count(self), total(LOGIC.lessThan(self, edges[0], options))];
    const inputs = [...all.map(finished), ...bins(self, edges, options)];
    // Beside quotients numbers with many digits are doubles.
    const known = edges.map((edge) => constant(self.task, edge, { kind: 'real' }).cells[0].low);
    const compute = (...views) => {
      const counts = views.slice(0, -1).map(({ cells: [one] }) => one);
      // What one may not know, one may not choose by.
      if (!counts.every((one) => one && cell.isSingle(one))) return [undefined];
      const [count, below, ...inside] = counts.map(({ low }) => low);
      return [between(times(count, fraction(share)), below, inside, known)];
    };
    return operation(new Rules(), inputs, { kind: 'real', shape: [] }, { compute, finishes: true });
  },

  /** The sum of (x = k) table[k]. */
  lookup(self, other) {
    const table = other instanceof ModelValue ? operandOf(self, other) : constant(self.task, other);
    const { shape, categories, record } = self;
    const [entries, ...rest] = table.shape;
    new Rules()
      .broken(table.missing, 'graph.missing')
      .broken(!['integer', 'category'].includes(self.kind), 'operator.invalid')
      .broken(!['integer', 'real'].includes(table.kind), 'operator.invalid')
      .broken(entries === undefined || categories > entries, 'graph.shape')
      .end();
    if (self.missing) return withGaps(TALLIES.lookup(withoutGaps(self), table), self);
    const known = labels(self, categories ?? entries);
    const ones = rest.map(() => 1);
    if (shape.length === 0 && !record) {
      const is = LOGIC.equals(MOVES.broadcast(self, [known.length]), known);
      const chosen = ARITHMETIC.multiply(
        MOVES.reshape(is, [known.length, ...ones]),
        MOVES.slice(table, 0, known.length),
      );
      return SUMS.sum(chosen, 0);
    }
    const of = known.map((label, at) =>
      ARITHMETIC.multiply(MOVES.reshape(LOGIC.equals(self, label), [...shape, ...ones]), MOVES.at(table, at)),
    );
    return of.reduce((sum, one) => ARITHMETIC.add(sum, one));
  },
};

/** The same cells, as if all were there. */
function withoutGaps(self) {
  const views = self.views.map(({ cells }) => ({ cells }));
  return new ModelValue(self.task, { ...self, missing: false }, { ...self, views, masks: [], declared: false });
}

/** What was looked up of cells, where these are there. */
function withGaps(found, { shape, views, masks }) {
  const from = repeated([...shape, ...found.shape.slice(shape.length).map(() => 1)], found.shape);
  const own = found.views.map((view, number) => ({ ...view, present: from.map((at) => views[number].present[at]) }));
  return new ModelValue(found.task, { ...found, missing: true }, { ...found, views: own, masks: otherMasks(masks) });
}

/** What a call writes for each category, or number from 0 on. */
function labels({ names }, count) {
  return names ?? [...Array(count).keys()];
}

function ofColumn({ record }, fits) {
  new Rules().broken(record, 'operator.invalid').broken(!fits, 'input.type').end();
}

function checkEdges(self, edges, kinds) {
  ofColumn(self, kinds.includes(self.kind));
  const read = (edge) => {
    if (self.kind !== 'date') return isNumber(edge) ? fraction(edge) : undefined;
    const day = dayOf(edge);
    return day === undefined ? undefined : fraction(day);
  };
  if (!Array.isArray(edges) || edges.length < 2 || edges.length > MOST_EDGES) throw new Refusal('input.type');
  const numbers = edges.map(read);
  const increase = numbers.every((own, at) => own && (at === 0 || minus(own, numbers[at - 1]).n > 0n));
  if (!increase) throw new Refusal('input.type');
}

/** Cells from each edge up to the next one; up to the last one with it. */
function bins(cells, edges, options) {
  const last = edges.length - 1;
  const approximate = options?.gap !== undefined && cells.isCiphertext;
  return edges.slice(0, -1).map((from, at) => {
    const [start, to] = [LOGIC.atLeast(cells, from, options), edges[at + 1]];
    // What is near to an edge may be on either side, or partly on both.
    if (approximate) {
      const beyond = at + 1 === last ? LOGIC.greaterThan(cells, to, options) : LOGIC.atLeast(cells, to, options);
      return total(ARITHMETIC.sub(start, beyond));
    }
    const end = at + 1 === last ? LOGIC.atMost(cells, to, options) : LOGIC.lessThan(cells, to, options);
    return total(LOGIC.and(start, end));
  });
}

/** The number that so many cells are at most, if these lie evenly in bins; `NO_VALUE` where it is in none. */
function between(wanted, below, inside, edges) {
  let start = below;
  for (const [at, count] of inside.entries()) {
    const end = plus(start, count);
    if (minus(wanted, start).n > 0n && minus(end, wanted).n >= 0n) {
      const [from, to] = [edges[at], edges[at + 1]];
      return cell.single(plus(from, times(minus(to, from), over(minus(wanted, start), count))));
    }
    start = end;
  }
  return cell.NO_VALUE;
}

function total(so) {
  return finished(SUMS.sum(so));
}

/** The client's, if it may be: it is decrypted as it is. */
export function finished(value) {
  return value.isCiphertext ? ARITHMETIC.finish(value) : value;
}

export function together(all) {
  const [first, ...others] = all.map((one) => MOVES.reshape(one, [1]));
  return others.length > 0 ? MOVES.concat(first, others) : first;
}
