/** Checks in words, and as a report. */
import type { Check, Difference } from 'cipherloom';
import * as format from '../format.js';
import { type Device, factsOf } from './device.js';

/** A check of a stage. */
export interface Line {
  /** Name of the stage. */
  readonly stage: string;
  /** Where the picture has it; undefined for stages that were made for the check. */
  readonly stop: string | undefined;
  /** What it was compared with, where that is another graph. */
  readonly beside: string | undefined;
  readonly check: Check;
}

/** All that was checked, and how. */
export interface Checked {
  readonly lines: readonly Line[];
  readonly trials: number;
  readonly seed: number;
  readonly seconds: number;
  readonly device: Device;
}

/** What was checked. */
export function titleOf({ stage, beside, check }: Line): string {
  switch (check.kind) {
    case 'structure':
      return `${stage}: structure`;
    case 'circuit':
      return `${stage} beside ${beside}`;
    case 'pass':
      return `${stage} before and after the pass ${check.name}`;
    case 'meaning':
      return `${stage} beside the task`;
    case 'platform':
      return `${stage}: every operator on ${check.name} kernels beside scalar ones`;
  }
}

/** How much of it was compared. */
export function amountOf({ check: { kind, passed, compared, notCompared, bytes } }: Line): string {
  if (!passed) return '–';
  if (kind === 'structure') return 'no cycle, each unit written once, types that fit';
  const noun = kind === 'platform' ? 'operator' : 'output';
  const left = notCompared.length === 0 ? '' : `; ${format.count(notCompared.length)} not`;
  return `${format.plural(compared.length, noun)}, ${format.bytes(bytes)}${left}`;
}

/** Why something was not compared, and what. */
export function leftOut({ check: { notCompared } }: Line): string | undefined {
  const [first] = notCompared;
  if (first === undefined) return undefined;
  const names = notCompared.slice(0, 3).map(({ what }) => what);
  const more =
    notCompared.length > names.length ? ` and ${format.count(notCompared.length - names.length)} more` : '';
  return `Not compared: ${names.join(', ')}${more}, since ${first.why}.`;
}

/** What is wrong, in a sentence or two. */
export function faultOf({ beside, check: { kind, problem, difference } }: Line): string | undefined {
  if (problem === undefined) return undefined;
  if (difference === undefined) return `${problem.message} (${problem.code})`;
  const { type, units, seenIn } = difference;
  const other = kind === 'platform' ? 'the scalar kernels' : (beside ?? 'the graph before');
  const places = units.map(([start, end]) => `[${start}, ${end})`).join(' + ');
  const seen = seenIn === undefined ? '' : ` It was noticed in ${seenIn.replaceAll('`', '')}.`;
  return (
    `${operatorOf(difference)} gives something else than ${other}. ${placeOf(difference)} of ${shortened(type)} at units ` +
    `${places} is ${shown(difference.found)}, expected ${shown(difference.expected)}.${seen}`
  );
}

/** The operator as the page names it, or the output where no single operator differs. */
export function operatorOf({ what, name, operator, partOf }: Difference): string {
  if (name === undefined || operator === undefined) return what.replaceAll('`', '');
  return `${name} #${operator}${partOf === undefined ? '' : ` (part of ${partOf.name} #${partOf.operator})`}`;
}

/** The operator of the stage that a difference leads to. What passes make is numbered anew. */
export function operatorIn({ stop, check: { kind, difference } }: Line): number | undefined {
  if (stop === undefined || kind === 'pass') return undefined;
  return difference?.partOf?.operator ?? difference?.operator;
}

/** What came of all checks. */
export function verdictOf({ lines, trials, seed, seconds }: Checked): string {
  const bytes = lines.reduce((sum, { check }) => sum + check.bytes, 0);
  const failed = lines.filter(({ check }) => !check.passed);
  const first = failed.map(({ check }) => check.difference).find((difference) => difference !== undefined);
  const how = `${format.plural(trials, 'round')} of random data from seed ${seed}, ${format.seconds(seconds)}`;
  const checks = format.plural(lines.length, 'check');
  return failed.length === 0
    ? `All ${checks} passed: ${format.bytes(bytes)} were compared, and are the same (${how}).`
    : `${format.count(failed.length)} of ${checks} did not pass${first === undefined ? '' : `: ${operatorOf(first)} differs`} (${how}).`;
}

/** For people. */
export function textOf(checked: Checked): string {
  const lines = checked.lines.flatMap((line) => [
    `${line.check.passed ? 'same ' : 'WRONG'}  ${titleOf(line)}: ${amountOf(line)}`,
    ...[leftOut(line), faultOf(line)].flatMap((more) => (more === undefined ? [] : [`       ${more}`])),
  ]);
  const facts = factsOf(checked.device).map(([term, text]) => `${term}: ${text}`);
  return `${['cipherloom: verification of a graph', verdictOf(checked), '', ...lines, '', ...facts].join('\n')}\n`;
}

/** For programs. */
export function dataOf({ lines, ...how }: Checked): unknown {
  return {
    report: 'cipherloom verification',
    passed: lines.every(({ check }) => check.passed),
    ...how,
    checks: lines.map(({ stage, beside, check: { problem, ...check } }) => ({
      ...check,
      stage,
      beside,
      problem: problem && { code: problem.code, message: problem.message },
    })),
  };
}

/** The first place that differs. */
function placeOf({ byte, cell, slot }: Difference): string {
  if (cell !== undefined) return `Cell ${format.count(cell)}`;
  return byte === undefined ? `Slot ${format.count(slot ?? 0)}` : `Byte ${format.count(byte)}`;
}

/** A byte, or a number as text. */
function shown(found: number | string): string {
  return typeof found === 'string' ? found : `0x${found.toString(16).padStart(2, '0')}`;
}

/** Of types with long attributes, the beginning says enough. */
function shortened(type: string): string {
  return type.length > 60 ? `${type.slice(0, 57)}…` : type;
}
