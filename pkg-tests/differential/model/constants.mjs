/** Numbers, booleans and days beside values. */
import { hull, single } from '../cells.mjs';
import { decimalsOf, fraction, ofDouble } from '../fraction.mjs';
import { flattened, isShape } from '../shapes.mjs';
import { dayOf } from './data.mjs';
import { ModelValue, Refusal } from './value.mjs';

const DAY_MS = 86_400_000;
const MOST = 2n ** 127n - 1n;
/** What is counted in units, which have digits. */
export const COUNTED = ['integer', 'date', 'category'];
/** Beside quotients, of 15 digits. */
const MOST_WRITTEN = 10n ** 15n - 1n;

/** Constants of a task, as something that stands beside a value like that. */
export function constant(task, value, like) {
  const found = flattened(value);
  if (!found || (found.shape.length > 0 && !isShape(found.shape))) throw new Refusal('graph.shape');
  const { shape, cells } = found;
  const of = (kind, fractions, more = {}) => {
    const view = { cells: fractions.map(single) };
    const all = view.cells.reduce(hull);
    const reach = { cells: view.cells.map(() => all) };
    return new ModelValue(
      task,
      { kind, shape, place: 'public', ...more },
      { half: 'either', views: [view, reach], constant: true, factor: COUNTED.includes(kind) ? 1n : undefined },
    );
  };
  if (cells.every((cell) => typeof cell === 'boolean'))
    return of(
      'boolean',
      cells.map((cell) => fraction(Number(cell))),
    );
  if (cells.every((cell) => cell instanceof Date)) {
    const days = cells.map((cell) => cell.getTime() / DAY_MS);
    if (!days.every(Number.isInteger)) throw new Refusal('input.not_a_number');
    return of('date', days.map(fraction));
  }
  const texts = cells.every((cell) => typeof cell === 'string');
  if (texts && like?.kind === 'date') {
    const days = cells.map(dayOf);
    if (days.includes(undefined)) throw new Refusal('input.not_a_number');
    return of('date', days.map(fraction));
  }
  const { categories, names } = like ?? {};
  const ofCategories = (numbers) => {
    if (numbers.some((number) => number < 0 || number >= categories)) throw new Refusal('range.value');
    return of('category', numbers.map(fraction), { categories, names });
  };
  if (texts && names) return ofCategories(cells.map((name) => names.indexOf(name)));
  if (names || !cells.every((cell) => typeof cell === 'number' || typeof cell === 'bigint'))
    throw new Refusal('input.type');
  if (cells.some((cell) => typeof cell === 'number' && !Number.isFinite(cell))) throw new Refusal('input.not_a_number');
  const decimals = Math.max(0, ...cells.map(decimalsOf));
  if (
    like?.kind === 'real' &&
    (like.ofDoubles || cells.some((cell) => isBeyond(fraction(cell), decimals, MOST_WRITTEN)))
  )
    return of(
      'real',
      cells.map((cell) => ofDouble(Number(cell))),
    );
  if (like?.kind === 'category' && decimals === 0) return ofCategories(cells);
  return of('integer', cells.map(fraction), { decimals });
}

/** What stands beside a value of the task. */
export function operandOf(self, other, like = self) {
  if (!(other instanceof ModelValue)) return constant(self.task, other, like);
  if (other.task !== self.task) throw new Refusal('graph.foreign');
  return other;
}

/** Whether a constant fits into what a program can hold, with that many decimals. */
export function isTooLarge({ constant, kind, cells }, decimals) {
  if (!constant || kind === 'real') return false;
  return cells.some(({ low }) => isBeyond(low, decimals));
}

function isBeyond({ n, d }, decimals, most = MOST) {
  const units = (n * 10n ** BigInt(decimals)) / d;
  return units > most || units < -most;
}
