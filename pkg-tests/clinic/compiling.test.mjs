// Compiling for many: one piece at a time, one of each user, and nobody is failed by how long others take.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTask, load } from 'cipherloom';
import { Desk } from '../../examples/clinic/service/desk.mjs';
import { OnDemand } from '../../examples/clinic/service/evaluator.mjs';
import { joinAs, ownTask, refused, skip, startService } from './clinic.mjs';
import { until } from '../cluster/workers.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

test('each user has one piece in the row, and time counts from when it is begun', async () => {
  let stopped = 0;
  const desk = new Desk(200, async () => ({ stop: () => stopped++ }));
  const said = [];
  const slow = (name) => async (_evaluator, signal) => {
    said.push(name);
    assert.equal(signal.aborted, false);
    // A signal's timer alone keeps no process.
    const awake = setInterval(() => {}, 1000);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    clearInterval(awake);
    throw signal.reason;
  };
  const fast = (name) => async (_evaluator, signal) => {
    said.push(name);
    assert.equal(signal.aborted, false);
    return name;
  };
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id }));
  const late = [desk.take(a, slow('a1')), desk.take(a, slow('a2')), desk.take(b, slow('b1'))];
  const done = [desk.take(c, fast('c1')), desk.take(b, fast('b2'))];
  assert.deepEqual(
    [a, b, c, { id: 'd' }].map((user) => desk.has(user)),
    [true, true, true, false],
  );
  for (const each of late) await assert.rejects(each, { name: 'TimeoutError' });
  assert.deepEqual(await Promise.all(done), ['c1', 'b2']);
  assert.deepEqual(said, ['a1', 'b1', 'c1', 'a2', 'b2']);
  // Whoever may still be at it is ended.
  assert.equal(stopped, 3);
  await until(() => ![a, b, c].some((user) => desk.has(user)), 'nobody waits');
});

test('who could not start an evaluator forgets none that was started since', async () => {
  const starts = [];
  const one = new OnDemand(() => new Promise((resolve, reject) => starts.push({ resolve, reject })));
  const [first, ended, second] = [one.get(), one.end(), one.get()];
  starts[1].resolve({ stop() {} });
  starts[0].reject(new Error('no memory'));
  await assert.rejects(first, /no memory/);
  await ended;
  assert.equal(await one.get(), await second);
  assert.equal(starts.length, 2);
});

test('a task that takes too long is its own user’s affair', { skip }, async () => {
  const service = await startService({ env: { CLINIC_COMPILE_MS: '4000' } });
  const someone = await joinAs(service, loom, 'someone', 'client');
  const other = await joinAs(service, loom, 'other', 'client');
  const task = createTask();
  const value = task.encrypted('value', { shape: [1000], min: 0, max: 1000 });
  let sum = value.greaterThan(1);
  for (let at = 2; at < 300; at++) sum = sum.add(value.greaterThan(at));
  task.output('sum', sum.sum());
  const own = await loom.compile(ownTask());
  // One of the two is there first.
  const ends = [];
  const asked = [0, 1].map(() =>
    someone.call('POST', '/programs/compile', { name: 'long', task: task.literal() }).then(
      () => ends.push('compiled'),
      ({ status, code }) => ends.push(`${status} ${code}`),
    ),
  );
  await Promise.race(asked);
  assert.deepEqual(ends, ['429 program.busy']);
  // Opening does not wait for it, compiling does, and is not failed by it.
  await other.publish('opened', own);
  assert.deepEqual(ends, ['429 program.busy']);
  await other.compileThere('compiled', ownTask());
  await Promise.all(asked);
  assert.deepEqual(ends, ['429 program.busy', '422 program.slow']);
});
