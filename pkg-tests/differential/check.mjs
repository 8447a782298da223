/** Compares what the package gives with what the model says. A difference is `{ where, found, expected }`. */
import { isSingle, widened } from './cells.mjs';
import { compare, minus, nearest, ofDouble, over, powerOfTen } from './fraction.mjs';
import { mayBeRefused, mayBeTooLong } from './limits.mjs';
import { countOf, namesOf, readBound } from './model/data.mjs';
import { presentIn, surelyMissing } from './model/gaps.mjs';
import { ACCEPTED, isUndefined, predict, predictNext } from './model/predict.mjs';
import { exchanged, pairOf } from './recipe.mjs';
import { nested } from './shapes.mjs';
import { backwards } from './subject.mjs';

const DAY_MS = 86_400_000;
const TYPE = ['kind', 'shape', 'place', 'decimals', 'missing', 'categories', 'names'];

/**
 * `{ differences, refused, share, spare }`: `refused` is the code with which the compiler refused what it may refuse, `share` the largest part of a bound of reals that
 * was used, `spare` the least budget beyond what was promised.
 */
export function check(pkg, program, found, journey = {}) {
  const report = { differences: [], share: 0, spare: Infinity };
  const differ = (where, found, expected) =>
    report.differences.push({ where, found: text(found), expected: text(expected) });
  const off = offOf(found.info);
  const expected = predict(program, off);
  checkTrace(expected.trace, found.trace, differ);
  if (found.refusal) return checkRefusal(pkg, program, expected, found.refusal, journey, report);
  if (expected.refusal) {
    if (expected.refusal.codes.includes(ACCEPTED)) return report;
    differ(expected.refusal.step, 'accepted', `refused: ${expected.refusal.codes}`);
    return report;
  }
  const context = { pkg, info: found.info, differ, report };
  checkInfo(program, expected, found.info, differ);
  const { security } = journey.compile ?? {};
  if (security && found.info.security !== security) differ('security', found.info.security, security);
  checkRun(context, expected.outputs, found);
  if (found.again)
    checkRun(
      { ...context, differ: within(differ, 'second run') },
      predict(backwards(program), off).outputs,
      found.again,
    );
  if (found.shared) checkShared(context, expected.outputs.slice(-1), found.shared);
  if (found.plain) checkPlain(context, predict(program, undefined, { unencrypted: true }).outputs, found.plain);
  if (found.exchanged) checkExchanged(context, program, found.exchanged);
  if (found.passed) checkPassed(context, program, expected.outputs, found.passed);
  if (found.threads === false) differ('two threads', 'other bytes', 'the bytes of one thread');
  if (found.again) checkStale(found, differ);
  return report;
}

const within =
  (differ, where) =>
  (at, ...rest) =>
    differ(`${where}, ${at}`, ...rest);

function checkRefusal({ CipherloomError, ERROR_CODES }, program, expected, { step, error }, journey, report) {
  const typed = error instanceof CipherloomError && error.code in ERROR_CODES;
  const code = typed ? error.code : `untyped ${error}`;
  if (typed && expected.refusal?.step === step && expected.refusal.codes.includes(code)) return report;
  const later = ['compile', 'encrypt', 'run'].includes(expected.refusal?.step ?? 'run');
  if (typed && step === 'compile' && later && mayBeRefused(expected, error, journey.compile))
    return { ...report, refused: code };
  if (typed && ['run', 'decrypt'].includes(step) && !expected.refusal && mayBeTooLong(expected, error))
    return { ...report, refused: code };
  const says = expected.refusal ? `refused at ${expected.refusal.step}: ${expected.refusal.codes}` : 'accepted';
  report.differences.unshift({ where: step, found: `refused: ${code}: ${error.message}`, expected: says });
  return report;
}

/** What is known of each value as it is written. */
function checkTrace(expected, found, differ) {
  const shown = (value) => text([...TYPE, 'finished'].map((name) => `${name} ${text(value[name])}`));
  for (const [label, value] of expected) {
    const own = found.get(label);
    if (own && shown(own) !== shown(value)) differ(`${label}, type`, shown(own), shown(value));
  }
}

/** The most that any real is off by which is decrypted. */
function offOf(info) {
  const bits = (info?.ciphertexts ?? []).flatMap(({ errorBits }) => errorBits ?? []);
  return bits.length > 0 ? ofDouble(2 ** Math.max(...bits)) : undefined;
}

/** Ciphertexts that an output comes from: those that say so, or any. */
function sourcesOf(info, name) {
  const own = info.ciphertexts.filter(({ values }) => values.includes(name));
  return own.length > 0 ? own : info.ciphertexts;
}

