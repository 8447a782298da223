/**
 * Places for all operators of a large stage: rows of cells, those of a wave together, each near what it reads. Linear but for
 * sorting the rows.
 */

/** What the layout reads of a graph; as `GraphView` has it. */
export interface FlatGraph {
  readonly wave: Uint32Array;
  readonly inputsStart: Uint32Array;
  readonly inputs: Int32Array;
}

export interface FlatPlaces {
  /** Operators, row by row: those of row r are `order[rowStart[r] .. rowStart[r + 1]]`. */
  readonly order: Uint32Array;
  readonly rowStart: Uint32Array;
  readonly row: Uint32Array;
  /** In cells from the left; rows are centered, so that it may be a half. */
  readonly column: Float32Array;
  /** Cells of the longest row. */
  readonly columns: number;
}

/** A wave is broken into rows so that the picture is about this many times as wide as high, in cells. */
const ASPECT = 1;

export function placeFlat({ wave, inputsStart, inputs }: FlatGraph): FlatPlaces {
  const operators = wave.length;
  const most = Math.max(Math.ceil(Math.sqrt(operators * ASPECT)), 8);
  const waves = byWave(wave);
  const column = new Float32Array(operators);
  const row = new Uint32Array(operators);
  const order = new Uint32Array(operators);
  const rowStart = [0];
  const wish = new Float32Array(operators);
  let placed = 0;
  let columns = 1;
  for (const members of waves) {
    for (const op of members) wish[op] = meanOf(op, inputsStart, inputs, column);
    members.sort((a, b) => wish[a]! - wish[b]! || a - b);
    // Rows of one wave are as long as each other, and take turns, so that neighbors stay near.
    const rows = Math.ceil(members.length / most);
    for (let start = 0; start < rows; start++) {
      const length = Math.ceil((members.length - start) / rows);
      const left = -(length - 1) / 2;
      for (let index = 0; index < length; index++) {
        const op = members[start + index * rows]!;
        column[op] = left + index;
        row[op] = rowStart.length - 1;
        order[placed++] = op;
      }
      columns = Math.max(columns, length);
      rowStart.push(placed);
    }
  }
  const shift = (columns - 1) / 2;
  for (let op = 0; op < operators; op++) column[op]! += shift;
  return { order, rowStart: Uint32Array.from(rowStart), row, column, columns };
}

function byWave(wave: Uint32Array): Uint32Array[] {
  const sizes: number[] = [];
  for (const at of wave) {
    while (sizes.length <= at) sizes.push(0);
    sizes[at]!++;
  }
  const waves = sizes.map((size) => new Uint32Array(size));
  const filled = sizes.map(() => 0);
  for (const [op, at] of wave.entries()) waves[at]![filled[at]!++] = op;
  return waves;
}

/** The mean column of what an operator reads; 0, the middle, if it reads inputs alone. */
function meanOf(op: number, inputsStart: Uint32Array, inputs: Int32Array, column: Float32Array): number {
  let [sum, count] = [0, 0];
  for (let at = inputsStart[op]!; at < inputsStart[op + 1]!; at++) {
    const producer = inputs[at]!;
    if (producer < 0) continue;
    sum += column[producer]!;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}
