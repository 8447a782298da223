/** What the service forgets, and what it counts again when it starts: with SQLite, which is an optional peer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operatorKey } from '../src/tune/index.js';
import { HOUR, Ledger } from '../src/tune/service/ledger.js';
import { libraries } from '../src/tune/service/libraries.js';
import { Queue } from '../src/tune/service/queue.js';
import { Store } from '../src/tune/service/store.js';
import { hasSqlite } from './has-sqlite.js';

const TASK = '0'.repeat(32);

describe.skipIf(!hasSqlite())('a service that is full', () => {
  it('forgets in a day what nothing came of, keeps the rest, and has room again', async () => {
    const data = mkdtempSync(join(tmpdir(), 'cipherloom-ledger-'));
    const store = await Store.open(await libraries(), data, undefined);
    try {
      let now = 1000 * HOUR;
      const times = { leaseMs: 1000, presentMs: 1000, attempts: 2, retryMs: 48 * HOUR, now: () => now };
      const queue = new Queue(store, { ...times, policy: () => 'drop', at: () => undefined });
      const settings = { flushMs: 60_000, operators: 4, now: times.now, failed: () => undefined };
      const open = async (): Promise<Ledger> => {
        const ledger = new Ledger(store, queue, settings);
        await ledger.open();
        return ledger;
      };
      const note = async (ledger: Ledger, words: string, hit = false): Promise<void> => {
        for (const name of words) {
          const key = operatorKey({ operator: `test.${name}`, inputs: [], outputs: [], device: 'one' });
          ledger.note({ name, key, task: TASK, asked: true, hit });
        }
        await ledger.flush();
      };
      const names = async (table: string): Promise<string> =>
        ((await store.db(table).select('name').orderBy('name')) as { name: string }[])
          .map(({ name }) => name)
          .join('');
      const ledger = await open();
      await note(ledger, 'abcdefgh');
      expect(await names('operators')).toBe('abcd');
      // a is known, b failed not long ago, c waits; of d nothing came.
      const at = { at: now, explorer: 'e' };
      await store.db('records').insert({ name: 'a', record: '{}', kind: 'library', waited: 0, ...at });
      await store.db('failures').insert({ name: 'b', reason: 'none', at: now, times: 1 });
      await store.db('queue').whereIn('name', ['a', 'b', 'd']).delete();
      // Full, after a start too.
      now += 2 * HOUR;
      const second = await open();
      await second.sweep(1000);
      await note(second, 'x');
      expect(await names('operators')).toBe('abcd');
      now += 30 * HOUR;
      await second.sweep(1000);
      expect(await names('operators')).toBe('abc');
      expect(await names('counts')).toBe('abc');
      await note(second, 'xy');
      expect(await names('operators')).toBe('abcx');
      // A failure is forgotten when it may be tried again.
      now += 30 * HOUR;
      await store.db('queue').where({ name: 'x' }).delete();
      await second.sweep(1000);
      expect([await names('operators'), await names('failures')]).toEqual(['ac', '']);
    } finally {
      await store.close();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('counts the uses that there are, also when it starts', async () => {
    const data = mkdtempSync(join(tmpdir(), 'cipherloom-ledger-'));
    const store = await Store.open(await libraries(), data, undefined);
    try {
      let now = 1000 * HOUR;
      const times = { leaseMs: 1000, presentMs: 1000, attempts: 2, retryMs: HOUR, now: () => now };
      const queue = new Queue(store, { ...times, policy: () => 'drop', at: () => undefined });
      const settings = { flushMs: 60_000, operators: 1, now: times.now, failed: () => undefined };
      const key = operatorKey({ operator: 'test.a', inputs: [], outputs: [], device: 'one' });
      // Ten uses for each operator that may be.
      const use = async (ledger: Ledger, from: number, count: number): Promise<number> => {
        for (let task = from; task < from + count; task++)
          ledger.note({ name: 'a', key, task: `${task}`, asked: true, hit: true });
        await ledger.flush();
        return ((await store.db('uses').select('task')) as unknown[]).length;
      };
      for (let start = 0; start < 3; start++) {
        const ledger = new Ledger(store, queue, settings);
        await ledger.open();
        expect(await use(ledger, 100 * start, 8)).toBe(start === 0 ? 8 : 10);
      }
      const ledger = new Ledger(store, queue, settings);
      await ledger.open();
      await store.db('records').insert({
        ...{ name: 'a', record: '{}', kind: 'library', waited: 0, at: now, explorer: 'e' },
      });
      // What was swept makes room.
      now += 5 * HOUR;
      await ledger.sweep(2);
      expect(await use(ledger, 1000, 4)).toBe(4);
    } finally {
      await store.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
