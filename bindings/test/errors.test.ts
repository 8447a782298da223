import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../src/crc32.js';
import {
  CipherloomError,
  ERROR_CODES,
  failure,
  fromRecord,
  MemoryError,
  OutOfRangeError,
} from '../src/errors.js';
import { describeProgram, packProgram, unpackProgram } from '../src/program-file.js';
import type { RawProgramInfo } from '../src/raw.js';
import { codeOf } from './code.js';

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
      read(new URL('../src/', import.meta.url), '.ts') + read(new URL('../../src/', import.meta.url), '.rs');
    expect(
      Object.keys(ERROR_CODES).filter(
        (code) => !source.includes(`'${code}'`) && !source.includes(`"${code}"`),
      ),
    ).toEqual([]);
  });
});

describe('program files', () => {
  const scales = { inputs: { age: { decimals: 1, min: '-5', max: '1200' } }, outputs: { mean: 1 } };
  const core = Uint8Array.of(9, 8, 7);
  const info = { inputs: [{ name: 'age' }], outputs: [{ name: 'mean' }] } as unknown as RawProgramInfo;

  it('give back what was put in', () => {
    expect(unpackProgram(packProgram(core, scales))).toEqual({ core, scales });
    expect(unpackProgram(core)).toEqual({ core, scales: undefined });
  });

  it('tell decimals and bounds', () => {
    const described = describeProgram(info, scales);
    expect([String(described.inputs[0]?.min), String(described.inputs[0]?.max)]).toEqual(['-0.5', '120.0']);
    expect(described.outputs[0]?.decimals).toBe(1);
    expect(describeProgram(info, undefined).inputs[0]?.decimals).toBe(0);
    expect(codeOf(() => describeProgram(info, { inputs: {}, outputs: {} }))).toBe('format.program');
    const odd = { inputs: [], outputs: [{ name: '__proto__' }] } as unknown as RawProgramInfo;
    expect(codeOf(() => describeProgram(odd, undefined))).toBe('format.program');
  });

  it('are refused with any bit changed', () => {
    const file = packProgram(core, scales);
    for (let bit = 8 * 'CLSCALES'.length; bit < 8 * file.length; bit++) {
      const changed = file.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(codeOf(() => unpackProgram(changed))).toBe('format.checksum');
    }
    // Without the magic it is the core that has to refuse it.
    expect(unpackProgram(file.subarray(1)).scales).toBeUndefined();
  });

  it('carry the CRC-32 that everybody knows', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
    expect(crc32(new Uint8Array(32))).toBe(0x190a55ad);
    expect(crc32(new Uint8Array(32).fill(255))).toBe(0xff6cab0b);
  });

  it('are refused when cut short or wrong', () => {
    const file = packProgram(core, scales);
    for (let length = 8; length < file.length; length++) {
      expect(codeOf(() => unpackProgram(file.subarray(0, length)))).toMatch(/^format\./);
    }
    // The same magic and a checksum that is right, around what is wrong.
    const wrap = (header: string, length = header.length): Uint8Array => {
      const bytes = new TextEncoder().encode(`CLSCALES________${header}`);
      const view = new DataView(bytes.buffer);
      view.setUint32(12, length, true);
      view.setUint32(8, crc32(bytes.subarray(12)), true);
      return bytes;
    };
    expect(codeOf(() => unpackProgram(wrap('{}', 3)))).toBe('format.program');
    for (const wrong of [
      '',
      'null',
      '[]',
      '{}',
      '{"inputs":{"a":{"decimals":-1,"min":"0","max":"0"}},"outputs":{}}',
      '{"inputs":{"a":{"decimals":1,"min":"x","max":"0"}},"outputs":{}}',
      '{"inputs":{},"outputs":{"a":1e9}}',
    ]) {
      expect(codeOf(() => unpackProgram(wrap(wrong)))).toBe('format.program');
    }
  });
});
