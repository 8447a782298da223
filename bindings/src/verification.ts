/** What the core found by verifying, as people read it. */
import { fromRecord } from './errors.js';
import type { Check, Conformance, Difference, Verification } from './verification-types.js';
import type { CheckRecord, PlatformRecord } from './worker/protocol.js';

const WHY_SKIPPED = 'random operators lead to it that draw other numbers in the two graphs';

const whyElsewhere = (operator: string): string =>
  `operator ${operator} is computed by a function of yours, which checks do not call`;

/** A report of checks. */
export function verification(checks: readonly Check[]): Verification {
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** A check as it is reported. */
export function readCheck(record: CheckRecord): Check {
  const { kind, name, compared, skipped, bytes, error, elsewhere } = record;
  const problem = error && fromRecord(error);
  return {
    kind,
    name,
    stage: undefined,
    passed: problem === undefined,
    compared,
    notCompared:
      elsewhere === undefined
        ? skipped.map((what) => ({ what, why: WHY_SKIPPED }))
        : [{ what: 'everything', why: whyElsewhere(elsewhere) }],
    bytes,
    problem,
    difference: problem?.code === 'verify.differs' ? differenceOf(problem.details) : undefined,
  };
}

/** What the suite found. */
export function conformance(records: readonly PlatformRecord[]): Conformance {
  const platforms = records.map(({ platform, operators: found }) => {
    const operators = found.map(({ problem, ...tried }) => ({ ...tried, problem: problem ?? undefined }));
    const failed = operators.filter(({ problem }) => problem !== undefined);
    const cases = operators.reduce((sum, { cases }) => sum + cases, 0);
    return { platform, passed: failed.length === 0, cases, operators, failed };
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
  const number = (name: string): number => Number(details[name]);
  const [operator, partOf, partOfName] = [text('operator'), text('partOf'), text('partOfName')];
  const units = [...(text('units') ?? '').matchAll(/\[(\d+),(\d+)\)/g)];
  return {
    what: text('what') ?? '',
    operator: operator === undefined ? undefined : Number(operator),
    name: text('name'),
    partOf: partOf === undefined ? undefined : { operator: Number(partOf), name: partOfName ?? '' },
    seenIn: text('seenIn'),
    type: text('type') ?? '',
    units: units.map(([, start, end]) => [Number(start), Number(end)] as const),
    byte: number('byte'),
    found: number('found'),
    expected: number('expected'),
  };
}
