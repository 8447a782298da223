// What figures are to reach besides not losing: so many times faster than the peer, or no more than so much.

/** Times faster than node-seal on one thread: one number, or one for each N. */
const OPERATORS = {
  multiply_relinearize: { 4096: 5, 8192: 5, 16384: 4.5 },
  rotate: { 4096: 3.5, 8192: 3.5, 16384: 3 },
  encrypt: 3.5,
  decrypt: 3.5,
  multiply_plain: 3.5,
};
const WHOLE_TASK = 4;
/** Times faster on two threads than on one. */
const SECOND_THREAD = { task: 1.7, multiply_relinearize: { 8192: 1.7, 16384: 1.6 } };
/** Run against the same kernels in a fixed order: at most 3% longer. */
const SCHEDULING = 0.97;
/** ms, s, kB of gzip. */
const MOST = { load: 150, graph_1m: 2, wasm_size: 500 };

/** The targets of a row: each { what, found, least } or { what, found, most }. Most rows have none but not to lose. */
function targets({ group, name, n, threads, phases, ours, unit, ratio, speedup, against }) {
  const at = (target) => (typeof target === 'object' ? target[n] : target);
  const least = (what, found, target) => (target === undefined ? [] : [{ what, found, least: target }]);
  if (name === 'scheduling') return least('ratio', ratio, SCHEDULING);
  if (name in MOST) return [{ what: unit, found: ours, most: MOST[name] }];
  if (against === 'ours, 1 thread') return least('gain of the second thread', ratio, at(SECOND_THREAD[name]));
  if (group === 'operator') return least('ratio', ratio, at(OPERATORS[name]));
  if (phases === undefined) return [];
  return threads === 1
    ? least('ratio', ratio, WHOLE_TASK)
    : least('gain of the second thread', speedup, SECOND_THREAD.task);
}

/** Those of a row's targets that it misses. */
export function missed(row) {
  return targets(row).filter(({ found, least, most }) => found < least || found > most);
}
