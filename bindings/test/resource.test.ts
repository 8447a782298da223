// Waiting that ends with a signal.
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { abortable, Resource } from '../src/resource.js';

const unhandled = vi.fn();
afterEach(() => {
  process.off('unhandledRejection', unhandled);
  unhandled.mockClear();
});

test("what fails after its signal has ended is nobody's affair", async () => {
  process.on('unhandledRejection', unhandled);
  const before = abortable(Promise.reject(new Error('late')), AbortSignal.abort('before'));
  await expect(before).rejects.toBe('before');
  const during = new AbortController();
  let fail = (_: Error): void => {};
  const waiting = abortable(new Promise((_, reject) => (fail = reject)), during.signal);
  during.abort('during');
  await expect(waiting).rejects.toBe('during');
  fail(new Error('late'));
  // Node tells of rejections between two turns of its loop.
  await setImmediate();
  await setImmediate();
  expect(unhandled).not.toHaveBeenCalled();
});

test('what comes in time is had, and nobody listens any longer', async () => {
  const { signal } = new AbortController();
  const [listens, leaves] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  await setImmediate();
  expect([listens.mock.calls.length, leaves.mock.calls.length]).toEqual([2, 2]);
});

class Thing extends Resource {
  constructor() {
    super('thing', () => {});
  }

  /** Waits for the end of a call; gives why it ended. */
  call(other?: AbortSignal): Promise<unknown> {
    return this.during(other, (signal) => abortable(new Promise(() => {}), signal));
  }

  quick(other?: AbortSignal): Promise<boolean> {
    return this.during(other, async (signal) => signal.aborted);
  }
}

test('calls end with their signal or with what they are of', async () => {
  const thing = new Thing();
  const [stop, others] = [new AbortController(), new AbortController()];
  const calls = [stop.signal, stop.signal, others.signal, undefined].map((signal) => thing.call(signal));
  stop.abort('stopped');
  for (const call of calls.slice(0, 2)) await expect(call).rejects.toBe('stopped');
  expect([await thing.quick(stop.signal), await thing.quick(others.signal)]).toEqual([true, false]);
  thing.dispose();
  others.abort('late');
  for (const call of calls.slice(2)) await expect(call).rejects.toMatchObject({ code: 'disposed' });
  await expect(thing.quick()).rejects.toMatchObject({ code: 'disposed' });
});

test('calls at the same time listen once to their signal', async () => {
  const thing = new Thing();
  const { signal } = new AbortController();
  const listens = vi.spyOn(signal, 'addEventListener');
  await Promise.all(Array.from({ length: 20 }, () => thing.quick(signal)));
  expect(listens).toHaveBeenCalledTimes(1);
});
