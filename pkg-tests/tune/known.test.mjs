// The known answers K-T1 to K-T8, over HTTP, through the public API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestOfEach, fastest, keyText, memoryCache, signRecord, tuneClient } from 'cipherloom/tune';
import {
  counting,
  DEVICE,
  explorer,
  generated,
  handWritten,
  key,
  library,
  newExplorerKeys,
  predicting,
  serve,
  skip,
  words,
} from './tune.mjs';

const CODE = 'c0'.repeat(32);
/** What was measured in K-T1: two calls of the library, schedules of two techniques, one by hand. */
const CALLS = [library(5, 'first'), library(6, 'second')];
const SCHEDULES = [generated(3, 's1'), generated(4, 's2')];
const BY_HAND = [handWritten(3.5, CODE)];
const FOUND = {
  all: bestOfEach([...CALLS, ...SCHEDULES, ...BY_HAND]),
  not_generated: bestOfEach([...CALLS, ...BY_HAND]),
  only_generated: bestOfEach(SCHEDULES),
  none: bestOfEach([]),
};
const RELATED = predicting({ o: ['r1', 'r2', 'r3'] });

const keys = await newExplorerKeys();
const explorers = [keys.publicKey];
const find = ({ operator }) => FOUND[operator.slice(5)] ?? { library: library(1) };

async function clientOf(t, url, more = {}) {
  const client = await tuneClient({ url, device: DEVICE, explorers, predictor: predicting({}), ...more });
  t.after(() => client.close());
  return client;
}

/** Makes the service know some operators, as it always does: by a miss and an exploration. */
async function teach(t, service, some) {
  const found = explorer(t, service.url, keys, find);
  await found.until('registered');
  const client = await clientOf(t, service.url);
  for (const word of some) await client.query(key(word));
  await found.until('brought', some.length);
  await found.end();
}

/** A record as the service would give it, for a cache. */
async function recordOf(word) {
  const unsigned = { key: key(word), best: find(key(word)), at: 1, version: 'test', explorer: keys.publicKey };
  return signRecord(unsigned, keys);
}

async function cacheOf(...some) {
  const cache = memoryCache();
  for (const word of some) await cache.put(new Map([[keyText(key(word)), await recordOf(word)]]), 100);
  return cache;
}

const cached = async (cache) => words((await cache.load(DEVICE, 100)).map(([, record]) => record.key));

test('K-T1: the fastest of three kinds, all of which are kept', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  await teach(t, service, Object.keys(FOUND));
  const client = await clientOf(t, service.url);
  const all = await client.query(key('all'));
  assert.deepEqual(fastest(all.best), generated(3, 's1'));
  assert.deepEqual(
    Object.values(all.best).map(({ time }) => time),
    [5, 3.5, 3],
  );
  assert.equal(fastest((await client.query(key('not_generated'))).best).kind, 'hand-written');
  assert.equal(fastest((await client.query(key('not_generated'))).best).time, 3.5);
  assert.equal(fastest((await client.query(key('only_generated'))).best).kind, 'generated');
  // All kinds fail: nothing is answered, and it is seen.
  assert.equal(await client.query(key('none')), undefined);
  const { state, failure, explorations } = await service.operator(key('none'));
  assert.deepEqual([state, explorations], ['failed', 1]);
  assert.match(failure, /at least one/);
  assert.equal((await service.statistics()).failures, 1);
});

test('K-T2: cold and warm, on two devices, and ten queries while it waits', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const one = await clientOf(t, service.url);
  assert.equal(await one.query(key('o')), undefined);
  assert.equal((await service.operator(key('o'))).state, 'collected');
  assert.equal((await service.statistics()).explorations, 0);
  for (let go = 0; go < 10; go++) assert.equal(await one.query(key('o')), undefined);
  assert.deepEqual((await service.statistics()).queue, { collected: 1, queued: 0, leased: 0 });

  // It is asked for while it is explored, too.
  let asked;
  const found = explorer(t, service.url, keys, async () => {
    asked = await one.query(key('o'));
    assert.equal((await service.operator(key('o'))).state, 'leased');
    return { library: library(1) };
  });
  await found.until('brought');
  assert.equal(asked, undefined);
  const other = await clientOf(t, service.url);
  assert.equal(fastest((await other.query(key('o'))).best).time, 1);
  const { explorations, state } = await service.operator(key('o'));
  assert.deepEqual([explorations, state], [1, 'known']);
  // Never again: a miss of something else wakes the explorer, and is all it gets.
  await other.query(key('p'));
  assert.deepEqual(
    (await found.until('task', 2)).map(({ operators }) => words(operators)),
    [['o'], ['p']],
  );
});

