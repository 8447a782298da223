/**
 * What the integers of a compiled program mean - decimals and bounds by name - and the file that holds both:
 * "CLSCALES", a CRC-32 of all that follows it and the length of the header, both as little-endian u32, the header
 * as JSON, then the core's program bytes. Core bytes without a header are programs over plain integers.
 */
import { isName } from './arguments.js';
import { crc32 } from './crc32.js';
import { type ColumnRule, MAX_UNITS } from './columns.js';
import { failure } from './errors.js';
import { ExactDecimal } from './exact.js';
import type { RawProgramInfo } from './raw.js';
import type { ProgramInfo, Task } from './types.js';

/** Decimals and bounds, by name. Bounds are units as decimal strings, so that it is JSON. */
export interface Scales {
  readonly inputs: Readonly<
    Record<string, { readonly decimals: number; readonly min: string; readonly max: string }>
  >;
  readonly outputs: Readonly<Record<string, number>>;
}

const MAGIC = 'CLSCALES';
const LENGTH_AT = MAGIC.length + 4;
const HEADER_AT = LENGTH_AT + 4;

/** The scales of a task. */
export function scalesOf(task: Task): Scales {
  const { inputs, outputs } = task.decimals();
  const bounds = task
    .literal()
    .inputs.map(({ name, min, max }) => [name, { decimals: inputs[name] ?? 0, min, max }]);
  return { inputs: Object.fromEntries(bounds), outputs };
}

/** A program as a file. */
export function packProgram(core: Uint8Array, scales: Scales): Uint8Array<ArrayBuffer> {
  const header = new TextEncoder().encode(JSON.stringify(scales));
  const file = new Uint8Array(HEADER_AT + header.length + core.length);
  file.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(file.buffer);
  view.setUint32(LENGTH_AT, header.length, true);
  file.set(header, HEADER_AT);
  file.set(core, HEADER_AT + header.length);
  view.setUint32(MAGIC.length, crc32(file.subarray(LENGTH_AT)), true);
  return file;
}

/**
 * The parts of a file. The core checks its own bytes once more, by themselves; the checksum here says that they
 * belong to this header. Errors: FormatError.
 */
export function unpackProgram(file: Uint8Array): { core: Uint8Array; scales: Scales | undefined } {
  if (new TextDecoder().decode(file.subarray(0, MAGIC.length)) !== MAGIC)
    return { core: file, scales: undefined };
  if (file.length < HEADER_AT)
    throw invalid('the header ends early', { found: file.length, expected: HEADER_AT });
  const view = new DataView(file.buffer, file.byteOffset);
  const expected = view.getUint32(MAGIC.length, true);
  const found = crc32(file.subarray(LENGTH_AT));
  if (found !== expected) {
    const problem = `Not a saved program: its bytes were changed, their checksum is ${found}, not ${expected}`;
    throw failure('format.checksum', problem, { found, expected });
  }
  const end = HEADER_AT + view.getUint32(LENGTH_AT, true);
  if (end > file.length) throw invalid('the header ends early', { found: file.length, expected: end });
  return { core: file.subarray(end), scales: parseScales(file.subarray(HEADER_AT, end)) };
}

/**
 * The core's info with decimals and bounds. Errors: FormatError if a name has no scale, or is none that a task
 * would take: other builders may not have asked.
 */
export function describeProgram(raw: RawProgramInfo, scales: Scales | undefined): ProgramInfo {
  for (const { name } of [...raw.inputs, ...raw.outputs]) {
    if (!isName(name)) throw invalid(`${JSON.stringify(name)} is no name of an input or output`, { name });
  }
  const integer = { decimals: 0, min: `${-MAX_UNITS}`, max: `${MAX_UNITS}` };
  return {
    ...raw,
    inputs: raw.inputs.map((input) => {
      const { decimals, min, max } = scales === undefined ? integer : scaleOf(scales.inputs, input.name);
      const bound = (units: string): ExactDecimal => new ExactDecimal(BigInt(units), decimals);
      return { ...input, decimals, min: bound(min), max: bound(max) };
    }),
    outputs: raw.outputs.map((output) => {
      return { ...output, decimals: scales === undefined ? 0 : scaleOf(scales.outputs, output.name) };
    }),
  };
}

/** What `encodeColumn` checks for an input. */
export function ruleOf({
  name,
  rows,
  decimals,
  missing,
  min,
  max,
}: ProgramInfo['inputs'][number]): ColumnRule {
  return { name, rows, decimals, missing, min: min.units, max: max.units };
}

function scaleOf<T>(scales: Readonly<Record<string, T>>, name: string): T {
  if (!Object.hasOwn(scales, name)) throw invalid(`no scale for "${name}"`, { name });
  return scales[name] as T;
}

function parseScales(bytes: Uint8Array): Scales {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalid('the header is not JSON', {}, cause);
  }
  const { inputs, outputs } = (header ?? {}) as Partial<Scales>;
  const valid =
    isRecord(inputs) &&
    Object.values(inputs).every(isInputScale) &&
    isRecord(outputs) &&
    Object.values(outputs).every(isDecimals);
  if (!valid) throw invalid('the header does not hold decimals and bounds', {});
  return { inputs, outputs };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isInputScale(value: unknown): boolean {
  return (
    isRecord(value) && isDecimals(value['decimals']) && isInteger(value['min']) && isInteger(value['max'])
  );
}

/** Products add up decimals; the limit keeps 10^decimals small whoever made the file. */
function isDecimals(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1000;
}

function isInteger(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value);
}

function invalid(problem: string, details: Record<string, unknown>, cause?: unknown): Error {
  return failure('format.program', `Not a saved program: ${problem}`, details, cause);
}
