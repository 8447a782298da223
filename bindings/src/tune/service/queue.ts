/**
 * The middle (SPEC T3; seed 003 ¶168-175): collect queue, explore queues, scheduler. One table, whose primary key is the operator's name: so an operator is in one queue, once,
 * and explored once however many ask (T7). Every change of it is one transaction behind the lock of the store.
 *
 * ```text
 * miss -> collected -> queued (high, low) -> leased to a task -> record, or failure
 *             |  policy        ^                  |
 *             v                +---- lease ends --+
 *          dropped
 * ```
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { keyText, readKey } from '../key.js';
import type { OperatorKey } from '../key.js';
import { fastest } from '../record.js';
import type { TuneRecord } from '../record.js';
import { wrong } from '../wrong.js';
import { Refusal } from './errors.js';
import type { Store } from './store.js';
import type { Place, Policy, Priority, Resources } from './types.js';

interface Row {
  readonly name: string;
  readonly device: string;
  readonly state: 'collected' | 'queued' | 'leased';
  readonly priority: number;
  readonly misses: number;
  readonly since: number;
  readonly attempts: number;
  readonly task: string | null;
  readonly explorer: string | null;
  readonly until: number | null;
}

/** What an explorer takes. */
export interface Task {
  readonly id: string;
  readonly lease: number;
  readonly operators: readonly { readonly name: string; readonly key: OperatorKey }[];
}

/** Settings of the queue. */
export interface QueueSettings {
  readonly leaseMs: number;
  readonly presentMs: number;
  readonly attempts: number;
  readonly retryMs: number;
  readonly now: () => number;
  readonly policy: Policy;
  readonly at: (place: Place) => Promise<void> | void;
}

export class Queue {
  /** Those who wait for tasks, by class. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(
    readonly store: Store,
    readonly settings: QueueSettings,
  ) {}

  async at(place: Place): Promise<void> {
    await this.settings.at(place);
  }

  /** Puts missed operators into the collect queue; those that are in a queue, known, or failed a moment ago are not. Gives the classes of those that were put there. */
  async collect(
    trx: Knex.Transaction,
    missed: readonly { readonly name: string; readonly key: OperatorKey; readonly misses: number }[],
  ): Promise<ReadonlySet<string>> {
    const devices = new Set<string>();
    const { now, retryMs } = this.settings;
    for (let from = 0; from < missed.length; from += 1000) {
      const some = missed.slice(from, from + 1000);
      const names = some.map(({ name }) => name);
      const gone = new Set<string>();
      for (const { name } of (await trx('records').select('name').whereIn('name', names)) as Row[])
        gone.add(name);
      const failed = trx('failures').select('name').whereIn('name', names);
      for (const { name } of (await failed.where('at', '>', now() - retryMs)) as Row[]) gone.add(name);
      const byName = new Map<string, { device: string; misses: number }>();
      for (const { name, key, misses } of some) {
        if (gone.has(name)) continue;
        const before = byName.get(name)?.misses ?? 0;
        byName.set(name, { device: key.device, misses: before + misses });
      }
      const rows = [...byName].map(([name, { device, misses }]) => {
        devices.add(device);
        const at = { task: null, explorer: null, until: null };
        return { name, device, state: 'collected', priority: 0, misses, since: now(), attempts: 0, ...at };
      });
      await this.store.insert(trx, 'queue', rows, ['name'], (table) => ({
        misses: trx.raw('?? + ??', [`${table}.misses`, 'excluded.misses']),
      }));
    }
    return devices;
  }

  /** Told after what was collected is written. */
  async collected(devices: ReadonlySet<string>): Promise<void> {
    if (devices.size > 0) await this.at('collected');
    for (const device of devices) this.wake(device);
  }

