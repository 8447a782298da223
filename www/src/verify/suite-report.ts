/** The conformance suite's findings in words, and as a report. */
import type { Conformance, OperatorConformance, PlatformConformance } from 'cipherloom';
import * as format from '../format.js';
import { type Device, factsOf } from './device.js';

export interface Suite {
  readonly found: Conformance;
  readonly seconds: number;
  readonly device: Device;
}

/** What came of it. */
export function verdictOf({ found, seconds }: Pick<Suite, 'found' | 'seconds'>): string {
  const cases = format.plural(found.cases, 'case');
  const platforms = found.platforms.map(({ platform }) => platform).join(' and ');
  const wrong = new Set(found.platforms.flatMap(({ failed }) => failed.map(({ name }) => name))).size;
  return wrong === 0
    ? `All ${cases} on ${platforms} kernels passed, in ${format.seconds(seconds)}.`
    : `${format.plural(wrong, 'operator')} of this device ${wrong === 1 ? 'is' : 'are'} wrong (${cases} on ${platforms} kernels, ${format.seconds(seconds)}).`;
}

/** "8 of 30 cases wrong", "30 cases passed" */
export function casesOf({ cases, passed }: OperatorConformance): string {
  return passed === cases
    ? `${format.plural(cases, 'case')} passed`
    : `${format.count(cases - passed)} of ${format.plural(cases, 'case')} wrong`;
}

/** For people. */
export function textOf(suite: Suite): string {
  const facts = [...factsOf(suite.device), ...gpuOf(suite)].map(([term, text]) => `${term}: ${text}`);
  const platforms = suite.found.platforms.flatMap(platformText);
  return `${['cipherloom: conformance of this device', verdictOf(suite), '', ...facts, ...platforms].join('\n')}\n`;
}

/** What a GPU that was tried calls itself. */
export function gpuOf({ found }: Pick<Suite, 'found'>): [term: string, text: string][] {
  return found.platforms.flatMap(({ device }) => (device === undefined ? [] : [['GPU', device]]));
}

function platformText({ platform, cases, operators, failed }: PlatformConformance): string[] {
  const title = `${platform}: ${format.plural(cases, 'case')} of ${format.plural(operators.length, 'operator')}, ${failed.length} wrong`;
  const lines = operators.map((operator) => {
    const { name, problem } = operator;
    const mark = problem === undefined ? 'same ' : 'WRONG';
    return `${mark}  ${name}: ${casesOf(operator)}${problem === undefined ? '' : `: ${problem}`}`;
  });
  return ['', title, ...lines];
}

/** For programs. */
export function dataOf({ found, seconds, device }: Suite): unknown {
  return { report: 'cipherloom conformance', ...found, seconds, device };
}
