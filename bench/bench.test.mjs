// The benchmark runs, its results are right and have their shape. Says nothing of speed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { recentNode } from './lib/node.mjs';

const NAMES = [
  'add',
  'multiply_relinearize',
  'kernel:limb.ntt',
  'scheduling',
  'scale:products',
  'f32_matmul',
  'aes128_ctr',
  'statistics_569',
  'inner-products',
  'wasm_size',
];

function script(name, ...args) {
  const result = spawnSync(recentNode(), [fileURLToPath(new URL(name, import.meta.url)), ...args], {
    encoding: 'utf8',
    timeout: 600_000,
  });
  assert.equal(result.status, 0, `${name}: exit ${result.status}\n${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

test(
  'a small selection, and its report',
  { timeout: 600_000, skip: recentNode() === null && 'needs a newer Node' },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cipherloom-bench-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [json, markdown] = [join(folder, 'rows.json'), join(folder, 'report.md')];
    script('bench.mjs', '--quick', '--n', '4096', '--threads', '1', '--name', NAMES.join(','), '--json', json);
    const { machine, versions, rows } = JSON.parse(readFileSync(json, 'utf8'));
    assert.ok(machine.cores > 0);
    assert.ok(machine.processor.length > 0 && machine.kind.length > 0);
    assert.equal(versions.nodeSeal, '7.0.0');
    assert.ok(Number(versions.node.split('.')[0]) >= 24);
    for (const name of NAMES)
      assert.ok(
        rows.some((row) => row.name === name),
        `no row ${name}`,
      );
    for (const row of rows) {
      const about = JSON.stringify(row);
      assert.ok(['operator', 'task', 'value', 'inside', 'scale', 'plain'].includes(row.group), about);
      assert.ok(row.ours > 0, about);
      assert.ok(['ms', 'us', 's', 'kB', 'MB', 'MB/s'].includes(row.unit), about);
      assert.ok(Number.isInteger(row.threads), about);
      if (row.group !== 'scale' && row.unit !== 'MB/s')
        assert.ok(Math.abs(row.ratio * row.ours - row.peer) <= 1e-9 * row.peer, about);
    }
    for (const { name, budgetOurs, budgetPeer } of rows.filter(({ group }) => group === 'operator')) {
      assert.ok(budgetOurs >= budgetPeer - 3, `${name}: ${budgetOurs}, ${budgetPeer}`);
    }
    const sets = rows.filter(({ name }) => name === 'multiply_relinearize').map(({ totalBits }) => totalBits);
    assert.deepEqual(sets, [109, 106]);
    const builds = rows.filter(({ name }) => name === 'wasm_size').map(({ variant }) => variant);
    const modules = ['tasks', 'graphs', 'conformance'];
    const all = modules.flatMap((module) => ['single', 'threads', 'relaxed'].map((build) => `${module}, ${build}`));
    assert.deepEqual(builds, all);
    const [{ peerParameters, peerTried }] = rows.filter(({ name }) => name === 'statistics_569');
    assert.deepEqual([...new Set(peerTried.map(({ packed }) => packed))], [true, false]);
    const fits = peerTried.filter(({ milliseconds }) => milliseconds !== null);
    const { milliseconds, budget, ...fastest } = fits.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a));
    assert.deepEqual(fastest, peerParameters);

    const [value] = rows.filter(({ group }) => group === 'value');
    assert.ok(value.whole.ours > value.ours && value.whole.peer > 0, JSON.stringify(value));
    assert.ok(
      value.operators['bgv.multiply'] > 0 &&
        Object.values(value.inside.operators).some(({ milliseconds }) => milliseconds > 0),
    );

    // The pool starts, too.
    script('bench.mjs', '--quick', '--n', '8192', '--threads', '2', '--name', 'multiply_relinearize', '--json', json);
    assert.ok(JSON.parse(readFileSync(json, 'utf8')).rows.some(({ threads }) => threads === 2));

    // A figure above 1 that misses its target is told, too.
    Object.assign(
      rows.find(({ name }) => name === 'multiply_relinearize'),
      { ratio: 4.9 },
    );
    writeFileSync(json, JSON.stringify({ machine, versions, rows }));
    writeFileSync(markdown, '# A\n\n<!-- bench -->\nold\n<!-- bench -->\n\nB\n');
    script('report.mjs', json, markdown);
    const text = readFileSync(markdown, 'utf8');
    assert.match(text, /^# A\n\n<!-- bench -->\n/);
    assert.match(text, /\| multiply_relinearize \|/);
    const named = text.split(`n ${machine.processor}, ${machine.kind}`).length - 1;
    assert.equal(named, 2, 'operators and kernels say where they were measured');
    assert.match(text, /relaxed: raw/);
    assert.match(text, /\| statistics_569 \| a column after the other \|/);
    assert.match(text, /### Tasks over values[^]*\| inner-products \| BFV, /);
    assert.match(
      text,
      /### Where we lose[^]*multiply_relinearize \(N = 4096, 109 bits\): ratio 4.90, wanted at least 5\n/,
    );
    assert.doesNotMatch(text, /\bold\b|undefined|NaN/);
    assert.match(text, /<!-- bench -->\n\nB\n$/);
  },
);
