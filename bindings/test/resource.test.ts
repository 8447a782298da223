// Waiting that ends with a signal.
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { abortable } from '../src/resource.js';

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