function checkRun({ pkg, info, differ, report }, outputs, { details, short }) {
  const order = Object.keys(Object.fromEntries(outputs.map(({ name }) => [name])));
  if (text(Object.keys(details)) !== text(order)) differ('order of outputs', Object.keys(details), order);
  for (const { name, value } of outputs) {
    const sources = sourcesOf(info, name);
    const off =
      value.isCiphertext && value.kind === 'real'
        ? ofDouble(2 ** Math.max(...sources.map(({ errorBits }) => errorBits)))
        : undefined;
    checkOutput({ pkg, differ, report, off }, name, value, details[name]);
    checkBudget({ info, differ, report }, name, value, sources, details[name]);
  }
  checkShort(pkg, outputs, details, short, differ);
}

/** The noise that was promised to be left. */
function checkBudget({ info, differ, report }, name, value, sources, { budgetBits } = {}) {
  if (info.scheme === 'CKKS') {
    if (budgetBits !== undefined) differ(`${name}, budget`, budgetBits, undefined);
    return;
  }
  const promised = Math.min(...sources.map(({ budgetBits }) => budgetBits));
  if (value.isCiphertext || budgetBits < Infinity) report.spare = Math.min(report.spare, budgetBits - promised);
  if (!(budgetBits >= promised)) differ(`${name}, budget`, budgetBits, `${promised} or more`);
}

function checkOutput({ pkg, differ, report, off }, name, value, found) {
  if (!found) return differ(name, 'nothing', 'an output');
  if (isUndefined(value)) return checkProblem(pkg, name, found, differ);
  // What may be anything may be nothing, too.
  const open = value.cells.includes(undefined);
  if (found.problem !== undefined) {
    if (!open) differ(name, found.problem, shownCells(value));
    return;
  }
  checkValue({ differ, report, off }, name, value, found.value);
}

function checkProblem({ UndefinedStatisticError }, name, { value, problem }, differ) {
  const typed =
    value === undefined && problem instanceof UndefinedStatisticError && problem.code === 'statistic.undefined';
  if (!typed) differ(name, value ?? problem, 'statistic.undefined');
}

/** All cells of one value, in its shape. */
function checkValue({ differ, report, off }, name, value, found) {
  const expected = nested(value.shape, cellsWithPresence(value));
  const visit = (where, expected, found, rank) => {
    if (rank === 0) return checkCell({ differ, report, off }, where, value, expected, found);
    if (!Array.isArray(found) || found.length !== expected.length) {
      differ(`${where}, shape`, found, `${expected.length} parts`);
      return false;
    }
    // One wrong cell says enough.
    return expected.every((one, at) => visit(`${where}[${at}]`, one, found[at], rank - 1));
  };
  visit(name, expected, found, value.shape.length);
}

/** Where a comparison of reals decides it a cell may be there or not. */
function cellsWithPresence({ views: [view] }) {
  return view.cells.map((cell, at) =>
    surelyMissing(view, at) ? null : { cell, mayBeMissing: presentIn(view, at).low.n === 0n },
  );
}

function checkCell({ differ, report, off }, where, { kind, decimals, names }, expected, found) {
  if (expected === null) {
    if (found !== null) differ(where, found, 'null');
    return found === null;
  }
  const { cell, mayBeMissing } = expected;
  if (found === null && mayBeMissing) return true;
  const isRight = kind === 'real' ? isReal(report, cell, found, off) : isExact({ kind, decimals, names }, cell, found);
  if (!isRight) differ(where, found, `${shownCell(cell, kind)}${off ? ` within ${nearest(off)}` : ''}`);
  return isRight;
}

/** The nearest double, or a real within its bound. */
function isReal(report, cell, found, off) {
  if (typeof found !== 'number' || Number.isNaN(found)) return false;
  if (!cell) return true;
  if (!off) {
    if (isSingle(cell)) return Object.is(found, nearest(cell.low));
    return nearest(cell.low) <= found && found <= nearest(cell.high);
  }
  const { low, high } = widened(cell, off);
  const exact = ofDouble(found);
  if (isSingle(cell)) {
    const { n, d } = over(minus(exact, cell.low), off);
    report.share = Math.max(report.share, Math.abs(nearest({ n, d })));
  }
  return compare(low, exact) <= 0 && compare(exact, high) <= 0;
}

function isExact({ kind, decimals, names }, cell, found) {
  const units = unitsOf({ kind, decimals, names }, found);
  if (units === undefined) return false;
  if (!cell) return true;
  const fraction = { n: units, d: kind === 'integer' ? powerOfTen(decimals) : 1n };
  return compare(cell.low, fraction) <= 0 && compare(fraction, cell.high) <= 0;
}

