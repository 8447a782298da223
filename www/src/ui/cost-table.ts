/** What a run will cost, beside what it did cost. */
import type { ProgramInfo, ProgramStats } from 'cipherloom';
import * as format from '../format.js';
import { modulusText, securityText } from '../security.js';
import type { Selection } from '../selection.js';
import { h } from './dom.js';

/** What was measured. */
export interface Measured {
  /** What the threads of the evaluator took for the operators. */
  readonly computeSeconds: number | undefined;
  readonly keyBytes: number;
  readonly uploadBytes: number;
  readonly downloadBytes: number;
  /** Least over the results; undefined if all are public. */
  readonly budgetBits: number | undefined;
}

/** The table; without measures there is one column less to read. */
export function costTable(
  { cost, ciphertexts }: ProgramInfo,
  { memoryBytes }: ProgramStats,
  measured: Measured | undefined,
): HTMLElement {
  const budget = Math.min(...ciphertexts.map(({ budgetBits }) => budgetBits));
  const rows: [id: string, term: string, before: string, after: string | undefined][] = [
    [
      'time',
      'Computing time',
      `about ${format.seconds(cost.seconds)}`,
      opt(measured?.computeSeconds, format.seconds),
    ],
    ['memory', 'Evaluator’s memory', format.bytes(memoryBytes), undefined],
    ['keys', 'Evaluation keys', format.bytes(cost.keyBytes), opt(measured?.keyBytes, format.bytes)],
    ['upload', 'Encrypted columns', format.bytes(cost.uploadBytes), opt(measured?.uploadBytes, format.bytes)],
    [
      'download',
      'Encrypted results',
      format.bytes(cost.downloadBytes),
      opt(measured?.downloadBytes, format.bytes),
    ],
    [
      'noise',
      'Noise budget left',
      Number.isFinite(budget) ? `at least ${format.bits(budget)}` : '–',
      opt(measured?.budgetBits, format.bits),
    ],
  ];
  return h(
    'table',
    { class: 'cost' },
    h(
      'thead',
      {},
      h('tr', {}, h('td'), h('th', { scope: 'col' }, 'Planned'), h('th', { scope: 'col' }, 'Measured')),
    ),
    h(
      'tbody',
      {},
      ...rows.map(([id, term, before, after]) =>
        h(
          'tr',
          { 'data-cost': id },
          h('th', { scope: 'row' }, term),
          h('td', { 'data-testid': `planned-${id}` }, before),
          h('td', { 'data-testid': `measured-${id}` }, after ?? '–'),
        ),
      ),
    ),
  );
}

/** The parameters, and what they are good for; one need know none of them. */
export function parameterList(info: ProgramInfo, stats: ProgramStats): HTMLElement {
  const { scheme, n, moduli, special, plainModuli } = info;
  const base = stats.stages.find(({ stage }) => stage === 'base');
  const facts: [string, string][] = [
    ['Scheme', `${scheme}, exact integers`],
    ['Security', securityText(info)],
    ['Ring dimension', `n = ${format.count(n)}`],
    [
      'Modulus',
      `${modulusText(info)}: ${format.plural(moduli.length, 'prime')} ` +
        `and ${special.length} for key switching`,
    ],
    ['Plaintext', plainModuli.map((prime) => `${bitLength(prime)}-bit prime`).join(', ')],
    ['Keys', `${info.keys.length}: ${keyKinds(info)}`],
    [
      'Operators',
      base === undefined ? '' : `${format.count(base.operators)}, ${format.count(base.depth)} deep`,
    ],
  ];
  return h(
    'div',
    { class: 'parameters' },
    h(
      'p',
      { class: 'note' },
      'Chosen by the compiler, so that it is secure and exact; to run it, none of it need mean anything to you:',
    ),
    h(
      'dl',
      { class: 'facts', 'data-testid': 'parameters' },
      ...facts.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]),
    ),
  );
}

/** What the evaluator is told. */
export function publicNote({ columns }: Selection): string {
  const declared = columns.map(({ name, min, max, decimals = 0, missing }) => {
    const places = decimals === 0 ? 'whole' : format.plural(decimals, 'decimal');
    return `${name}, ${min} to ${max}, ${places}${missing ? ', rows may be missing' : ''}`;
  });
  const rows = format.plural(columns[0]?.shape?.[0] ?? 0, 'row');
  return `Public: ${rows}, the statistics, and of each column the name and bounds rounded outward (${declared.join('; ')}).`;
}

function keyKinds({ keys }: ProgramInfo): string {
  const relinearization = keys.filter(({ name }) => name.startsWith('relin')).length;
  const kinds = [
    relinearization > 0 ? `${relinearization} to multiply` : '',
    keys.length > relinearization ? `${keys.length - relinearization} to rotate` : '',
  ];
  return kinds.filter(Boolean).join(', ') || 'none needed';
}

function bitLength(decimal: string): number {
  return BigInt(decimal).toString(2).length;
}

function opt<T>(value: T | undefined, write: (value: T) => string): string | undefined {
  return value === undefined ? undefined : write(value);
}
