// A key in a client worker, and the bytes of it that are held so that it can come back.
import { expect, it } from 'vitest';
import type { ClientWorkers, Place } from '../src/worker/client-workers.js';
import type { Connection } from '../src/worker/connection.js';
import { Key } from '../src/worker/key.js';
import type { ClientMethods } from '../src/worker/protocol.js';

it('holds its latest bytes alone: those before are overwritten, and all when it is freed', async () => {
  const connection = {} as Connection<ClientMethods>;
  const place: Place = { connection, gone: false, leave: () => {} };
  const workers = { place: async () => place } as unknown as ClientWorkers;
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
  const { signal } = new AbortController();
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