/** What a decrypted cell stands for; undefined for one of another kind. */
function unitsOf({ kind, decimals, names }, found) {
  switch (kind) {
    case 'boolean':
      return typeof found === 'boolean' ? BigInt(found) : undefined;
    case 'date':
      return found instanceof Date && Number.isInteger(found.getTime() / DAY_MS)
        ? BigInt(found.getTime() / DAY_MS)
        : undefined;
    case 'category':
      if (names) return names.includes(found) ? BigInt(names.indexOf(found)) : undefined;
      return Number.isInteger(found) ? BigInt(found) : undefined;
    default:
      return found?.decimals === decimals && typeof found.units === 'bigint' && isShown(found)
        ? found.units
        : undefined;
  }
}

/** A decimal's text and its double. */
function isShown(decimal) {
  const { units, decimals } = decimal;
  const double = nearest({ n: units, d: powerOfTen(decimals) });
  return [String(decimal), decimal.toJSON(), decimal.toNumber()].every((one, at) =>
    Object.is(one, [text(decimal), text(decimal), double][at]),
  );
}

/** `decrypt` gives the same with the nearest doubles, or throws where an output has no value. */
function checkShort({ UndefinedStatisticError }, outputs, details, short, differ) {
  const problem = Object.values(details).some(({ problem }) => problem !== undefined);
  if (problem !== short.problem instanceof UndefinedStatisticError) {
    differ('decrypt', short.problem ?? 'no error', problem ? 'statistic.undefined' : 'no error');
    return;
  }
  const plain = (one) => (Array.isArray(one) ? one.map(plain) : typeof one?.units === 'bigint' ? one.toNumber() : one);
  for (const { name } of problem ? [] : outputs) {
    const expected = plain(details[name]?.value);
    if (text(short[name]) !== text(expected)) differ(`decrypt, ${name}`, short[name], expected);
  }
}

function checkShared(context, outputs, { refused, info, details }) {
  const { pkg, differ } = context;
  if (refused) {
    // One output needs no more than all.
    differ('shared parameters', refused, 'accepted');
    return;
  }
  for (const { name, value } of outputs) {
    const sources = sourcesOf(info, name);
    // What is finished was predicted with the other program's bounds.
    if (value.finished && info.scheme === 'CKKS') continue;
    const off =
      value.isCiphertext && value.kind === 'real'
        ? ofDouble(2 ** Math.max(...sources.map(({ errorBits }) => errorBits)))
        : undefined;
    checkOutput({ ...context, off, differ: within(differ, 'shared parameters') }, name, value, details[name]);
  }
}

/** Which digits a program has of an input: what its name says behind that. */
function digitsIn({ inputs }, name) {
  const own = inputs.filter(({ digitsOf }) => digitsOf === name);
  return own.map((input) => input.name.match(/: (\d+ digits of .*?)(?: \(\d+\))?$/)?.[1]);
}

/** Where cells of an input lie, and those of its digits. */
function layoutsOf({ inputs }, name) {
  const own = inputs.filter((input) => input.name === name || input.digitsOf === name);
  return JSON.stringify(own.map(({ layout }) => layout));
}

const isMissing = (error) => error?.code === 'input.missing';

/** Two inputs given for each other: only where a program compares digits of the one that it does not compare of the other, it has to have them encrypted for it. */
function checkExchanged({ pkg, info, differ, ...context }, program, { details, refused }) {
  const pair = pairOf(program);
  const [a, b] = pair.map((number) => digitsIn(info, program.inputs[number].name).sort().join());
  // Where cells lie is told of each input.
  const layouts = pair.map((number) => layoutsOf(info, program.inputs[number].name));
  if (refused instanceof pkg.GraphError && layouts[0] !== layouts[1]) return;
  if (refused || a !== b) {
    if (!(isMissing(refused) && a !== b))
      differ('exchanged inputs', refused ?? 'accepted', a === b ? 'accepted' : 'input.missing');
    return;
  }
  const { outputs } = predict(exchanged(program, pair), offOf(info));
  checkOutputs({ ...context, pkg, info, differ: within(differ, 'exchanged inputs') }, outputs, details);
}

/** What a second program makes of a result, with inputs that were encrypted for it, or for the first one, if that has all digits. */
function checkPassed({ differ, report, ...context }, program, outputs, { infos, details, again, refused }) {
  const expected = predictNext(program, outputs);
  const own = { ...context, report, info: infos?.[1], differ: within(differ, 'next program') };
  if (refused) {
    if (mayBeRefused(expected, refused)) report.refused = refused.code;
    else own.differ('compile', `refused: ${refused.code}: ${refused.message}`, 'accepted');
    return;
  }
  checkOutputs(own, expected.outputs, details);
  if (!again) return;
  const isGiven = program.next.inputs.every(({ name }) => {
    const given = digitsIn(infos[0], name);
    return digitsIn(infos[1], name).every((one) => given.includes(one));
  });
  if (!again.refused)
    checkOutputs({ ...own, differ: within(own.differ, 'inputs of the first one') }, expected.outputs, again);
  else if (isGiven || !isMissing(again.refused)) own.differ('inputs of the first one', again.refused, 'accepted');
}

