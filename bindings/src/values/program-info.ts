/** What the core tells of a program, as people read it. */
import {
  checkArgument,
  checkOptions,
  describe,
  isName,
  PARAMETERS as PARAMETERS,
  RELEASES,
  SECURITY_LEVEL,
  TASK_PASS_CHOICES,
  TOLD_LEVEL,
} from '../arguments.js';
import { failure } from '../errors.js';
import type { RawCompileOptions, RawParameters, RawProgramReport } from '../raw.js';
import { readAttributes } from '../type-text.js';
import { shownBound, type ValueRule } from './cells.js';
import type { DigitsOf } from './digits.js';
import { resultType } from './rules.js';
import { describeType, readValueType } from './type.js';
import type {
  CompileOptions,
  Parameters,
  Releases,
  GivenResult,
  ResultInfo,
  TaskPass,
  ProgramInfo,
  TaskLiteral,
  ValueType,
} from './types.js';

/** What was declared of each input. Errors: FormatError `format.program`. */
export function rulesOf({ inputs }: TaskLiteral): ValueRule[] {
  const before = new Map<string, ValueType>();
  return inputs.map(({ name, type: text, min, max, digits }) => {
    const type = readValueType(text);
    if (digits !== undefined) checkDigits(name, type, digits, before.get(digits.of));
    before.set(name, type);
    const bounds = { min: bound(type, min, 0), max: bound(type, max, -1) };
    return { name: checkedName(name), type, ...bounds, digits };
  });
}

/** Errors: FormatError `format.program` for what no value's digits are. */
function checkDigits(
  name: string,
  { kind, shape, place, missing }: ValueType,
  { base, factor, low }: DigitsOf,
  of: ValueType | undefined,
): void {
  const [count, ...rest] = shape;
  const isWhole = (text: unknown): boolean => typeof text === 'string' && /^-?\d{1,60}$/.test(text);
  const fits =
    of !== undefined &&
    ['integer', 'date', 'category'].includes(of.kind) &&
    kind === 'integer' &&
    !missing &&
    place === of.place &&
    count !== undefined &&
    count <= 256 &&
    rest.join() === of.shape.join() &&
    Number.isInteger(base) &&
    base >= 2 &&
    base <= 4096 &&
    isWhole(factor) &&
    isWhole(low);
  if (fits) return;
  throw failure('format.program', `Not a program: ${describe(name)} cannot be digits of another input`);
}

/** The types of all operands, which follow from the literal: of inputs, then of what operators give. Errors: FormatError `format.program`. */
export function operandTypes({ inputs, nodes }: TaskLiteral): ValueType[] {
  const types = inputs.map(({ type }) => readValueType(type));
  for (const { op, inputs, attrs = '{}' } of nodes)
    types.push(resultType(op, op, readAttributes(attrs), inputs.map(typeAt(types))));
  return types;
}

function typeAt(types: readonly ValueType[]): (operand: number) => ValueType {
  return (operand) => {
    const type = types[operand];
    if (type === undefined) throw failure('format.program', `Not a program: there is no operand ${operand}`);
    return type;
  };
}

/** The types of outputs, by name. Errors: as of {@link operandTypes}. */
export function outputTypes(literal: TaskLiteral): { name: string; type: ValueType }[] {
  const at = typeAt(operandTypes(literal));
  return literal.outputs.map(({ name, operand }) => ({ name: checkedName(name), type: at(operand) }));
}

/**
 * See {@link ProgramInfo}; `threads` is for the estimate of time. Errors: FormatError if a name is none that a task would take: other builders may not have
 * asked.
 */
export function describeProgram(
  report: RawProgramReport,
  literal: TaskLiteral,
  threads: number,
): ProgramInfo {
  const { scheme, n, moduli, special, plainModuli, totalBits, maxTotalBits, operators } = report;
  const { security, securityBits, quantum } = report;
  const encrypted = new Map(Object.entries(report.inputs));
  const total = (all: Iterable<number>): number => [...all].reduce((sum, bytes) => sum + bytes, 0);
  return {
    scheme,
    n,
    moduli,
    special,
    plainModuli,
    scale: report.scale ?? undefined,
    security,
    securityBits,
    quantum,
    totalBits,
    maxTotalBits,
    inputs: rulesOf(literal).map(({ name, type, min, max, digits }) => {
      const hasBounds = type.kind !== 'boolean' && type.kind !== 'category';
      const shown = (one: bigint | number | undefined): ReturnType<typeof shownBound> | undefined =>
        one === undefined || !hasBounds ? undefined : shownBound(one, type);
      const { layout, ciphertexts = 0, bytes = 0, result } = encrypted.get(name) ?? {};
      const bounds = { min: shown(min), max: shown(max) };
      const made = { result: result ?? undefined, digitsOf: digits?.of };
      return { name, ...type, ...bounds, layout, ciphertexts, bytes, ...made };
    }),
    outputs: outputTypes(literal).map(({ name, type }) => {
      const result = Object.hasOwn(report.results, name) ? report.results[name] : undefined;
      const { min, max } = result ?? {};
      return { name, ...type, result: result && { ...result, min: min ?? undefined, max: max ?? undefined } };
    }),
    ciphertexts: report.outputs.map(({ errorBits, noiseBits, ...output }) => {
      return { ...output, errorBits: errorBits ?? undefined, noiseBits: noiseBits ?? undefined };
    }),
    keys: report.keys.map(([name, bytes]) => ({ name, bytes })),
    publicKey: typeof report.publicKey === 'number',
    parties: report.parties ?? 1,
    releases: report.releases ?? undefined,
    operators,
    cost: {
      seconds: report.seconds / threads,
      keyBytes: total(report.keys.map(([, bytes]) => bytes)),
      publicKeyBytes: report.publicKey ?? 0,
      uploadBytes: total(
        Object.values(report.inputs).map(({ bytes, result }) => (typeof result === 'string' ? 0 : bytes)),
      ),
      downloadBytes: report.downloadBytes,
    },
  };
}

