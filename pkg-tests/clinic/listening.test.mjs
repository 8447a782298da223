// Streams of events and who listens: who leaves before they are heard, who does not read, who has heard enough.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { sendEvents, Streams } from '../../examples/clinic/service/events.mjs';
import { until } from '../cluster/workers.mjs';
import { patient, serviceHere, skip } from './clinic.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

test('who leaves before the service knows who they are is not counted', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', CLINIC_STREAMS: '2' } });
  const { client, asked } = await patient(service, loom);
  const { id } = await client.ask(asked);
  const { hostname, port } = new URL(service.url);
  const { users } = service;
  const { of } = users;
  for (let at = 0; at < 4; at++) {
    const socket = connect(Number(port), hostname);
    // It is gone while the database is asked.
    const looked = new Promise((resolve) => {
      users.of = async (token) => {
        const [, response] = await served;
        const closed = once(response, 'close');
        socket.resetAndDestroy();
        await closed;
        users.of = of;
        setImmediate(resolve);
        return of.call(users, token);
      };
    });
    const served = once(service.app.server, 'request');
    socket.write(`GET /v1/questions/${id}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.token}\r\n\r\n`);
    await looked;
  }
  for await (const { state } of client.events(id)) {
    assert.equal(state, 'queued');
    break;
  }
});

test('a client that has heard enough leaves the stream', { skip }, async (t) => {
  const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0', CLINIC_STREAMS: '1' } });
  const { client, asked } = await patient(service, loom);
  const { id } = await client.ask(asked);
  let open = 0;
  service.app.server.on('request', (_request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
  });
  for (let at = 0; at < 3; at++) {
    for await (const { state } of client.events(id)) {
      assert.deepEqual([state, open], ['queued', 1]);
      break;
    }
    await until(() => open === 0, 'the service knows');
  }
});

test('of states that nobody reads few are kept, and the last one is heard', async () => {
  const changes = new EventEmitter();
  let state = { id: 'one', state: 'running', done: 0 };
  const raw = Object.assign(new PassThrough({ highWaterMark: 1000 }), { writeHead() {} });
  const questions = { changes, get: async () => state };
  const parts = { questions, users: { isIn: async () => true }, streams: new Streams(1) };
  await sendEvents({ raw, hijack() {} }, parts, { id: 'somebody' }, 'one');
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (let done = 1; done < 500; done++) {
    state = { ...state, done };
    changes.emit('one');
    await settled();
  }
  assert.ok(raw.writableLength + raw.readableLength < 5000, `${raw.writableLength} and ${raw.readableLength} bytes`);
  state = { ...state, state: 'done' };
  const text = String(Buffer.concat(await raw.toArray()));
  assert.match(text, /"state":"done","done":499\}\n\n$/);
  assert.equal(changes.listenerCount('one'), 0);
});