function checkOutputs(context, outputs, details) {
  for (const { name, value } of outputs) {
    const errors = sourcesOf(context.info, name).map(({ errorBits }) => errorBits);
    const off = value.isCiphertext && value.kind === 'real' ? ofDouble(2 ** Math.max(...errors)) : undefined;
    checkOutput({ ...context, off }, name, value, details[name]);
  }
}

/** The package's own result without encryption. */
function checkPlain({ pkg, differ, report }, outputs, found) {
  const problem = outputs.some(({ value }) => isUndefined(value) || value.cells.includes(undefined));
  if (found.problem) {
    // Exact numbers may get too long.
    const isLong = found.problem.code === 'program.too_large' || /the program is too large/.test(found.problem.message);
    if (!isLong && (!problem || found.problem.code !== 'statistic.undefined'))
      differ('plain', found.problem, 'no error');
    return;
  }
  for (const { name, value } of outputs)
    checkOutput({ pkg, report, differ: within(differ, 'plain') }, name, value, { value: found[name] });
}

/** A result is of its own inputs only, where any are encrypted. */
function checkStale({ info, stale }, differ) {
  if (
    info.ciphertexts.length > 0 &&
    info.inputs.some(({ place }) => place === 'encrypted') &&
    stale?.code !== 'key.foreign'
  ) {
    differ('a result with inputs of another run', stale instanceof Error ? stale : 'accepted', 'key.foreign');
  }
}

/** What the program says of itself. */
function checkInfo(program, expected, info, differ) {
  const same = (where, found, expected) => text(found) === text(expected) || differ(where, found, expected);
  same('scheme', info.scheme, program.scheme);
  const declared = program.inputs.map(({ name }) => name);
  same(
    'names of inputs',
    info.inputs.flatMap(({ name, digitsOf }) => (digitsOf === undefined ? [name] : [])),
    declared,
  );
  for (const { name, digitsOf } of info.inputs)
    if (digitsOf !== undefined && !declared.includes(digitsOf)) differ(`digits ${name}`, digitsOf, 'those of an input');
  for (const { name, place, options } of program.inputs) {
    const { kind = 'integer', shape = [], decimals = 0, missing = false } = options;
    const [categories, names] = [countOf(options.categories), namesOf(options.categories)];
    const bounds = ['min', 'max'].map(
      (bound) => options[bound] !== undefined && readBound({ kind, decimals }, options[bound]),
    );
    const found = info.inputs.find((input) => input.name === name) ?? {};
    const shown = [found.min, found.max].map((bound) => bound !== undefined && fractionOf(bound));
    same(
      `info of input ${name}`,
      TYPE.map((own) => found[own]),
      [kind, shape, place, decimals, missing, categories, names],
    );
    for (const [at, bound] of bounds.entries()) {
      if (bound ? !shown[at] || compare(bound, shown[at]) !== 0 : shown[at])
        differ(`bound of input ${name}`, shown[at], bound);
    }
  }
  for (const { name, value } of expected.outputs) {
    const found = info.outputs.find((output) => output.name === name) ?? {};
    same(
      `info of output ${name}`,
      TYPE.map((own) => found[own]),
      TYPE.map((own) => value[own]),
    );
  }
  if (info.security !== 'insecure' && info.totalBits > info.maxTotalBits)
    differ('bits of all primes', info.totalBits, `${info.maxTotalBits} at most`);
}

function fractionOf(bound) {
  if (bound instanceof Date) return { n: BigInt(bound.getTime() / DAY_MS), d: 1n };
  return typeof bound === 'number' ? ofDouble(bound) : { n: bound.units, d: powerOfTen(bound.decimals) };
}

function shownCells({ kind, shape, cells }) {
  return text(
    nested(
      shape,
      cells.map((cell) => shownCell(cell, kind)),
    ),
  );
}

function shownCell(cell, kind) {
  if (!cell) return 'anything';
  const shown = (end) => (kind === 'real' ? String(nearest(end)) : `${end.n}${end.d === 1n ? '' : `/${end.d}`}`);
  return isSingle(cell) ? shown(cell.low) : `${shown(cell.low)} to ${shown(cell.high)}`;
}

/** For reading and comparing: decimals as documented, the sign of zero seen. */
function text(value) {
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (Object.is(value, -0)) return '-0';
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  const { units, decimals, n, d } = value;
  if (n !== undefined) return `${n}/${d}`;
  if (units === undefined) return JSON.stringify(value);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.length - decimals;
  return `${units < 0n ? '-' : ''}${digits.slice(0, whole)}${decimals > 0 ? '.' : ''}${digits.slice(whole)}`;
}
