// What the core found, as people read it.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../src/verification.js';
import type { CheckRecord } from '../src/worker/protocol.js';

const record = (details: Record<string, string>): CheckRecord => ({
  kind: 'meaning',
  name: undefined,
  compared: [],
  skipped: [{ what: 'output `y`', why: 'of a gap' }],
  bytes: 0,
  error: { code: 'verify.differs', message: 'differs', details: { what: 'output `x`', ...details } },
});

describe('a difference', () => {
  it('is of a byte, of a cell or of a slot', () => {
    const byte = readCheck(
      record({ byte: '3', found: '7', expected: '255', operator: '0', name: 'f32.add' }),
    );
    expect(byte.difference).toMatchObject({
      byte: 3,
      cell: undefined,
      slot: undefined,
      found: 7,
      expected: 255,
    });
    expect(byte.difference).toMatchObject({ operator: 0, name: 'f32.add', partOf: undefined });
    const cell = readCheck(record({ cell: '0', found: 'missing', expected: '-12', units: '[4,5)+[6,7)' }));
    expect(cell.difference).toMatchObject({ byte: undefined, cell: 0, found: 'missing', expected: '-12' });
    expect(cell.difference?.units).toEqual([
      [4, 5],
      [6, 7],
    ]);
    const slot = readCheck(
      record({ slot: '16383', found: '1', expected: '0', partOf: '2', partOfName: 'a' }),
    );
    expect(slot.difference).toMatchObject({ slot: 16383, found: '1', partOf: { operator: 2, name: 'a' } });
    expect(slot).toMatchObject({ passed: false, notCompared: [{ what: 'output `y`', why: 'of a gap' }] });
  });
});