/**
 * What a program is told that computes on an output of another one. Errors: InputError `input.unknown`; GraphError `operator.invalid` for one on which none
 * can.
 */
export function resultOf({ outputs }: ProgramInfo, name: string): ResultInfo {
  const output = outputNamed(outputs, name);
  if (output.result !== undefined) return output.result;
  throw noResult(name, output);
}

/** The same in so many words, as it is or refreshed. Errors: as of {@link resultOf}; GraphError `operator.invalid` for one that is not refreshed. */
export function givenOf(info: ProgramInfo, name: string, refreshed: boolean): GivenResult {
  const result = resultOf(info, name);
  const given = refreshed ? result.refreshed : result.given;
  if (given !== undefined) return given;
  const expected = 'one that its task has refreshed (option refresh of output)';
  const problem = `Output ${JSON.stringify(name)} is not refreshed: expected ${expected}`;
  throw failure('operator.invalid', problem, { output: name, expected });
}

/** The output of that name. Errors: InputError `input.unknown`. */
export function outputNamed<T extends { readonly name: string }>(outputs: readonly T[], name: string): T {
  const output = outputs.find((output) => output.name === name);
  if (output !== undefined) return output;
  const expected = outputs.map(({ name }) => name);
  const problem = `There is no output ${JSON.stringify(name)}; there are ${expected.join(', ') || 'none'}`;
  throw failure('input.unknown', problem, { found: name, expected });
}

/** GraphError for an output on which no program can compute. */
export function noResult(name: string, type: ValueType): Error {
  const found = describeType(type);
  const expected =
    'an encrypted and complete value, with ciphertexts of its own (keep), that the client does not finish';
  const problem = `Output ${JSON.stringify(name)} is no input of another program: expected ${expected}, found ${found}`;
  return failure('operator.invalid', problem, { output: name, found, expected });
}

/** What need not be said of parameters. */
const MAY_LACK = new Set(['scale', 'publicKey', 'parties']);

/** What the core reads of parameters, be they all of a program's info. Errors: InputError `input.type`. */
export function givenParameters(given: Parameters): RawParameters {
  const { scheme, n, moduli, special, plainModuli, scale, publicKey, parties, inputs = [] } = given;
  const parameters = { scheme, n, moduli, special, plainModuli, scale, publicKey, parties, inputs };
  for (const [name, kind] of Object.entries(PARAMETERS)) {
    const value = parameters[name as keyof typeof PARAMETERS];
    if (!MAY_LACK.has(name) || value !== undefined) checkArgument(`parameters, ${name}`, value, kind);
  }
  const laid = inputs.flatMap(({ name, layout }) => (layout === undefined ? [] : [[name, layout] as const]));
  const layouts = Object.fromEntries(laid);
  return { scheme, n, moduli, special, plainModuli, scale, publicKey, parties, layouts };
}

/**
 * The security level that parameters have to have, as the core reads it: that which is asked for, or else that which given ones tell. Errors: InputError `input.type`,
 * `input.option`.
 */
export function levelOf(
  asked: CompileOptions['security'],
  given: Parameters | undefined,
): Pick<RawCompileOptions, 'security' | 'securityBits' | 'quantum'> {
  if (typeof asked === 'string') return { security: asked };
  if (asked !== undefined) {
    checkOptions('security', asked, SECURITY_LEVEL);
    const { table, bits, quantum } = asked;
    return { security: table, securityBits: bits, quantum };
  }
  if (given?.security === undefined || given.security === 'insecure') return {};
  const { security, securityBits, quantum } = given;
  const told = { security, securityBits, quantum };
  for (const [name, value] of Object.entries(told))
    if (value !== undefined)
      checkArgument(`parameters, ${name}`, value, TOLD_LEVEL[name as keyof typeof told]);
  return told;
}

/** Passes that are told on or off. Errors: InputError `input.type`, for names that are none, too. */
export function givenPasses(given: Partial<Record<TaskPass, boolean>>): Partial<Record<TaskPass, boolean>> {
  checkOptions('passes', given, TASK_PASS_CHOICES);
  return Object.fromEntries(Object.entries(given).filter(([, on]) => on !== undefined));
}

/** Results that may be published. Errors: InputError `input.type`, `input.option`, `input.missing`. */
export function givenReleases(given: Releases): Releases {
  checkOptions('releases', given, RELEASES);
  const { count, statisticalBits } = given;
  checkArgument('releases, option count', count, RELEASES.count);
  return { count, ...(statisticalBits !== undefined && { statisticalBits }) };
}

function bound(type: ValueType, text: string | undefined, beyond: 0 | -1): bigint | number | undefined {
  if (type.categories !== undefined) return beyond === 0 ? 0 : type.categories - 1;
  if (text === undefined) return undefined;
  const isNumber = type.kind === 'real' ? Number.isFinite(Number(text)) : /^-?\d+$/.test(text);
  if (!isNumber) throw failure('format.program', `Not a program: ${JSON.stringify(text)} is no bound`);
  return type.kind === 'real' ? Number(text) : BigInt(text);
}

function checkedName(name: string): string {
  if (isName(name)) return name;
  const problem = `Not a program: ${JSON.stringify(name)} is no name of an input or output`;
  throw failure('format.program', problem, { name });
}
