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
  });

  it('are refused when cut short or wrong', () => {
    const file = packProgram(core, scales);
    const header = file.length - core.length;
    for (let length = 8; length < header; length++) {
      expect(codeOf(() => unpackProgram(file.subarray(0, length)))).toBe('format.program');
    }
    for (const wrong of [
      '',
      'null',
      '[]',
      '{}',
      '{"inputs":{"a":{"decimals":-1,"min":"0","max":"0"}},"outputs":{}}',
      '{"inputs":{"a":{"decimals":1,"min":"x","max":"0"}},"outputs":{}}',
      '{"inputs":{},"outputs":{"a":1e9}}',
    ]) {
      const bytes = new TextEncoder().encode(`CLSCALES____${wrong}`);
      new DataView(bytes.buffer).setUint32(8, bytes.length - 12, true);
      expect(codeOf(() => unpackProgram(bytes))).toBe('format.program');
    }
    expect(codeOf(() => unpackProgram('file' as never))).toBe('format.program');
  });
});
