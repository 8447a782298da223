/** The queues of the service against a slow model of them, over random sequences of everything that can happen. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyText, newExplorerKeys, operatorKey, signRecord } from '../src/tune/index.js';
import type { ExplorerKeys, OperatorKey } from '../src/tune/index.js';
import { createTuneService } from '../src/tune/service/index.js';
import type { OperatorStatistics, Policy } from '../src/tune/service/index.js';
import { authorization } from '../src/tune/sign.js';
import { random } from './random.js';
import { hasSqlite } from './has-sqlite.js';

const TOKEN = 'a token of maintainers, of this test';
const DEVICES = ['one class', 'another class'] as const;
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const LEASE = 1000;
const PRESENT = 5000;
const RETRY = 20_000;
const ATTEMPTS = 3;
const SEQUENCES = Number(process.env.TUNE_SEQUENCES ?? 6);
const STEPS = Number(process.env.TUNE_STEPS ?? 120);

/** Small limits, so that everything happens: two rounds may wait. */
const policy: Policy = ({ misses }, { explorers, room, running, waiting }) => {
  if (explorers === 0 || running + waiting >= 2 * room) return 'drop';
  return misses >= 2 ? 'high' : 'low';
};

interface Operator {
  readonly key: OperatorKey;
  readonly name: string;
}

const OPERATORS: readonly Operator[] = DEVICES.flatMap((device) =>
  WORDS.map((word) => {
    const key = operatorKey({ operator: `test.${word}`, inputs: [], outputs: ['u64[1]'], device });
    return { key, name: createHash('sha256').update(keyText(key)).digest('hex') };
  }),
);
const operatorOf = (name: string): Operator => OPERATORS.find((one) => one.name === name) as Operator;

interface Waiting {
  readonly name: string;
  state: 'collected' | 'queued' | 'leased';
  priority: number;
  misses: number;
  readonly since: number;
  attempts: number;
  task?: string | undefined;
  explorer?: number | undefined;
  until: number;
}

/** What should happen, in plain lists, one thing after the other. */
class Model {
  now = 1_000_000_000_000;
  queue: Waiting[] = [];
  readonly known = new Set<string>();
  readonly failed = new Map<string, number>();
  readonly results: { name: string; task: string; explorer: number }[] = [];
  readonly counts = new Map<string, { queries: number; hits: number; tasks: Set<string> }>();
  readonly explorers: { device: string; room: number; seen: number }[] = [];

  query(names: readonly string[], task: string): string[] {
    const answered = [];
    for (const name of names) {
      const count = this.counts.get(name) ?? { queries: 0, hits: 0, tasks: new Set() };
      this.counts.set(name, count);
      count.queries++;
      if (this.known.has(name)) {
        count.hits++;
        count.tasks.add(task);
        answered.push(name);
        continue;
      }
      const row = this.queue.find((one) => one.name === name);
      if (row !== undefined) row.misses++;
      else if ((this.failed.get(name) ?? -Infinity) <= this.now - RETRY)
        this.queue.push({
          name,
          state: 'collected',
          priority: 0,
          misses: 1,
          since: this.now,
          attempts: 0,
          until: 0,
        });
    }
    return answered;
  }

