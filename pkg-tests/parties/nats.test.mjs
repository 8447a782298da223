// Three parties, each a process, that meet over NATS: sealed, with a server that is restarted or gone, parties that die and come back, and others than who they say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { load } from 'cipherloom';
import { createNatsStream, introduce, newRun, overNats } from 'cipherloom/parties';
import { temporaryFolder } from '../lib/own.mjs';
import { dataOf, PARTIES } from './graph.mjs';
import { skip, startNats } from './nats.mjs';
import { Processes } from './processes.mjs';

function check(results, seed = 1) {
  const { sums } = dataOf(seed);
  for (const party of PARTIES) {
    const { outputs, error, ended } = results[party];
    assert.ok(outputs, `${party}: ${JSON.stringify(error ?? ended)}`);
    assert.deepEqual(Object.keys(outputs), [`${party}: sum`]);
    assert.ok(Buffer.from(outputs[`${party}: sum`].buffer).equals(Buffer.from(sums.buffer)), `${party}: another sum`);
  }
}

async function heard(transport, count) {
  const all = [];
  await new Promise((resolve) => {
    const stop = transport.listen((from, bytes) => {
      all.push([from, [...bytes]]);
      if (all.length < count) return;
      stop();
      resolve();
    });
  });
  return all;
}

test('without the libraries, what to install is said', () => {
  const copy = temporaryFolder();
  const from = dirname(fileURLToPath(import.meta.resolve('cipherloom/package.json')));
  for (const name of ['dist', 'package.json']) cpSync(join(from, name), join(copy, name), { recursive: true });
  const code = `
    import { newRun, overNats } from '${pathToFileURL(join(copy, 'dist', 'parties', 'index.js'))}';
    const error = await overNats({ servers: 'localhost', run: newRun(), party: 'north' }).catch((error) => error);
    console.log(error.code, error.details.reason, error.message);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: copy,
    encoding: 'utf8',
  });
  assert.match(stdout, /^party\.transport library .*npm install @nats-io\/transport-node/);
});

describe('over NATS', { skip, timeout: 600_000 }, () => {
  let loom;
  let server;
  before(async () => {
    loom = await load({ mode: 'single', threads: 1 });
    server = await startNats(PARTIES);
  });
  after(async () => {
    loom?.dispose();
    await server?.stop();
  });
  const open = (party, run, more = {}) => overNats({ ...server.of(party), run, party, ...more });
  const codeOf = (promise) =>
    promise.then(
      () => 'no error',
      ({ code, details }) => `${code} ${details?.reason}`,
    );

  test('three processes compute together, sealed or not', async () => {
    for (const ends of [true, false]) {
      const all = await Processes.of(loom, { of: server.of, ends });
      PARTIES.forEach((party) => all.start(party));
      const results = await all.results();
      check(results);
      for (const { refused } of Object.values(results)) assert.deepEqual(refused, []);
    }
  });

  test('a party that comes later has what was pushed before, also by one who has left, and after a restart', async () => {
    const run = newRun();
    const north = await open('north', run);
    for (const value of [1, 2, 3]) await north.send('south', Uint8Array.of(value));
    north.close();
    await server.stop('SIGKILL');
    await server.start();
    const south = await open('south', run);
    assert.deepEqual(
      await heard(south, 3),
      [1, 2, 3].map((value) => ['north', [value]]),
    );
    south.close();
  });

  test('a server that is restarted in the middle loses nothing and changes no order', async () => {
    const run = newRun();
    const [north, south] = [await open('north', run), await open('south', run)];
    const COUNT = 300;
    const found = heard(south, COUNT);
    let restarts = 0;
    for (let value = 0; value < COUNT; value++) {
      if (value % 100 === 50) {
        const stopped = server.stop(restarts++ % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        const sent = north.send('south', Uint8Array.of(value & 255, value >> 8));
        await stopped;
        await server.start();
        await sent;
      } else await north.send('south', Uint8Array.of(value & 255, value >> 8));
    }
    const values = (await found).map(([, [low, high]]) => low + 256 * high);
    assert.deepEqual(
      values,
      Array.from({ length: COUNT }, (_, value) => value),
    );
    north.close();
    south.close();
  });

  test(
    'a server that is restarted as parties begin to hear, or have just said something, loses nothing',
    { timeout: 120_000 },
    async (t) => {
      const COUNT = 20;
      // Again and again on one stream, which has what was said in the runs before.
      for (const signal of ['SIGKILL', 'SIGTERM'])
        for (const point of ['before anybody listens', 'as they begin to listen', 'after a first message']) {
          const run = newRun();
          const [north, south] = [await open('north', run), await open('south', run)];
          t.after(() => [north, south].forEach((transport) => transport.close()));
          if (point === 'before anybody listens') await server.stop(signal);
          const found = [heard(north, COUNT), heard(south, COUNT)];
          const said = [north.send('south', Uint8Array.of(0)), south.send('north', Uint8Array.of(0))];
          if (point === 'after a first message') await Promise.race(said);
          await server.stop(signal);
          await server.start();
          for (let value = 1; value < COUNT; value++)
            said.push(north.send('south', Uint8Array.of(value)), south.send('north', Uint8Array.of(value)));
          await Promise.all(said);
          const expected = (from) => Array.from({ length: COUNT }, (_, value) => [from, [value]]);
          assert.deepEqual(await Promise.all(found), [expected('south'), expected('north')], `${signal} ${point}`);
        }
    },
  );

  test('three processes compute together while their server is restarted', async () => {
    const all = await Processes.of(loom, { of: server.of, seed: 2 });
    PARTIES.forEach((party) => all.start(party));
    // Who comes while there is no server is told so, and has not begun.
    for (const party of PARTIES) await all.sent(party, 1);
    for (const [count, signal] of [
      [3, 'SIGKILL'],
      [6, 'SIGTERM'],
    ]) {
      await all.sent('south', count);
      await server.stop(signal);
      await server.start();
    }
    check(await all.results(), 2);
  });

  test('a party that is killed comes back', async () => {
    for (const [party, count] of [
      ['south', 2],
      ['west', 5],
      ['north', 8],
    ]) {
      const all = await Processes.of(loom, { of: server.of, seed: 3 });
      PARTIES.forEach((party) => all.start(party));
      await all.sent(party, count);
      await all.kill(party);
      all.start(party);
      check(await all.results(), 3);
    }
  });

  test('who is not known, has another password, or is somebody else is refused', async () => {
    const run = newRun();
    assert.equal(await codeOf(open('north', run, { pass: 'wrong' })), 'party.transport credentials');
    assert.equal(await codeOf(open('north', run, { user: 'nobody' })), 'party.transport credentials');
    // South's user cannot be north: neither hear what is north's, nor speak as north.
    assert.equal(await codeOf(open('north', run, server.of('south'))), 'party.transport permissions');
    const south = await open('south', run);
    await asSouth(async (connection) => {
      const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
      const publish = jetstream(connection).publish(`cipherloom.${run}.west.north`, Uint8Array.of(1));
      await assert.rejects(publish, /Permissions Violation/);
      // Nor have the server speak as north for it, or hear what is north's.
      const { consumers } = await jetstreamManager(connection, { checkAPI: false });
      const consumer = (filter, more) =>
        consumers.add('cipherloom', { name: 'own', ack_policy: 'none', filter_subject: filter, ...more });
      await assert.rejects(
        consumer(`cipherloom.${run}.south.*`, { deliver_subject: `cipherloom.${run}.west.north` }),
        /cycle/,
      );
      await assert.rejects(consumer(`cipherloom.${run}.north.*`), /Permissions Violation/);
      await assert.rejects(consumer(`cipherloom.${run}.*.south`), /Permissions Violation/);
    });
    await south.send('north', Uint8Array.of(1));
    south.close();
    const error = await open('north', run, { pass: 'wrong' }).catch((error) => error);
    assert.ok(!JSON.stringify([error.message, error.details]).includes('wrong'));
  });

  /** What south's user tries by the library itself. */
  async function asSouth(tries) {
    const { connect } = await import('@nats-io/transport-node');
    const { tls: _, ...options } = server.of('south');
    const connection = await connect({ ...options, inboxPrefix: '_INBOX_south' });
    try {
      await tries(connection);
    } finally {
      await connection.close();
    }
  }

  test('a server that is gone, or was never there, or has no stream, is told of', async () => {
    const own = await startNats(['north', 'south']);
    const run = newRun();
    const north = await overNats({ ...own.of('north'), run, party: 'north', patience: 5000 });
    await own.stop();
    assert.equal(await codeOf(north.send('south', Uint8Array.of(1))), 'party.transport unreachable');
    north.close();
    const never = overNats({ ...own.of('north'), run, party: 'north', patience: 1500 });
    assert.equal(await codeOf(never), 'party.transport unreachable');
    // A cut's run ends by it.
    const all = await Processes.of(loom, { of: (party) => ({ ...own.of('north'), user: party, patience: 1500 }) });
    const result = await all.start('south');
    assert.deepEqual([result.error.code, result.error.reason], ['party.transport', 'unreachable']);
  });

  test('a party that only waits hears that its server is gone for good', { timeout: 60_000 }, async (t) => {
    const own = await startNats(['north', 'south']);
    const run = newRun();
    const north = await overNats({ ...own.of('north'), run, party: 'north', patience: 1500 });
    const south = await overNats({ ...own.of('south'), run, party: 'south', patience: 1500 });
    t.after(() => [north, south].forEach((transport) => transport.close()));
    const lost = () => codeOf(new Promise((_, reject) => north.listen(() => {}, reject)));
    const waits = lost();
    const introduced = codeOf(
      introduce({ transport: south, meeting: run, party: 'south', parties: ['north', 'south'] }),
    );
    // All that is to be said was.
    await heard(north, 1);
    await own.stop();
    assert.equal(await waits, 'party.transport unreachable');
    assert.match(await introduced, /^party\.transport/);
    // Also who asks after that.
    assert.equal(await lost(), 'party.transport unreachable');
    assert.equal(await codeOf(north.send('south', Uint8Array.of(1))), 'party.transport unreachable');
  });

  test('a run that only waits ends when its server is gone for good', { timeout: 60_000 }, async () => {
    for (const ends of [false, true]) {
      const own = await startNats(PARTIES);
      const all = await Processes.of(loom, { of: (party) => ({ ...own.of(party), patience: 1500 }), ends });
      const result = all.start('south');
      await all.sent('south', 2);
      await own.stop();
      const { error } = await result;
      assert.deepEqual([error?.code, error?.reason], ['party.transport', 'unreachable']);
    }
  });

  test('TLS, with a certificate that the party trusts, and no other', async () => {
    const own = await startNats(['north', 'south', 'west'], { tls: true });
    const all = await Processes.of(loom, { of: own.of });
    PARTIES.forEach((party) => all.start(party));
    check(await all.results());
    const run = newRun();
    const options = { ...own.of('north'), run, party: 'north', patience: 3000 };
    assert.equal(await codeOf(overNats({ ...options, tls: undefined, patience: 60_000 })), 'party.transport tls');
    // Where TLS is not asked for, the server asks.
    (await overNats({ ...options, patience: 60_000 })).close();
    // A server without TLS is none that is asked for it.
    const plain = await open('north', run, { tls: undefined, patience: 3000 }).catch((error) => error);
    assert.equal(`${plain.code} ${plain.details?.reason}`, 'party.transport tls');
    assert.match(plain.message, /option tls: false/);
    assert.equal(
      await codeOf(overNats({ ...options, servers: 'ws://127.0.0.1:1', tls: undefined })),
      'party.transport tls',
    );
    await own.stop();
  });

  test('what is asked for wrongly is said', async () => {
    const run = newRun();
    for (const [options, code] of [
      [{ servers: [] }, 'input.type undefined'],
      [{ servers: 'nats://me:secret@host:1' }, 'input.option undefined'],
      [{ servers: ['wss://a', 'nats://b'] }, 'input.option undefined'],
      [{ run: 'today' }, 'input.type undefined'],
      [{ party: '' }, 'input.type undefined'],
    ])
      assert.equal(await codeOf(overNats({ ...server.of('north'), run, party: 'north', ...options })), code);
    assert.equal(await codeOf(createNatsStream(server.of('north'))), 'party.transport permissions');
  });
});