test('K-T3: dropped without resources; packed, high priority first; never what is known', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const client = await clientOf(t, service.url);
  await client.query(key('o'));
  assert.deepEqual(await service.sort(), { high: 0, low: 0, dropped: 1 });
  assert.equal((await service.operator(key('o'))).state, 'none');
  await client.query(key('o'));
  assert.equal((await service.operator(key('o'))).state, 'collected');
  assert.equal((await service.statistics()).explorations, 0);
  await service.sort();

  // p and q are missed three times, r once.
  const times = { r: 1, p: 3, q: 3 };
  for (const [word, count] of Object.entries(times)) for (let go = 0; go < count; go++) await client.query(key(word));
  const found = explorer(t, service.url, keys, find, { room: 2 });
  const tasks = await found.until('task', 2);
  assert.deepEqual(
    tasks.map(({ operators }) => words(operators)),
    [['p', 'q'], ['r']],
  );
  await found.until('brought', 3);
  for (let go = 0; go < 5; go++) for (const word of ['p', 'q', 'r']) assert.ok(await client.query(key(word)));
  const { queue, explorations } = await service.statistics();
  assert.deepEqual([queue, explorations], [{ collected: 0, queued: 0, leased: 0 }, 3]);
});

test('K-T4: a hit is answered first, then one request for what is not cached', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  await teach(t, service, ['r2']);
  const cache = await cacheOf('o', 'r1');
  const requests = [];
  const client = await clientOf(t, service.url, { cache, predictor: RELATED, fetch: counting(requests) });
  const answer = await client.query(key('o'));
  assert.equal(requests.length, 0);
  assert.deepEqual(answer, await recordOf('o'));
  await client.settled();
  assert.deepEqual(requests, [['r2', 'r3']]);
  assert.deepEqual(await cached(cache), ['o', 'r1', 'r2']);
  assert.equal((await service.operator(key('r3'))).state, 'collected');
});

test('K-T5: a miss that is answered takes one request', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  await teach(t, service, ['o', 'r2']);
  const cache = await cacheOf('r1');
  const requests = [];
  const client = await clientOf(t, service.url, { cache, predictor: RELATED, fetch: counting(requests) });
  assert.equal(fastest((await client.query(key('o'))).best).time, 1);
  await client.settled();
  assert.deepEqual(requests, [['o', 'r2', 'r3']]);
  assert.deepEqual(await cached(cache), ['o', 'r1', 'r2']);
});

test('K-T6: a miss that is not answered leaves nothing behind', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const cache = await cacheOf();
  const requests = [];
  const client = await clientOf(t, service.url, { cache, predictor: RELATED, fetch: counting(requests) });
  assert.equal(await client.query(key('o')), undefined);
  assert.deepEqual(requests, [['o', 'r1', 'r2', 'r3']]);
  assert.deepEqual(await cached(cache), []);
  for (const word of ['o', 'r1', 'r2', 'r3']) assert.equal((await service.operator(key(word))).state, 'collected');
  const found = explorer(t, service.url, keys, find);
  await found.until('brought', 4);
  assert.equal(fastest((await client.query(key('o'))).best).time, 1);
});

test('K-T7: everything is cached', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const cache = await cacheOf('o', 'r1', 'r2', 'r3');
  const requests = [];
  const client = await clientOf(t, service.url, { cache, predictor: RELATED, fetch: counting(requests) });
  assert.deepEqual(await client.query(key('o')), await recordOf('o'));
  await client.settled();
  assert.deepEqual(requests, []);
});

test('K-T8: hit rate and reuse of each operator, and the kinds beside each other', { skip }, async (t) => {
  const service = await serve(t, { explorers });
  const hits = [];
  const client = await clientOf(t, service.url, {
    onHit: ({ key: { operator }, from }) => hits.push([operator, from]),
  });
  assert.equal(await client.query(key('o')), undefined);
  const found = explorer(t, service.url, keys, () => ({
    library: { ...library(2), searched: 10 },
    generated: { ...generated(1), searched: 30 },
  }));
  await found.until('brought');
  await found.end();
  assert.ok(await client.query(key('o')));
  assert.equal(await client.query(key('p')), undefined);
  assert.deepEqual(hits, [['test.o', 'service']]);
  const [o, p] = [await service.operator(key('o')), await service.operator(key('p'))];
  assert.deepEqual([o.hits, o.queries, o.hitRate, o.reuse], [1, 2, 1 / 2, 1]);
  assert.deepEqual([p.hits, p.queries, p.hitRate, p.reuse], [0, 1, 0, 0]);

  // Another two tasks: one more of this client, whose cache answers, as the service hears with its next request; and another client's.
  client.newTask();
  assert.ok(await client.query(key('o')));
  await client.query(key('q'));
  const other = await clientOf(t, service.url);
  assert.ok(await other.query(key('o')));
  const again = await service.operator(key('o'));
  assert.deepEqual([again.hits, again.queries, again.reuse], [3, 4, 3]);
  assert.deepEqual(hits.slice(1), [['test.o', 'cache']]);

  const { kinds, hitRate } = await service.statistics();
  assert.equal(hitRate, 3 / 6);
  const of = (kind) => kinds.find((one) => one.kind === kind);
  assert.deepEqual(
    [of('library').operators, of('library').best, of('library').hits, of('library').searched],
    [1, 0, 0, 10],
  );
  assert.deepEqual(
    [of('generated').operators, of('generated').best, of('generated').hits, of('generated').searched],
    [1, 1, 3, 30],
  );
  assert.ok(of('generated').waited >= 0);
  assert.equal(of('hand-written').operators, 0);
  const list = await service.call('GET', '/v1/statistics/operators?order=hits&limit=2');
  assert.deepEqual([list.length, words([list[0].key])], [2, ['o']]);
});
