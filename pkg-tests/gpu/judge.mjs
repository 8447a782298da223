// What comes of `onGpu`, judged, and what it needs, brought to a consumer.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = ['gpu/work.mjs', 'gpu/measured.mjs', 'gpu/faults.mjs', 'gpu/faulty-worker.mjs', 'lib/random.mjs'];

/** Copies the work there, with the programs that it runs. */
export function copyGpuWork(folder) {
  for (const name of [...FILES, 'schemes/programs.mjs', 'schemes/with-cipherloom.mjs'])
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(folder, name));
}

/** The same of programs, some of which have keys that the GPU keeps. */
export function rightPrograms(found) {
  assert.ok(found.some(({ keys }) => keys > 0));
  for (const { name, run, outputs, wrong, lost, submissions } of found) {
    assert.deepEqual([wrong, lost], [[], undefined], `${name}, ${run}`);
    assert.ok(outputs > 0 && submissions > 0, `${name}, ${run}`);
  }
}

/** That all was right, of so many programs at least, and that a GPU did much of it. */
export function right(found, least = 5) {
  assert.ok(found.length >= least);
  for (const { scheme, n, outputs, runs } of found) {
    assert.ok(outputs > 0);
    for (const [name, { wrong, lost, operators, ops, submissions }] of Object.entries(runs)) {
      const where = `${scheme}, n = ${n}, ${name}`;
      assert.deepEqual([wrong, lost], [[], undefined], where);
      assert.ok(submissions > 0, where);
      assert.ok(ops > operators / 4, `${where}: ${ops} of ${operators}`);
    }
  }
}

/** Of `measuredTwice`: nobody waits for what is measured, it is measured once, and decides on a GPU that computes on the processors. */
export function rightTimes([one, again]) {
  const { times } = one;
  assert.ok(times.shared && times.submission > 0, JSON.stringify(times));
  for (const { op, host, wave, each } of times.uses) {
    assert.ok(host > 0, op);
    assert.ok(each === undefined || (each > 0 && wave >= 0), op);
  }
  assert.ok(times.uses.some(({ each }) => each !== undefined));
  assert.deepEqual(again.times, times);
  for (const { first, second } of [one, again]) {
    assert.deepEqual([first.wrong, first.placement, first.gpu], [[], undefined, undefined]);
    const { way, operators, expected, alone } = second.placement;
    assert.deepEqual([second.wrong, second.gpu?.lost], [[], undefined]);
    // Whatever a busy machine measured: what is not sooner by a tenth is left to the processors.
    assert.ok(way === 'host' ? operators === 0 : expected <= 0.9 * alone, JSON.stringify(second.placement));
    assert.equal(second.gpu === undefined, operators === 0);
  }
}
