// What figures are to reach besides not losing: so many times faster than the peer, or no more than so much.

/** Times faster than node-seal on one thread: one number, or one for each N. */
const OPERATORS = {
  multiply_relinearize: { 4096: 5, 8192: 5, 16384: 4.5 },
  rotate: { 4096: 3.5, 8192: 3.5, 16384: 3 },
  encrypt: 3.5,
  decrypt: 3.5,
  multiply_plain: 3.5,
};
/** The same of BGV and CKKS, and eight rotations of one ciphertext against eight alone. */
const OTHERS = { multiply_relinearize_switch: 4.5, rotate: 3.5, encode: 3, decode: 3 };
const HOISTED = 2;
const WHOLE_TASK = 4;
/** The server's run of tasks over values, times faster than node-seal by hand. */
const VALUES = {
  'inner-products': 6,
  'matrix-vector': 6,
  'matrix-vector-given': 6,
  'logistic-regression': 5,
};
/** Times faster on two threads than on one. */
const SECOND_THREAD = { task: 1.7, multiply_relinearize: { 8192: 1.7, 16384: 1.6 } };
/** Run against the same kernels in a fixed order: at most 3% longer. */
const SCHEDULING = 0.97;
/** ms, kB of gzip. */
const MOST = { load: 150, wasm_size: 600 };
/** Graphs of 1,000,000 operators: s and MB of all stages up to the plan, growth, bytes saved, operators saved or loaded in a second. */
const SCALE = { count: 1_000_000, seconds: 1.5, memoryMB: 300, exponent: 1.15, bytesEach: 30, perSecond: 1e6 };

function scaleTargets({ count, ours, memoryMB, exponents, bytesEach, seconds, baseOperators }) {
  if (count !== SCALE.count) return [];
  const perSecond = (stage) => baseOperators / seconds[stage];
  return [
    { what: 's', found: ours, most: SCALE.seconds },
    { what: 'MB', found: memoryMB, most: SCALE.memoryMB },
    ...Object.entries(exponents).map(([stage, found]) => ({
      what: `exponent of ${stage}`,
      found,
      most: SCALE.exponent,
    })),
    { what: 'bytes an operator', found: bytesEach, most: SCALE.bytesEach },
    ...['save', 'load'].map((stage) => ({
      what: `${stage}, operators/s`,
      found: perSecond(stage),
      least: SCALE.perSecond,
    })),
  ];
}

/** Of the speed of onnxruntime-web. */
const PLAIN = 0.5;

/** The targets of a row: each { what, found, least } or { what, found, most }. Most rows have none but not to lose. */
function targets(row) {
  const { group, name, scheme, n, threads, phases, ours, unit, ratio, speedup, against } = row;
  const least = (what, found, target) => (target === undefined ? [] : [{ what, found, least: target }]);
  if (group === 'scale') return scaleTargets(row);
  if (group === 'plain') return name.startsWith('f32') ? least('ratio', ratio, PLAIN) : [];
  const at = (target) => (typeof target === 'object' ? target[n] : target);
  if (name === 'scheduling') return least('ratio', ratio, SCHEDULING);
  if (name in MOST) return [{ what: unit, found: ours, most: MOST[name] }];
  if (name === 'hoisted') return least('ratio', ratio, HOISTED);
  if (against === 'ours, 1 thread') return least('gain of the second thread', ratio, at(SECOND_THREAD[name]));
  if (group === 'operator') return least('ratio', ratio, at((scheme === 'bfv' ? OPERATORS : OTHERS)[name]));
  if (group === 'value') return least('ratio', ratio, VALUES[name]);
  if (phases === undefined) return [];
  return threads === 1
    ? least('ratio', ratio, WHOLE_TASK)
    : least('gain of the second thread', speedup, SECOND_THREAD.task);
}

/** Those of a row's targets that it misses. */
export function missed(row) {
  return targets(row).filter(({ found, least, most }) => found < least || found > most);
}
