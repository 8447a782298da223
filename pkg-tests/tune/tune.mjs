// What tests of the best implementations share: services, here and in processes of their own, explorers that find what a table says, and maintainers.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keyText, newExplorerKeys, operatorKey, runExplorer } from 'cipherloom/tune';
import { createTuneService } from 'cipherloom/tune/service';
import { temporaryFolder } from '../lib/own.mjs';
import { NO_SQLITE, hasSqlite } from '../lib/sqlite.mjs';
import { startProcess } from '../lib/started.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
export const TOKEN = 'a token of maintainers, of this test';
export const DEVICE = 'a class of this test';
export const PATIENCE_MS = 120_000;

/** Why tests with SQLite are left out, or undefined. */
export const skip = !hasSqlite(import.meta.url) && NO_SQLITE;

/** A key of this test's class, by one word. */
export function key(word, device = DEVICE) {
  return operatorKey({ operator: `test.${word}`, inputs: ['u64[8]'], outputs: ['u64[8]'], device });
}

export const nameOf = (one) => createHash('sha256').update(keyText(one)).digest('hex');
export const words = (keys) => keys.map(({ operator }) => operator.slice('test.'.length)).sort();

export const library = (time, call = 'built-in') => ({ kind: 'library', call, time, spread: 0, samples: 9 });
export const generated = (time, schedule = { radix: 4 }, code) => ({
  ...{ kind: 'generated', schedule, time, spread: 0, samples: 9 },
  ...(code && { code }),
});
export const handWritten = (time, code) => ({ kind: 'hand-written', code, time, spread: 0, samples: 9 });

/** Starts a service in this process; it ends with the test. `sortMs` is 0: what is collected is sorted when a test, or an explorer, says so. */
export async function serve(t, options = {}, parts = {}) {
  const settings = {
    ...{ data: temporaryFolder(), port: 0, log: 'silent', maintainToken: TOKEN, sortMs: 0, flushMs: 1 },
    ...{ rate: 1e9, ...options },
  };
  const service = await createTuneService(settings, parts);
  let open = true;
  const close = async () => {
    if (open) await service.close();
    open = false;
  };
  t.after(close);
  return { ...maintainer(await service.listen()), service, close, settings };
}

/** What a maintainer asks. */
export function maintainer(url) {
  const call = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    ...{ url, call },
    statistics: () => call('GET', '/v1/statistics'),
    operator: (one) => call('GET', `/v1/statistics/operators/${nameOf(one)}`),
    sort: () => call('POST', '/v1/queue/sort'),
  };
}

/** A client's own requests, in order: the words of the keys that were sent. */
export function counting(requests) {
  return async (url, init) => {
    if (String(url).endsWith('/v1/query')) requests.push(words(JSON.parse(init.body).keys));
    return fetch(url, init);
  };
}

/** A predictor that knows what a table says. */
export const predicting = (table) => ({
  observe() {},
  related: ({ operator }) => (table[operator.slice('test.'.length)] ?? []).map((word) => key(word)),
});

/**
 * An explorer of which `find` says what it finds. Gives its events as they come, and ends with the test.
 * @param {(one: import('cipherloom/tune').OperatorKey, options: { signal: AbortSignal }) => any} find
 */
export function explorer(t, url, keys, find, { device = DEVICE, room = 8, code } = {}) {
  const stop = new AbortController();
  const events = [];
  const waiting = new Set();
  const running = runExplorer({
    ...{ url, keys, room, version: 'test', signal: stop.signal },
    explorer: { device, explore: async (one, options) => find(one, options), ...(code && { code }) },
    onEvent: (event) => {
      events.push(event);
      for (const look of waiting) look();
    },
  });
  running.catch(() => {});
  const end = async () => {
    stop.abort(new Error('the test is over'));
    await running.catch(() => {});
  };
  t.after(end);
  /** Waits until there are so many events of a sort; gives these. */
  const until = (what, count = 1) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no ${count} of ${what}: ${JSON.stringify(events)}`)),
        PATIENCE_MS,
      );
      const look = () => {
        const some = events.filter((event) => event.what === what);
        if (some.length < count) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(some);
      };
      waiting.add(look);
      running.catch(reject);
      look();
    });
  return { events, until, end, running };
}

export { newExplorerKeys };

/** A service in a process of its own, that can be killed. `stuck`: a place where it stands still for ever, and says so. */
export async function startServer({ data = temporaryFolder(), explorers = [], stuck = '', env = {} } = {}) {
  const started = await startProcess(
    SERVER,
    [],
    {
      ...{ TUNE_DATA: data, TUNE_PORT: '0', TUNE_LOG: 'warn', TUNE_MAINTAIN_TOKEN: TOKEN, TUNE_RATE: '1000000000' },
      ...{ TUNE_EXPLORERS: explorers.join(','), TUNE_STUCK: stuck, TUNE_LEASE_MS: '1000', TUNE_SORT_MS: '0', ...env },
    },
    /served at (\S+)/,
  );
  const { first: url, printed, output } = started;
  const kill = (signal = 'SIGKILL') => started.stop(signal);
  return { ...maintainer(url), data, printed, output, kill, port: new URL(url).port };
}

/** The database's file. */
export const fileOf = (data) => join(data, 'tune.sqlite');
