// Memory of messages that comes back: who gets it, how much of it is kept, and what is in it.
import { describe, expect, it } from 'vitest';
import { encodeValue, type ValueRule } from '../src/values/cells.js';
import { rulesOf } from '../src/values/program-info.js';
import { createTask } from '../src/values/task.js';
import { backOf, lent, lentCopy, takeBack } from '../src/worker/lent.js';

const STEP = 1 << 16;
const MOST = 8 << 20;

/** Takes all that is kept: in a file of its own nobody else has left any, so that it is what these tests gave back. */
const given = new Set<ArrayBuffer>();

function empty(): void {
  for (const buffer of given)
    for (const how of ['cleared', 'used'] as const) {
      let found: ArrayBuffer;
      do found = lent(how, buffer.byteLength);
      while (given.has(found) && buffer.byteLength >= STEP);
    }
  given.clear();
}

function giveBack(how: 'cleared' | 'used', ...buffers: ArrayBuffer[]): void {
  for (const buffer of buffers) given.add(buffer);
  takeBack({ cleared: [], used: [], [how]: buffers });
}

describe('memory of messages', () => {
  it('goes to the next message of its size, once, and to one of its kind', () => {
    empty();
    const copy = lentCopy(new Uint8Array(3 * STEP - 5).fill(7));
    expect([copy.length, copy.byteOffset, copy.buffer.byteLength]).toEqual([3 * STEP - 5, 0, 3 * STEP]);
    const { buffer } = copy;
    giveBack('used', buffer);
    // Not where it has to be 0, nor where another size is wanted.
    expect(lent('cleared', 3 * STEP)).not.toBe(buffer);
    expect(lent('used', 2 * STEP)).not.toBe(buffer);
    expect(lent('used', 4 * STEP)).not.toBe(buffer);
    const next = lentCopy(new Uint8Array(2 * STEP + 1).fill(9));
    expect(next.buffer).toBe(buffer);
    expect([next.length, next.every((byte) => byte === 9)]).toEqual([2 * STEP + 1, true]);
    expect(lent('used', 3 * STEP)).not.toBe(buffer);
  });

  it('is made for what is small, and for what is large, and not kept', () => {
    empty();
    for (const size of [0, 1, STEP - 1, MOST + 1]) {
      const buffer = lent('used', size);
      expect(buffer.byteLength).toBe(size);
      giveBack('used', buffer);
      expect(lent('used', size)).not.toBe(buffer);
    }
    // What has moved on has no memory any more.
    const moved = lent('used', STEP);
    structuredClone(moved, { transfer: [moved] });
    giveBack('used', moved);
    expect(lent('used', STEP)).not.toBe(moved);
  });

  it('is kept up to a bound', () => {
    empty();
    const half = [lent('used', MOST / 2), lent('cleared', MOST / 2), lent('used', STEP)] as const;
    giveBack('used', half[0]);
    giveBack('cleared', half[1]);
    giveBack('used', half[2]);
    expect(lent('used', STEP)).not.toBe(half[2]);
    expect(lent('used', MOST / 2)).toBe(half[0]);
    giveBack('used', half[2]);
    expect(lent('used', STEP)).toBe(half[2]);
    expect(lent('cleared', MOST / 2)).toBe(half[1]);
  });

  it('is sent back once, and not where it is much', () => {
    const buffer = new ArrayBuffer(2 * STEP);
    const views = [new Uint8Array(buffer, 0, 5), new Float64Array(buffer, 8), undefined, ['1'], 'text'];
    expect(backOf(views)).toEqual([buffer]);
    expect(backOf([new Uint8Array(STEP + 1), new Uint8Array(3), new Uint8Array(0)])).toEqual([]);
    expect(backOf([new Uint8Array(new SharedArrayBuffer(STEP))])).toEqual([]);
    expect(backOf([new Uint8Array(MOST), new Uint8Array(STEP)])).toEqual([]);
    expect(backOf([new Uint8Array(MOST)])).toHaveLength(1);
  });

  it('holds no cells of an earlier value', () => {
    empty();
    const count = STEP / 8 + 3;
    const task = createTask();
    task.output('n', task.encrypted('v', { shape: [count], min: 0, max: 9, missing: true }).count());
    const rule = rulesOf(task.literal())[0] as ValueRule;
    const first = encodeValue(rule, Array<number>(count).fill(5)).cells as Float64Array<ArrayBuffer>;
    expect([first.length, first.byteOffset, first.every((cell) => cell === 5)]).toEqual([count, 0, true]);
    // As a worker does.
    first.fill(0);
    giveBack('cleared', first.buffer);
    const second = encodeValue(
      rule,
      Array.from({ length: count }, (_, at) => (at % 3 === 0 ? null : 7)),
    );
    expect((second.cells as Float64Array).buffer).toBe(first.buffer);
    expect(Array.from(second.cells as Float64Array)).toEqual(
      Array.from({ length: count }, (_, at) => (at % 3 === 0 ? 0 : 7)),
    );
  });
});
