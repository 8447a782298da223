// A key in a client worker, and the bytes of it that are held so that it can come back.
import { expect, it } from 'vitest';
import type { ClientWorkers, Place } from '../src/worker/client-workers.js';
import type { Connection } from '../src/worker/connection.js';
import { Key } from '../src/worker/key.js';
import type { ClientMethods } from '../src/worker/protocol.js';

const connection = {} as Connection<ClientMethods>;
const place: Place = { connection, gone: false, leave: () => {} };
const workers = { place: async () => place } as unknown as ClientWorkers;
const { signal } = new AbortController();

it('holds its latest bytes alone: those before are overwritten, and all when it is freed', async () => {
  const given: Uint8Array[] = [];
  const lodger = {
    name: 'party',
    make: async () => 1,
    save: async () => {
      given.push(Uint8Array.of(given.length + 1));
      return given.at(-1) as Uint8Array;
    },
    free: () => {},
  };
  const key = await Key.make(workers, {}, lodger, undefined, signal);
  // Nothing is to come back that was never saved.
  await key.keep(connection, 1);
  expect(given).toEqual([]);
  const saved = await key.save(signal);
  await key.keep(connection, 1);
  await key.keep(connection, 1);
  // The first ones are the caller's.
  expect([saved, ...given].map(([byte]) => byte)).toEqual([1, 1, 0, 3]);
  key.free();
  expect(given.map(([byte]) => byte)).toEqual([1, 0, 0]);
});

it('leaves no copy of what it is made of, and none of what comes when nobody waits for it', async () => {
  const made: (Uint8Array | undefined)[] = [];
  const answers: ((bytes: Uint8Array) => void)[] = [];
  const lodger = {
    name: 'party',
    make: async (_: unknown, saved: Uint8Array | undefined) => {
      made.push(saved);
      expect(saved).toEqual(Uint8Array.of(7));
      return 1;
    },
    save: () => new Promise<Uint8Array>((resolve) => answers.push(resolve)),
    free: () => {},
  };
  const key = await Key.make(workers, {}, lodger, Uint8Array.of(7), signal);
  expect(made).toEqual([Uint8Array.of(0)]);
  const answer = async (): Promise<Uint8Array> => {
    const bytes = Uint8Array.of(8);
    answers.shift()?.(bytes);
    await new Promise((resolve) => setTimeout(resolve, 0));
    return bytes;
  };
  for (const call of [
    (signal: AbortSignal) => key.save(signal),
    (signal: AbortSignal) => key.export('a passphrase', signal),
  ]) {
    const ended = new AbortController();
    const saved = call(ended.signal).catch((error: Error) => error.message);
    await new Promise((resolve) => setTimeout(resolve, 0));
    ended.abort(new Error('enough'));
    expect(await saved).toBe('enough');
    expect(await answer()).toEqual(Uint8Array.of(0));
  }
});

it('holds nothing once it is freed, also of what was on its way', async () => {
  const place: Place = { connection, gone: false, leave: () => {} };
  const workers = { place: async () => place } as unknown as ClientWorkers;
  let answer = (_: Uint8Array): void => {};
  const save = (): Promise<Uint8Array> => new Promise((resolve) => (answer = resolve));
  const lodger = { name: 'party', make: async () => 1, save, free: () => {} };
  const key = await Key.make(workers, {}, lodger, undefined, signal);
  const saved = key.save(signal);
  await new Promise((resolve) => setTimeout(resolve, 0));
  key.free();
  answer(Uint8Array.of(9));
  expect(await saved).toEqual(Uint8Array.of(9));
  // Nothing that it could be made of again.
  Object.assign(place, { gone: true });
  await expect(key.find()).rejects.toMatchObject({ code: 'worker.key_lost' });
});
