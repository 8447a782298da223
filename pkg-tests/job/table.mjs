// A large CSV file with everything that makes real ones awkward, and the exact numbers in it.
import { writeFileSync } from 'node:fs';
import { mulberry32 } from '../lib/random.mjs';

const MISSING = ['', 'NA', 'n/a', 'null', ' NaN ', '""'];

/**
 * Writes a table of `rows` patients: byte order mark, CRLF, quoted fields with commas, quotes and line ends in them,
 * negative numbers, decimals and missing cells. Gives its numeric columns as { decimals, units }, where `units` are integers of
 * 10^-decimals, or null where a cell is missing.
 */
export function writeLargeTable(file, rows, seed) {
  const random = mulberry32(seed);
  const below = (limit) => Math.floor(random() * limit);
  const temperature = { decimals: 2, units: [] };
  const pressure = { decimals: 1, units: [] };
  const lines = ['\uFEFF"patient, id",name,temperature,pressure,"note ""free"""'];
  for (let row = 0; row < rows; row++) {
    // From -40.00 to 40.00, and from 0.0 to 300.0, a bit with the first.
    const t = below(20) === 0 ? null : below(8001) - 4000;
    const p = below(10) === 0 ? null : Math.floor(((t ?? 0) + 4000) / 8) + below(2001);
    temperature.units.push(t);
    pressure.units.push(p);
    const cell = (units, decimals) => {
      if (units === null) return MISSING[below(MISSING.length)];
      const text = decimal(units, decimals);
      return below(4) === 0 ? `"${text}"` : text;
    };
    const name = below(2) ? `"Doe, J. ""${row}"""` : `patient ${row}`;
    const note = ['', 'none', '"two\r\nlines"', '"a ""quoted"", word"'][below(4)];
    lines.push(`P${row},${name},${cell(t, temperature.decimals)},${cell(p, pressure.decimals)},${note}`);
  }
  writeFileSync(file, `${lines.join('\r\n')}\r\n`);
  return { temperature, pressure };
}

/** Units as a decimal; some trailing zeros are there and some are not, as in files that people wrote. */
function decimal(units, decimals) {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return (units < 0 ? '-' : '') + (units % 3 === 0 ? text.replace(/\.?0+$/, '') : text);
}
