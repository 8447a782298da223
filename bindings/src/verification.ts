/** What the core found by verifying, as people read it. */
import { fromRecord } from './errors.js';
import type { Check, Conformance, Difference, Verification } from './verification-types.js';
import type { CheckRecord, PlatformRecord } from './worker/protocol.js';

/** A report of checks. */
export function verification(checks: readonly Check[]): Verification {
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** A check as it is reported. */
export function readCheck(record: CheckRecord): Check {
  const { kind, name, compared, skipped, bytes, error } = record;
  const problem = error && fromRecord(error);
  return {
    kind,
    name,
    stage: undefined,
    passed: problem === undefined,
    compared,
    notCompared: skipped,
    bytes,
    problem,
    difference: problem?.code === 'verify.differs' ? differenceOf(problem.details) : undefined,
  };
}

/** What the suite found. */
export function conformance(records: readonly PlatformRecord[]): Conformance {
  const platforms = records.map(({ platform, device, operators: found }) => {
    const operators = found.map(({ problem, ...tried }) => ({ ...tried, problem: problem ?? undefined }));
    const failed = operators.filter(({ problem }) => problem !== undefined);
    const cases = operators.reduce((sum, { cases }) => sum + cases, 0);
    return { platform, device, passed: failed.length === 0, cases, operators, failed };
  });
  return {
    passed: platforms.every(({ passed }) => passed),
    cases: platforms.reduce((sum, { cases }) => sum + cases, 0),
    platforms,
  };
}

/** Facts of the core are texts. */
function differenceOf(details: Readonly<Record<string, unknown>>): Difference {
  const text = (name: string): string | undefined => details[name] as string | undefined;
  const number = (name: string): number | undefined => {
    const fact = text(name);
    return fact === undefined ? undefined : Number(fact);
  };
  const byte = number('byte');
  const of = (name: 'found' | 'expected') => (byte === undefined ? text(name) : number(name)) ?? '';
  const [partOf, partOfName] = [number('partOf'), text('partOfName')];
  const units = [...(text('units') ?? '').matchAll(/\[(\d+),(\d+)\)/g)];
  return {
    what: text('what') ?? '',
    operator: number('operator'),
    name: text('name'),
    partOf: partOf === undefined ? undefined : { operator: partOf, name: partOfName ?? '' },
    seenIn: text('seenIn'),
    type: text('type') ?? '',
    units: units.map(([, start, end]) => [Number(start), Number(end)] as const),
    byte,
    cell: number('cell'),
    slot: number('slot'),
    found: of('found'),
    expected: of('expected'),
  };
}