  #remove(name: string): void {
    this.queue = this.queue.filter((one) => one.name !== name);
  }

  #expire(): void {
    for (const row of [...this.queue])
      if (row.state === 'leased' && row.until < this.now) {
        if (row.attempts < ATTEMPTS)
          Object.assign(row, { state: 'queued', task: undefined, explorer: undefined });
        else this.#fail(row);
      }
  }

  #fail(row: Waiting): void {
    this.#remove(row.name);
    this.failed.set(row.name, this.now);
    this.results.push({ name: row.name, task: row.task as string, explorer: row.explorer as number });
  }

  sort(devices: readonly string[]): void {
    this.#expire();
    for (const device of devices) {
      const of = (state: string): Waiting[] =>
        this.queue.filter((one) => one.state === state && operatorOf(one.name).key.device === device);
      const order = (a: Waiting, b: Waiting): number =>
        b.misses - a.misses || a.since - b.since || (a.name < b.name ? -1 : 1);
      for (const row of of('collected').sort(order)) {
        const present = this.explorers.filter(
          (one) => one.device === device && one.seen > this.now - PRESENT,
        );
        const resources = {
          explorers: present.length,
          room: present.reduce((sum, { room }) => sum + room, 0),
          running: of('leased').length,
          waiting: of('queued').length,
        };
        const verdict = policy({ key: operatorOf(row.name).key, misses: row.misses, age: 0 }, resources);
        if (verdict === 'drop') this.#remove(row.name);
        else Object.assign(row, { state: 'queued', priority: verdict === 'high' ? 1 : 0 });
      }
    }
  }

  /** Gives the names in the order in which they are packed. */
  take(explorer: number): string[] {
    const one = this.explorers[explorer] as Model['explorers'][number];
    one.seen = this.now;
    this.sort([one.device]);
    const order = (a: Waiting, b: Waiting): number =>
      b.priority - a.priority || a.since - b.since || (a.name < b.name ? -1 : 1);
    const some = this.queue
      .filter((row) => row.state === 'queued' && operatorOf(row.name).key.device === one.device)
      .sort(order)
      .slice(0, one.room);
    for (const row of some)
      Object.assign(row, { state: 'leased', explorer, until: this.now + LEASE, attempts: row.attempts + 1 });
    return some.map(({ name }) => name);
  }

  lease(names: readonly string[], task: string): void {
    for (const row of this.queue) if (names.includes(row.name)) row.task = task;
  }

  /** Whether a result is taken. */
  finish(explorer: number, task: string, name: string, found: boolean): boolean {
    (this.explorers[explorer] as { seen: number }).seen = this.now;
    const row = this.queue.find((one) => one.name === name && one.task === task && one.state === 'leased');
    if (row === undefined)
      return this.results.some((one) => one.name === name && one.task === task && one.explorer === explorer);
    if (!found) this.#fail(row);
    else {
      this.#remove(name);
      this.failed.delete(name);
      this.known.add(name);
      this.results.push({ name, task, explorer });
    }
    return true;
  }

  renew(explorer: number, task: string): boolean {
    (this.explorers[explorer] as { seen: number }).seen = this.now;
    const rows = this.queue.filter((one) => one.task === task && one.state === 'leased');
    for (const row of rows) row.until = this.now + LEASE;
    return rows.length > 0 || this.results.some((one) => one.task === task);
  }

  release(task: string): void {
    for (const row of this.queue)
      if (row.task === task && row.state === 'leased')
        Object.assign(row, { state: 'queued', task: undefined, attempts: Math.max(0, row.attempts - 1) });
  }

  stateOf(name: string): string {
    if (this.known.has(name)) return 'known';
    return this.queue.find((one) => one.name === name)?.state ?? (this.failed.has(name) ? 'failed' : 'none');
  }
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** The service as it is asked over HTTP. */
async function subject(model: Model, keys: readonly ExplorerKeys[]) {
  const data = mkdtempSync(join(tmpdir(), 'cipherloom-test-'));
  folders.push(data);
  const service = await createTuneService(
    {
      ...{ data, port: 0, log: 'silent', maintainToken: TOKEN, sortMs: 0, flushMs: 60_000, rate: 1e9 },
      ...{ leaseMs: LEASE, presentMs: PRESENT, retryMs: RETRY, attempts: ATTEMPTS },
      explorers: keys.map(({ publicKey }) => publicKey),
    },
    { policy, now: () => model.now },
  );
  const url = await service.listen();
  const call = async (method: string, path: string, body?: unknown, by?: ExplorerKeys) => {
    const request = { origin: url, method, path, at: Date.now(), body: body ?? null };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: by === undefined ? `Bearer ${TOKEN}` : await authorization(by, request),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
  };
  return { service, call };
}

