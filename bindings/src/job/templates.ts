/** Templates of vectors [V1]: what each takes as keys and values. */
import { checkOptions, describe, type Kinds, sortOf, tag } from '../arguments.js';
import { failure } from '../errors.js';
import { dataProblem, keyProblem, positionProblem, type Problem, rowProblem, textProblem } from './data.js';
import type { GlobalTemplate, Row, Split, Template, TemplateName } from './types.js';

/** Sub-vectors that a vector can have. */
export const MOST_PARTS = 65_536;

/** Whether that is a number of sub-vectors. */
export function isParts(parts: unknown): boolean {
  return Number.isSafeInteger(parts) && (parts as number) >= 1 && (parts as number) <= MOST_PARTS;
}

/**
 * Dense numbers: keys are 0, 1, 2, ..., in this order, each once. Values are doubles, NaN and infinities too: computations give them.
 * Errors: InputError `input.type`, `input.option`.
 */
export function FixValueVector(split?: Split): Template {
  return template('FixValueVector', split);
}

/** Sparse numbers: keys are texts or finite numbers, as often as one likes. Values as of {@link FixValueVector}. Errors: as there. */
export function SparseValueVector(split?: Split): Template {
  return template('SparseValueVector', split);
}

/** Sparse texts: keys as of {@link SparseValueVector}. A text is Unicode; half a surrogate pair is none. Errors: as of {@link FixValueVector}. */
export function SparseTextVector(split?: Split): Template {
  return template('SparseTextVector', split);
}

/**
 * Values of varying length: any {@link Data}, nested no deeper than 64, with keys as of {@link SparseValueVector}. Objects are plain ones, and have no
 * member `__proto__`. Errors: as of {@link FixValueVector}.
 */
export function VariableLenVector(split?: Split): Template {
  return template('VariableLenVector', split);
}

/**
 * Elements of a sparse matrix: keys are positions, [row, column], whole numbers from 0 below 2^53. Values as of {@link FixValueVector}.
 * Errors: as there.
 */
export function SparseMatrix(split?: Split): Template {
  return template('SparseMatrix', split);
}

/** A global: any {@link Data}, under keys that are texts or finite numbers, each once. It travels with each part of the work. */
export function Var(): GlobalTemplate {
  return { template: 'Var' };
}

/** A global for large data: as {@link Var}, but it travels once to each worker, which keeps it. */
export function PVar(): GlobalTemplate {
  return { template: 'PVar' };
}

const SPLIT: Kinds<Split> = {
  parts: { expected: `a whole number from 1 to ${MOST_PARTS}`, fits: isParts },
  partitioner: {
    expected: "a function operator: { kind: 'function', module }",
    fits: (value) =>
      tag(value) === 'Object' &&
      (value as { kind?: unknown }).kind === 'function' &&
      'module' in (value as object),
  },
};

function template(name: TemplateName, split: Split = {}): Template {
  checkOptions(name, split, SPLIT);
  const { parts, partitioner } = split;
  return {
    template: name,
    ...(parts === undefined ? {} : { parts }),
    ...(partitioner === undefined ? {} : { partitioner }),
  };
}

/** What a template takes. */
interface Rule {
  readonly key: (key: unknown) => Problem | undefined;
  readonly value: (value: unknown) => Problem | undefined;
}

const RULES: Readonly<Record<TemplateName | GlobalTemplate['template'], Rule>> = {
  FixValueVector: { key: indexProblem, value: numberProblem },
  SparseValueVector: { key: keyProblem, value: numberProblem },
  SparseTextVector: { key: keyProblem, value: textProblem },
  VariableLenVector: { key: keyProblem, value: dataProblem },
  SparseMatrix: { key: positionProblem, value: numberProblem },
  Var: { key: keyProblem, value: dataProblem },
  PVar: { key: keyProblem, value: dataProblem },
};

/** Where a row was met: in words, or the vector's name and the row's number, from 0. */
export type Where = string | { readonly vector: string; readonly row: number };

/**
 * Checks a row against its template. What depends on the rows before (the order of a FixValueVector's keys, a global's keys being there once) is the
 * vector's business. Errors: JobError `job.key`, `job.template`, both without the value.
 */
export function checkRow({ template }: Template | GlobalTemplate, row: unknown, where: Where): void {
  const wrongRow = rowProblem(row);
  if (wrongRow !== undefined) throw rowError('job.template', where, wrongRow);
  const [key, value] = row as readonly unknown[];
  const rule = RULES[template];
  const wrongKey = rule.key(key);
  if (wrongKey !== undefined) throw rowError('job.key', where, wrongKey, key, `as key of a ${template} `);
  const wrongValue = rule.value(value);
  if (wrongValue !== undefined) throw rowError('job.template', where, wrongValue, key, `in a ${template} `);
}

/** The error of a row. `role`: what was expected there. */
export function rowError(
  code: 'job.key' | 'job.template' | 'job.partitioner' | 'job.format',
  where: Where,
  { found, expected, inside }: Problem,
  key?: unknown,
  role = '',
  cause?: unknown,
): Error {
  const place = typeof where === 'string' ? where : `${where.vector}, row ${where.row}`;
  const at = `${key === undefined || code === 'job.key' ? '' : `, key ${describeKey(key)}`}${inside && `, at ${inside}`}`;
  const problem = `${place}${at}: expected ${role}${expected}, found ${found}`;
  const details = typeof where === 'string' ? { where } : { where: where.vector, row: where.row };
  return failure(code, problem, { ...details, key, found, expected }, cause);
}

function describeKey(key: unknown): string {
  return Array.isArray(key) ? `[${key.slice(0, 2).map(describe).join(', ')}]` : describe(key);
}

/** All templates of vectors. */
export const TEMPLATE_NAMES: readonly TemplateName[] = [
  'FixValueVector',
  'SparseValueVector',
  'SparseTextVector',
  'VariableLenVector',
  'SparseMatrix',
];
const PLAIN = Object.fromEntries(
  TEMPLATE_NAMES.map((name) => [name, Object.freeze({ template: name })]),
) as Readonly<Record<TemplateName, Template>>;

/** The template of a row's type [V6]: where a result goes if nobody says otherwise. Errors: JobError `job.template` if it is no row. */
export function templateFor(row: Row, where: Where = 'a result'): Template {
  const wrongRow = rowProblem(row);
  if (wrongRow !== undefined) throw rowError('job.template', where, wrongRow);
  const [key, value] = row as Row;
  if (Array.isArray(key)) return PLAIN.SparseMatrix;
  if (typeof value === 'number') return PLAIN.SparseValueVector;
  return typeof value === 'string' ? PLAIN.SparseTextVector : PLAIN.VariableLenVector;
}

function indexProblem(key: unknown): Problem | undefined {
  if (Number.isSafeInteger(key) && (key as number) >= 0) return undefined;
  return { found: describe(key), expected: 'a whole number from 0', inside: '' };
}

function numberProblem(value: unknown): Problem | undefined {
  return typeof value === 'number' ? undefined : { found: sortOf(value), expected: 'a number', inside: '' };
}
