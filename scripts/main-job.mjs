#!/usr/bin/env node
// The main job: statistics of a CSV file's columns, computed encrypted and plain, and compared.
// Usage: node scripts/main-job.mjs [options]
//   --csv FILE        default: data/breast-cancer-wisconsin.csv
//   --columns A,B     names of numeric columns; default: the first two
//   --population      variance and covariance of the population (divisor n), not of a sample (n - 1)
//   --threads N       default: one per processor
//   --once            no effect here: scripts/start.mjs passes its options on
//   --json FILE       also writes [{ statistic, columns, encrypted, plain, equal }]; sums are strings, exact
// Exit status: 0 if all results are equal, 1 if one is not, 2 if the job could not be done.
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './lib/run.mjs';

const OPTIONS = {
  csv: { type: 'string', default: relative('', join(ROOT, 'data', 'breast-cancer-wisconsin.csv')) },
  columns: { type: 'string' },
  population: { type: 'boolean', default: false },
  threads: { type: 'string' },
  json: { type: 'string' },
  once: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

try {
  process.exitCode = (await main(parseArgs({ options: OPTIONS }).values)) ? 0 : 1;
} catch (error) {
  // Node's errors and the package's have codes and say what is wrong; anything else is a defect, with a stack.
  console.error(error.code ? `error: ${error.message} (${error.code})` : error);
  process.exitCode = 2;
}

async function main(options) {
  if (options.help) {
    console.log(
      readFileSync(new URL(import.meta.url), 'utf8')
        .split('\n')
        .slice(1, 10)
        .join('\n')
        .replaceAll(/^\/\/ ?/gm, ''),
    );
    return true;
  }
  const { load } = await importBuilt('cipherloom');
  const { parseTable } = await importBuilt('cipherloom/table');
  const { runJob } = await import('./lib/job.mjs');
  const table = parseTable(await readFile(options.csv));
  const columns = chooseColumns(table, options.columns);
  const start = performance.now();
  const loom = await load({ threads: options.threads === undefined ? undefined : Number(options.threads) });
  try {
    const loaded = performance.now() - start;
    const job = await runJob(loom, columns, { population: options.population });
    if (options.json !== undefined) await writeFile(options.json, toJson(job.rows));
    report(options, table, loom, { ...job, milliseconds: { load: loaded, ...job.milliseconds } });
    return job.rows.every(({ equal }) => equal);
  } finally {
    loom.dispose();
  }
}

async function importBuilt(name) {
  try {
    return await import(name);
  } catch (cause) {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const error = new Error(`the package is not built: ${cause.message}. Run: npm run build`, { cause });
    throw Object.assign(error, { code: cause.code });
  }
}

/** A statistic without a value is null, not left out. */
function toJson(rows) {
  return `${JSON.stringify(rows, (_, value) => value ?? null, 2)}\n`;
}

function chooseColumns(table, names) {
  if (names === undefined) return table.numeric.slice(0, 2);
  return [...new Set(names.split(',').map((name) => name.trim()))].map((name) => table.column(name));
}

function report({ csv, population }, table, { mode, version }, { rows, milliseconds, info, bytes, memoryBytes }) {
  const budget = Math.min(...info.ciphertexts.map(({ budgetBits }) => budgetBits));
  print(
    ['statistic', 'columns', 'encrypted', 'plain', 'equal'],
    rows.map(({ statistic, columns, encrypted, plain, equal }) => [
      statistic,
      columns.join(', '),
      String(encrypted),
      String(plain),
      equal ? 'yes' : 'NO',
    ]),
  );
  for (const { problem } of rows) if (problem) console.log(`undefined: ${problem}`);
  const equal = rows.filter((row) => row.equal).length;
  console.log(`\n${equal} of ${rows.length} results are equal, bit for bit.\n`);

  print(
    ['phase', 'ms'],
    Object.entries(milliseconds).map(([phase, ms]) => [phase, ms.toFixed(0)]),
    [1],
  );
  console.log();
  const bits = (primes) => primes.map((prime) => BigInt(prime).toString(2).length).join(' + ') || 'none';
  print(
    [],
    [
      ['file', `${csv}: ${table.rows} rows, ${table.numeric.length} numeric columns`],
      ['moments of', population ? 'the population (divisor n)' : 'a sample (divisor n - 1)'],
      ['cipherloom', `${version}, ${mode.variant} build, threads: ${mode.threads}`],
      ...mode.reasons.map((reason) => ['', reason]),
      ['scheme', `${info.scheme}, N = ${info.n}, ${security(info)}`],
      [
        'modulus bits',
        `${bits(info.moduli)}, key switching ${bits(info.special)}: ${info.totalBits.toFixed(1)} of at most ${info.maxTotalBits}`,
      ],
      ['plain modulus bits', bits(info.plainModuli)],
      ['noise budget left', Number.isFinite(budget) ? `at least ${budget.toFixed(1)} bits` : 'nothing is encrypted'],
      ['evaluation keys', size(bytes.keys)],
      ['upload, download', `${size(bytes.upload)}, ${size(bytes.download)}`],
      ['evaluator memory', size(memoryBytes)],
      ['process memory, peak', size(process.resourceUsage().maxRSS * 1024)],
    ],
  );
}

/** The level of a program's parameters, in words. */
function security({ security, securityBits, quantum }) {
  if (security === 'insecure') return 'INSECURE, for teaching only';
  return `${securityBits}-bit secure${quantum ? ' against quantum computers' : ''} by table ${security}`;
}

/** Prints aligned columns; those in `right` to the right. */
function print(head, lines, right = []) {
  const all = head.length ? [head, head.map((cell) => '-'.repeat(cell.length)), ...lines] : lines;
  const widths = all[0].map((_, column) => Math.max(...all.map((line) => line[column].length)));
  for (const line of all) {
    const cells = line.map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

function size(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