describe('queues', () => {
  it.skipIf(!hasSqlite())(
    'do what a slow model does, whatever happens in whatever order',
    async () => {
      const seen = new Set<string>();
      for (let sequence = 0; sequence < SEQUENCES; sequence++) {
        const model = new Model();
        const keys = await Promise.all([0, 1, 2].map(() => newExplorerKeys()));
        const { service, call } = await subject(model, keys);
        const tasks: { id: string; explorer: number; names: string[] }[] = [];
        try {
          for (const [at, by] of keys.entries()) {
            const [device, room] = [DEVICES[at % 2] as string, 1 + (at % 3)];
            model.explorers.push({ device, room, seen: model.now });
            expect((await call('POST', '/v1/explorers', { device, room }, by)).body).toEqual({
              allowed: true,
            });
          }
          for (let step = 0; step < STEPS; step++) {
            const pick = tasks[random(Math.max(tasks.length, 1))];
            const explorer = random(keys.length);
            const by = keys[pick?.explorer ?? 0] as ExplorerKeys;
            const what = random(10);
            if (what < 4) {
              const names = [
                ...new Set(Array.from({ length: 1 + random(3) }, () => random(OPERATORS.length))),
              ];
              const some = names.map((at) => OPERATORS[at] as Operator);
              const task = String(random(3)).padStart(32, '0');
              const sent = { task, keys: some.map(({ key }) => key), asked: some.length };
              const { body } = await call('POST', '/v1/query', sent);
              const expected = model.query(
                some.map(({ name }) => name),
                task,
              );
              const got = (body as { records: { key: OperatorKey }[] }).records.map(({ key }) =>
                keyText(key),
              );
              expect(got).toEqual(expected.map((name) => keyText(operatorOf(name).key)));
              // What is noted is written in the order of time, since the model's clock goes on in jumps.
              await call('GET', '/v1/statistics');
              seen.add(expected.length > 0 ? 'hit' : 'miss');
            } else if (what === 4) {
              model.sort(DEVICES);
              await call('POST', '/v1/queue/sort');
            } else if (what === 5) {
              const { device, room } = model.explorers[explorer] as { device: string; room: number };
              const sent = { device, room, wait: 0 };
              const { body } = await call('POST', '/v1/tasks', sent, keys[explorer]);
              const { task } = body as { task: { id: string; operators: { name: string }[] } | null };
              const names = (task?.operators ?? []).map(({ name }) => name);
              expect(names).toEqual(model.take(explorer));
              if (task === null) continue;
              model.lease(names, task.id);
              tasks.push({ id: task.id, explorer, names });
              seen.add(names.length > 1 ? 'packed' : 'taken');
            } else if (what === 6) {
              model.now += [1, 200, LEASE + 1, PRESENT + 1, RETRY][random(5)] as number;
            } else if (pick !== undefined && what < 9) {
              const name = pick.names[random(pick.names.length)] as string;
              const found = random(3) > 0;
              const best = {
                library: { kind: 'library', call: 'f', time: 1, spread: 0, samples: 1 },
              } as const;
              const unsigned = {
                key: operatorOf(name).key,
                best,
                at: 1,
                version: '1',
                explorer: by.publicKey,
              };
              const sent = found
                ? { record: await signRecord(unsigned, by) }
                : { failure: { reason: 'none' } };
              const { status } = await call('PUT', `/v1/tasks/${pick.id}/results/${name}`, sent, by);
              const taken = model.finish(pick.explorer, pick.id, name, found);
              expect(status).toBe(taken ? 204 : 409);
              seen.add(taken ? (found ? 'record' : 'failure') : 'late');
            } else if (pick !== undefined) {
              if (random(2) === 0) {
                const { status } = await call('POST', `/v1/tasks/${pick.id}/renew`, undefined, by);
                expect(status).toBe(model.renew(pick.explorer, pick.id) ? 204 : 409);
              } else {
                model.release(pick.id);
                expect((await call('DELETE', `/v1/tasks/${pick.id}`, undefined, by)).status).toBe(204);
                seen.add('released');
              }
            }
          }
          for (const { name } of OPERATORS) {
            const { status, body } = await call('GET', `/v1/statistics/operators/${name}`);
            const counts = model.counts.get(name);
            if (counts === undefined) {
              expect(status).toBe(404);
              continue;
            }
            const { queries, hits, reuse, state, explorations } = body as OperatorStatistics;
            expect({ queries, hits, reuse, state, explorations }).toEqual({
              ...{
                queries: counts.queries,
                hits: counts.hits,
                reuse: counts.tasks.size,
                state: model.stateOf(name),
              },
              explorations: model.results.filter((one) => one.name === name).length,
            });
            // Explored with success once, or never (T7).
            if (state === 'known') seen.add('known');
          }
        } finally {
          await service.close();
        }
      }
      // All of it has happened.
      for (const what of ['hit', 'miss', 'packed', 'taken', 'record', 'failure', 'late', 'released', 'known'])
        expect(seen).toContain(what);
    },
    600_000,
  );
});
