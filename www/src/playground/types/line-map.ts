/** Lines of a text from lines of what was compiled from it: the `mappings` of source maps, version 3 (ECMA-426), as far as lines go. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** For a line and a column of the code, from 1, the line of the text, from 1; undefined for a line that comes from none. */
export function lineMap(mappings: string): (line: number, column: number) => number | undefined {
  let source = 0;
  const lines = mappings.split(';').map((line) => {
    let column = 0;
    const places: { column: number; line: number }[] = [];
    for (const segment of line.split(',')) {
      const [across = 0, file, down] = numbers(segment);
      column += across;
      if (file === undefined || down === undefined) continue;
      source += down;
      places.push({ column, line: source });
    }
    return places;
  });
  return (line, column) => {
    const places = lines[line - 1];
    const found = places?.findLast((place) => place.column <= column - 1) ?? places?.[0];
    return found === undefined ? undefined : found.line + 1;
  };
}

/** Base 64 VLQ: five bits a digit, the sixth says that more follow; the lowest bit of the whole is the sign. */
function numbers(segment: string): number[] {
  const all: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    all.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return all;
}
