/** Times of a device on the page's side: when they are measured, of what, and where they stay. What a worker measures is another matter: here it is told. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderStore, memoryStore } from '../src/gpu/stores.js';
import { DeviceTimes, type KnownTimes, readTimes, type WithWorker } from '../src/gpu/times.js';
import type { RawTimes, RawUse } from '../src/raw.js';
import type { TimesStore } from '../src/types.js';

const use = (op: string, work = 1): RawUse => ({ op, attributes: '{}', inputs: [], work, shader: true });
const line = { fixed: 1, each: 2 };

function table(uses: readonly RawUse[]): RawTimes {
  const of = uses.map(({ op, work }) => ({ op, work, host: 3, wave: 4, each: 5 }));
  return { uses: of, submission: 6, up: line, down: line, shared: false };
}

/** A worker on some device: what it was asked to measure, and what it does in place of that. */
function worker(device: string) {
  const asked: string[][] = [];
  let fails: Error | undefined;
  const times = (about: string, known: KnownTimes | undefined, uses: readonly RawUse[]): KnownTimes => {
    if (fails) throw fails;
    const of = `${about} | ${device}`;
    const before = known?.of === of ? known.times.uses : [];
    asked.push(uses.map(({ op }) => op).filter((op) => !before.some((use) => use.op === op)));
    const added = table(uses).uses.filter(({ op }) => !before.some((use) => use.op === op));
    return { of, times: { ...table([]), uses: [...before, ...added] } };
  };
  const call = async (_: string, args: Parameters<typeof times>) => times(...args);
  const withWorker: WithWorker = (work) => work({ call } as never, new AbortController().signal);
  return { asked, withWorker, fail: (error: Error) => void (fails = error) };
}

describe('times of a device', () => {
  it('are measured once for all that programs are made of, and not while somebody waits', async () => {
    const { asked, withWorker } = worker('a');
    const times = new DeviceTimes(withWorker, 'v1', false);
    const [one, other] = [{}, {}];
    expect(await times.ready()).toBeUndefined();
    times.learn(one, async () => [use('limb.add'), use('limb.ntt')]);
    times.learn(one, () => expect.unreachable('asked twice'));
    expect(times.of(one)).toBeUndefined();
    expect(await times.ready()).toEqual(table([use('limb.add'), use('limb.ntt')]));
    const learned = await times.learn(other, async () => [use('limb.ntt'), use('limb.mul')]);
    expect(learned).toBe(times.of(other));
    expect(asked).toEqual([['limb.add', 'limb.ntt'], ['limb.mul']]);
    for (const program of [one, other])
      expect(JSON.parse(times.of(program)!)).toEqual(
        table([use('limb.add'), use('limb.ntt'), use('limb.mul')]),
      );
    expect(times.of({})).toBeUndefined();
  });

  it('are kept, and dropped with another version or device', async () => {
    const store = memoryStore();
    const measured = async (device: string, about: string) => {
      const { asked, withWorker } = worker(device);
      const times = new DeviceTimes(withWorker, about, store);
      times.learn({}, async () => [use('limb.add')]);
      await times.ready();
      return asked;
    };
    expect(await measured('a', 'v1')).toEqual([['limb.add']]);
    expect(await measured('a', 'v1')).toEqual([[]]);
    expect(await measured('a', 'v2')).toEqual([['limb.add']]);
    expect(await measured('b', 'v2')).toEqual([['limb.add']]);
    expect(readTimes((await store.get('gpu-times'))!)!.of).toBe('v2 | b');
  });

  it('are measured anew where what is kept is none, or a store fails', async () => {
    const broken: TimesStore = {
      get: () => Promise.reject(new Error('no')),
      put: () => Promise.reject(new Error('no')),
      delete: () => Promise.reject(new Error('no')),
    };
    const good = JSON.stringify({ of: 'v1 | a', times: table([use('limb.add')]) });
    const stores = [broken];
    for (const text of [
      '',
      '{}',
      good.replace('"host":3', '"host":-3'),
      good.replace('"up":{', '"other":{'),
    ]) {
      expect(readTimes(text)).toBeUndefined();
      const store = memoryStore();
      await store.put('gpu-times', text);
      stores.push(store);
    }
    expect(readTimes(good)).toBeDefined();
    for (const store of stores) {
      const { asked, withWorker } = worker('a');
      const times = new DeviceTimes(withWorker, 'v1', store);
      times.learn({}, async () => [use('limb.add')]);
      expect(await times.ready()).toEqual(table([use('limb.add')]));
      expect(asked).toEqual([['limb.add']]);
    }
  });

  it('of a device that fails are not tried again; of a program that is gone nothing is said', async () => {
    const { asked, withWorker, fail } = worker('a');
    const times = new DeviceTimes(withWorker, 'v1', false);
    const program = {};
    await expect(times.learn(program, () => Promise.reject(new Error('disposed')))).rejects.toThrow(
      'disposed',
    );
    expect(await times.ready()).toBeUndefined();
    fail(new Error('no GPU'));
    await expect(times.learn(program, async () => [use('limb.add')])).rejects.toThrow('no GPU');
    await expect(times.ready()).rejects.toThrow('no GPU');
    await expect(times.learn({}, () => expect.unreachable('asked again'))).rejects.toThrow('no GPU');
    await expect(times.ready()).rejects.toThrow('no GPU');
    expect([asked, times.of(program)]).toEqual([[], undefined]);
  });
});

it('a folder keeps texts as whole files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cipherloom-times-'));
  try {
    const store = folderStore(join(folder, 'new', 'one'));
    expect(await store.get('gpu-times')).toBeUndefined();
    await store.delete('gpu-times');
    await store.put('gpu-times', 'first');
    await store.put('gpu-times', 'second');
    expect(await store.get('gpu-times')).toBe('second');
    expect(await readdir(join(folder, 'new', 'one'))).toEqual(['gpu-times.json']);
    await store.delete('gpu-times');
    expect(await store.get('gpu-times')).toBeUndefined();
    // What is no folder.
    await writeFile(join(folder, 'file'), '');
    await expect(folderStore(join(folder, 'file')).put('gpu-times', '')).rejects.toThrow();
  } finally {
    await rm(folder, { recursive: true });
  }
});
