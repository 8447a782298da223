// The client alone, before a service that is made up: how it waits, what it sends of what is given in the clear, and how it reads lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClinicClient } from '../../examples/clinic/client.mjs';
import { refused } from './clinic.mjs';

const PROGRAM = '00000000-0000-4000-8000-000000000001';

/** A client whose requests are answered by a function of method, address and body. */
function clientOf(answer) {
  const fetch = async (url, { method, body }) => answer(method, `${url.pathname}${url.search}`, body);
  return new ClinicClient('http://service', undefined, { fetch });
}

const json = (value, init) => new Response(JSON.stringify(value), init);

/** A stream of events that says some states, and breaks `after` so many milliseconds. */
function stream(states, after = 0) {
  const text = states.map((state) => `event: state\ndata: ${JSON.stringify({ state })}\n\n`).join('');
  let timer;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      timer = setTimeout(() => controller.close(), after);
    },
    cancel: () => clearTimeout(timer),
  });
  return new Response(body);
}

test('patience begins when the service is away, whenever that is, also behind a proxy', async () => {
  const gone = () => Promise.reject(new TypeError('fetch failed'));
  // A question that waits for longer than patience lasts, then restarts with a proxy before it.
  const bad = [502, 503, 504].map((status) => () => new Response('<html>Bad Gateway</html>', { status }));
  const answers = [() => stream(['queued'], 700), gone, ...bad, () => stream(['running', 'done'])];
  const client = clientOf(() => answers.shift()());
  const seen = [];
  const watch = { patienceMs: 1500, onState: ({ state }) => seen.push(state) };
  await client.wait('x', watch);
  assert.deepEqual(seen, ['queued', 'running', 'done']);
  // Each restart has patience of its own.
  const again = Array.from({ length: 4 }, () => [() => stream(['running']), gone, gone]).flat();
  const restarted = [...again, () => stream(['done'])];
  await clientOf(() => restarted.shift()()).wait('x', { patienceMs: 1500 });
  // And ends.
  await assert.rejects(clientOf(gone).wait('x', { patienceMs: 300 }), { code: 'service.away' });
  const refusing = clientOf(() => json({ error: { code: 'not.found', message: 'none' } }, { status: 404 }));
  await assert.rejects(refusing.wait('x'), refused(404, 'not.found'));
});

test('what is given in the clear arrives as it was meant, or does not leave', async () => {
  let sent;
  const inputs = [
    { name: 'flat', shape: [3] },
    { name: 'table', shape: [2, 3] },
  ];
  const client = clientOf((method, path, body) => {
    if (method === 'GET') return json({ id: PROGRAM, info: { inputs } });
    sent = JSON.parse(body).given;
    return json({});
  });
  const ask = (plain) => client.ask({ program: PROGRAM, records: [], given: { plain } });
  await ask({ flat: Float64Array.of(1, 2, 3), table: Int8Array.of(1, 2, 3, 4, 5, 6), one: 7 });
  assert.deepEqual(sent, {
    plain: {
      flat: [1, 2, 3],
      table: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      one: 7,
    },
  });
  await ask({ flat: [1, NaN, undefined], day: new Date('2024-02-29'), yes: [true] });
  // As cipherloom has it, where nothing is between.
  assert.deepEqual(sent.plain, { flat: [1, null, null], day: '2024-02-29', yes: [true] });
  sent = undefined;
  for (const cells of [[1, Infinity], [[-Infinity]], [3n], BigInt64Array.of(1n), Infinity, 1n, [{}], new Map([[0, 1]])])
    await assert.rejects(ask({ flat: cells }), refused(undefined, 'input.kind'));
  await assert.rejects(ask({ flat: [1, 2, Infinity] }), ({ message, details }) => {
    assert.match(message, /Input "flat", cell 2 .*found an infinite number/);
    return details.cell === 2;
  });
  assert.equal(sent, undefined);
});

test('a list is all of its pages', async () => {
  const pages = [['a', 'b'], ['c'], ['d']];
  const client = clientOf((_method, path) => {
    const at = Number(new URL(path, 'http://service').searchParams.get('after') ?? 0);
    const next = at + 1 < pages.length ? `<?holder=me&after=${at + 1}>; rel="next"` : undefined;
    assert.ok(path.startsWith('/v1/keys?holder=me'), path);
    return json(pages[at], next && { headers: { link: next } });
  });
  assert.deepEqual(await client.call('GET', '/keys?holder=me'), ['a', 'b', 'c', 'd']);
});