  /** Sorts what was collected, of one class or of all: into explore queues, or out. Gives how many went where. */
  async sort(
    device?: string,
  ): Promise<{ readonly high: number; readonly low: number; readonly dropped: number }> {
    const sorted = await this.store.locked(async (trx) => this.#sort(trx, device));
    if (sorted.high + sorted.low > 0) await this.at('sorted');
    for (const one of sorted.devices) this.wake(one);
    const { high, low, dropped } = sorted;
    return { high, low, dropped };
  }

  async #sort(trx: Knex.Transaction, device?: string) {
    const { now, policy } = this.settings;
    await this.#expire(trx);
    const rows = (await trx('queue')
      .where({ state: 'collected', ...(device !== undefined && { device }) })
      .orderBy([{ column: 'misses', order: 'desc' }, 'since', 'name'])) as Row[];
    const counts = { high: 0, low: 0, dropped: 0, devices: new Set<string>() };
    const resources = new Map<string, Resources>();
    const changes: Record<Priority | 'drop', string[]> = { high: [], low: [], drop: [] };
    for (const row of rows) {
      const free = resources.get(row.device) ?? (await this.resources(trx, row.device));
      const key = await this.#key(trx, row.name);
      const verdict = policy({ key, misses: row.misses, age: now() - row.since }, free);
      changes[verdict].push(row.name);
      resources.set(row.device, { ...free, waiting: free.waiting + (verdict === 'drop' ? 0 : 1) });
      if (verdict === 'drop') counts.dropped++;
      else {
        counts[verdict]++;
        counts.devices.add(row.device);
      }
    }
    for (const [verdict, names] of Object.entries(changes) as [Priority | 'drop', string[]][])
      for (let at = 0; at < names.length; at += 1000) {
        const some = trx('queue').whereIn('name', names.slice(at, at + 1000));
        if (verdict === 'drop') await some.delete();
        else await some.update({ state: 'queued', priority: verdict === 'high' ? 1 : 0 });
      }
    return counts;
  }

  /** What there is of a class. */
  async resources(trx: Knex, device: string): Promise<Resources> {
    const { now, presentMs } = this.settings;
    const present = (await trx('explorers')
      .where({ device, standing: 'allowed' })
      .where('seen', '>', now() - presentMs)
      .select('room')) as { room: number }[];
    const states = (await trx('queue')
      .where({ device })
      .groupBy('state')
      .select('state')
      .count({ count: '*' })) as unknown as { state: string; count: number | string }[];
    const count = (state: string): number => Number(states.find((one) => one.state === state)?.count ?? 0);
    return {
      explorers: present.length,
      room: present.reduce((sum, { room }) => sum + room, 0),
      running: count('leased'),
      waiting: count('queued'),
    };
  }

