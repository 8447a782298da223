import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  CipherloomError,
  ERROR_CODES,
  failure,
  fromRecord,
  MemoryError,
  OutOfRangeError,
} from '../src/errors.js';

describe('errors', () => {
  it('get the class of their family, also with codes of the core', () => {
    const error = failure('range.value', 'too large', { row: 3 });
    expect(error).toBeInstanceOf(OutOfRangeError);
    expect(error).toMatchObject({
      name: 'OutOfRangeError',
      code: 'range.value',
      message: 'too large',
      details: { row: 3 },
    });
    expect(fromRecord({ code: 'memory.limit', message: '', details: {} })).toBeInstanceOf(MemoryError);
    expect(fromRecord({ code: 'new.family', message: '', details: {} }).constructor).toBe(CipherloomError);
    expect(failure('memory.shared', '', {}, error).cause).toBe(error);
  });

  it('have no code in the table that nothing throws', () => {
    const read = (folder: URL, type: string): string =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(type) && file !== 'errors.ts')
        .map((file) => readFileSync(new URL(file, folder), 'utf8'))
        .join();
    const source =
      read(new URL('../src/', import.meta.url), '.ts') +
      read(new URL('../../engine/src/', import.meta.url), '.rs') +
      read(new URL('../../src/', import.meta.url), '.rs');
    expect(
      Object.keys(ERROR_CODES).filter(
        (code) => !source.includes(`'${code}'`) && !source.includes(`"${code}"`),
      ),
    ).toEqual([]);
  });
});
