/** Compares what the package gives with what the model says. A difference is `{ where, found, expected }`. */
import { fraction, nearest, powerOfTen } from './fraction.mjs';
import { mayBeRefused } from './limits.mjs';
import { unitsOf } from './rules.mjs';

/** Rows of a column whose decimals are also compared as text and as a double. */
const SHOWN_ROWS = 8;

/** `{ differences, refused }`: `refused` is the code with which the compiler refused what it may refuse. */
export function check(pkg, program, expected, found, journey = {}) {
  if (found.refusal) return checkRefusal(pkg, program, expected, found.refusal, journey);
  const differences = [];
  const differ = (where, found, expected) => differences.push({ where, found: text(found), expected: text(expected) });
  if (expected.refusal) {
    differ(expected.refusal.step, 'accepted', `refused: ${expected.refusal.codes}`);
    return { differences };
  }
  for (const output of expected.outputs) checkOutput(pkg, output, found.outputs[output.name], differ);
  if (found.info) checkInfo(program, expected, found, differ);
  if (found.short) checkShort(expected, found, differ);
  if (found.stale) checkStale(found, differ);
  return { differences };
}

function checkRefusal({ CipherloomError, ERROR_CODES }, program, expected, { step, error }, journey) {
  const typed = error instanceof CipherloomError && error.code in ERROR_CODES;
  const code = typed ? error.code : `untyped ${error}`;
  if (typed && expected.refusal?.step === step && expected.refusal.codes.includes(code)) return { differences: [] };
  if (typed && step === 'compile' && mayBeRefused(expected, code, journey)) return { differences: [], refused: code };
  const says = expected.refusal ? `refused at ${expected.refusal.step}: ${expected.refusal.codes}` : 'accepted';
  return { differences: [{ where: step, found: `refused: ${code}: ${error.message}`, expected: says }] };
}

function checkOutput({ UndefinedStatisticError }, expected, found, differ) {
  const { name, value, problem } = expected;
  if (!found) return differ(name, 'nothing', value ?? problem);
  if (problem) {
    const typed = found.value === undefined && found.problem instanceof UndefinedStatisticError;
    if (!typed || found.problem.code !== problem) differ(name, found.value ?? found.problem, problem);
    return;
  }
  if (found.problem !== undefined) return differ(name, found.problem, value);
  if (!Array.isArray(value)) return checkValue(name, value, found.value, differ, true);
  if (found.value?.length !== value.length) return differ(`${name}, rows`, found.value?.length, value.length);
  // One wrong row says enough.
  value.every((one, row) => checkValue(`${name}, row ${row}`, one, found.value[row], differ, row < SHOWN_ROWS));
}

/** A double, bit for bit, or a decimal with its text and its double. */
function checkValue(where, expected, found, differ, all) {
  const same = typeof expected === 'number' ? Object.is(found, expected) : sameDecimal(expected, found);
  if (!same) differ(where, found, expected);
  else if (all && typeof expected === 'object') {
    const shown = [String(found), found.toJSON(), found.toNumber()];
    const right = [text(expected), text(expected), nearest({ n: expected.units, d: powerOfTen(expected.decimals) })];
    shown.forEach((one, index) => Object.is(one, right[index]) || differ(`${where}, shown`, one, right[index]));
  }
  return same;
}

function sameDecimal(expected, found) {
  return found?.units === expected.units && found.decimals === expected.decimals;
}

/** What the program says of itself, and the noise that it promises to leave. */
function checkInfo(program, expected, { info, outputs }, differ) {
  const same = (where, found, expected) => text(found) === text(expected) || differ(where, found, expected);
  // As declared; an object has names such as "0" before others.
  const order = Object.keys(Object.fromEntries(program.outputs.map(({ name }) => [name])));
  same('order of outputs', Object.keys(outputs), order);
  for (const { name, options } of program.inputs) {
    const found = info.inputs.find((input) => input.name === name);
    const { rows, decimals = 0, missing = false, layout = 'column', rings = 1, min, max } = options;
    const bounds = [min, max].map((bound) => ({ units: unitsOf(fraction(bound), decimals), decimals }));
    same(
      `info of input ${name}`,
      found && [found.rows, found.decimals, found.missing, found.layout, found.rings, found.min, found.max],
      [rows, decimals, missing, layout, rings, ...bounds],
    );
  }
  for (const { name, kind, population = false, rows = 1, decimals } of expected.outputs) {
    const found = info.outputs.find((output) => output.name === name);
    same(`info of output ${name}`, found && [found.kind, found.population, found.rows, found.decimals], [
      kind,
      population,
      rows,
      decimals,
    ]);
    const { noiseBudgetBits: left } = outputs[name] ?? {};
    if (!(left >= info.params.noiseBudgetBits))
      differ(`${name}, noise budget`, left, `${info.params.noiseBudgetBits} or more`);
  }
}

/** `decrypt` gives the same, or throws where a statistic has no value. */
function checkShort(expected, { outputs, short }, differ) {
  const problems = expected.outputs.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) {
    if (!problems.includes(short.problem?.code)) differ('decrypt', short.problem ?? 'no error', problems);
    return;
  }
  for (const { name } of expected.outputs) {
    if (text(short[name]) !== text(outputs[name]?.value)) differ(`decrypt, ${name}`, short[name], outputs[name]?.value);
  }
}

/** A result is of its own inputs only. What is public is in no ciphertext, and may be of any. */
function checkStale({ info, stale }, differ) {
  const isPublic = info.outputs.every(({ ciphertexts }) => ciphertexts === 0);
  if (!isPublic && stale?.code !== 'key.foreign') {
    differ('a result with inputs of another run', stale instanceof Error ? stale : 'accepted', 'key.foreign');
  }
}

/** For reading and comparing: decimals as documented, the sign of zero seen. */
function text(value) {
  if (Array.isArray(value)) return value.map(text).join(', ');
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  const { units, decimals } = value;
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.length - decimals;
  return `${units < 0n ? '-' : ''}${digits.slice(0, whole)}${decimals > 0 ? '.' : ''}${digits.slice(whole)}`;
}