  /** Leases that have ended: their operators wait again, or are set aside where that has happened too often. */
  async #expire(trx: Knex.Transaction): Promise<void> {
    const { now, attempts } = this.settings;
    const ended = (await trx('queue').where({ state: 'leased' }).where('until', '<', now())) as Row[];
    for (const row of ended) {
      if (row.attempts < attempts) await trx('queue').where({ name: row.name }).update(FREE);
      else await this.#fail(trx, row, `its explorers ended without a word, ${row.attempts} times`);
    }
  }

  /** Whether there is anything to sort, to take or to take back: looked at without writing. */
  async stirs(device?: string): Promise<boolean> {
    const { now } = this.settings;
    const row = await this.store
      .db('queue')
      .where(device === undefined ? {} : { device })
      .where((some) => {
        void some
          .whereIn('state', device === undefined ? ['collected'] : ['collected', 'queued'])
          .orWhere('until', '<', now());
      })
      .first('name');
    return row !== undefined;
  }

  /** Packs a task for an explorer: of its class, high priority first, then those that wait the longest (SPEC T3). Undefined where nothing waits. */
  async take(explorer: string, device: string, room: number): Promise<Task | undefined> {
    const { now, leaseMs } = this.settings;
    const task = await this.store.locked(async (trx) => {
      await this.#sort(trx, device);
      const rows = (await trx('queue')
        .where({ device, state: 'queued' })
        .orderBy([{ column: 'priority', order: 'desc' }, 'since', 'name'])
        .limit(room)) as Row[];
      if (rows.length === 0) return undefined;
      const id = randomUUID();
      const names = rows.map(({ name }) => name);
      await trx('queue')
        .whereIn('name', names)
        .update({ state: 'leased', task: id, explorer, until: now() + leaseMs })
        .increment('attempts', 1);
      const operators = [];
      for (const name of names) operators.push({ name, key: await this.#key(trx, name) });
      return { id, lease: leaseMs, operators };
    });
    if (task !== undefined) await this.at('leased');
    return task;
  }

  /** A sign of life. Errors: TuneError `tune.lease`. */
  async renew(explorer: string, id: string): Promise<void> {
    const { now, leaseMs } = this.settings;
    const renewed = await this.store.locked(async (trx) => {
      const rows = await trx('queue')
        .where({ task: id, explorer, state: 'leased' })
        .update({ until: now() + leaseMs });
      // All of it is there already, and its explorer has not heard so.
      return rows > 0 || (await trx('explorations').where({ task: id, explorer }).first()) !== undefined;
    });
    if (!renewed) throw lost(id);
  }

  /** A task is given back: what is left of it waits again, and nothing is held against it. */
  async release(explorer: string, id: string): Promise<void> {
    const devices = await this.store.locked(async (trx) => {
      const rows = (await trx('queue').where({ task: id, explorer, state: 'leased' })) as Row[];
      for (const { name, attempts } of rows)
        await trx('queue')
          .where({ name })
          .update({ ...FREE, attempts: Math.max(0, attempts - 1) });
      return new Set(rows.map(({ device }) => device));
    });
    for (const device of devices) this.wake(device);
  }

  /** A record comes: it is stored and its operator leaves the queue, or neither. Errors: TuneError `tune.lease`, `tune.device` of a record of another operator. */
  async finish(explorer: string, id: string, name: string, record: TuneRecord): Promise<void> {
    await this.at('received');
    const { now } = this.settings;
    await this.store.locked(async (trx) => {
      const row = await this.#own(trx, explorer, id, name);
      if (row === undefined) return;
      const key = await this.#key(trx, name);
      if (keyText(record.key) !== keyText(key))
        throw wrong('tune.device', 'record, key', keyText(record.key).slice(0, 200), 'that of the task');
      await trx('records').insert({
        ...{ name, record: JSON.stringify(record), kind: fastest(record.best)?.kind, explorer },
        ...{ at: now(), waited: Math.max(0, now() - row.since) },
      });
      await trx('queue').where({ name }).delete();
      await trx('failures').where({ name }).delete();
      await trx('explorations').insert({ name, task: id, explorer, outcome: 'record', at: now() });
    });
    await this.at('stored');
  }

  /** Nothing was found: the operator leaves the queue, and statistics say why. Errors: TuneError `tune.lease`. */
  async fail(explorer: string, id: string, name: string, reason: string): Promise<void> {
    await this.store.locked(async (trx) => {
      const row = await this.#own(trx, explorer, id, name);
      if (row !== undefined) await this.#fail(trx, row, reason);
    });
  }

  async #fail(trx: Knex.Transaction, { name, task, explorer }: Row, reason: string): Promise<void> {
    const at = this.settings.now();
    await trx('queue').where({ name }).delete();
    await this.store.insert(trx, 'failures', [{ name, reason, at, times: 1 }], ['name'], (table) => ({
      ...{ reason, at },
      times: trx.raw('?? + 1', [`${table}.times`]),
    }));
    await this.store.insert(
      trx,
      'explorations',
      [{ name, task: task ?? '', explorer: explorer ?? '', outcome: 'failure', at }],
      ['name', 'task'],
    );
  }

  /** The row of a result; undefined where this very result has come before, and its explorer has not heard so. Errors: TuneError `tune.lease`. */
  async #own(trx: Knex.Transaction, explorer: string, task: string, name: string): Promise<Row | undefined> {
    const row = (await trx('queue').where({ name, task, explorer, state: 'leased' }).first()) as
      Row | undefined;
    if (row !== undefined) return row;
    if ((await trx('explorations').where({ name, task, explorer }).first()) !== undefined) return undefined;
    throw lost(task);
  }

  async #key(trx: Knex.Transaction, name: string): Promise<OperatorKey> {
    const { key } = (await trx('operators').where({ name }).first()) as { key: string };
    return readKey(key);
  }

  /** A maintainer's word. Errors: 404. */
  async prioritize(name: string, priority: Priority): Promise<void> {
    const rows = await this.store.locked(async (trx) => {
      const found = (await trx('queue').where({ name })) as Row[];
      const state = found[0]?.state === 'collected' ? { state: 'queued' } : {};
      await trx('queue')
        .where({ name })
        .update({ ...state, priority: priority === 'high' ? 1 : 0 });
      return found;
    });
    if (rows.length === 0) throw new Refusal(404, 'not.found', 'There is no such operator in a queue');
    for (const { device } of rows) this.wake(device);
  }

  /** Waits until something may have come for a class, or so long. */
  async changed(device: string, ms: number, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(device) ?? new Set();
    this.#waiting.set(device, waiting);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(device);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      waiting.add(end);
      if (signal.aborted) end();
    });
  }

  wake(device: string): void {
    for (const end of [...(this.#waiting.get(device) ?? [])]) end();
  }
}

/** Of what waits again. */
export const FREE = { state: 'queued', task: null, explorer: null, until: null } as const;

function lost(task: string): Error {
  return wrong(
    'tune.lease',
    'task',
    `${task}, which is another's by now, or nobody's`,
    "one of this explorer's",
  );
}
