/** Records of patients, judged by a model that is the server's own: CKKS. */
import modelAddress from '../data/records-model.json?url';
import type { DataClient } from '../../data/data-client.js';
import { fetchSample } from '../../data/sample.js';
import * as format from '../../format.js';
import { h } from '../../ui/dom.js';
import type { Answer, Application, ApplicationEvents, Question } from '../application.js';
import { fetchJson } from '../fetch-asset.js';
import { chartOf } from './chart.js';
import { describeRecords, probabilitiesOf, type RecordsModel, recordsOf } from './records.js';

/** Results are to be right to 20 bits, by default. */
const MOST_OFF = 2 ** -20;
const DIAGNOSES: Readonly<Record<string, string>> = { m: 'malignant', b: 'benign' };

export class RecordsView implements Application {
  readonly id = 'records';
  readonly title = 'Records of patients';
  readonly about = 'A server’s model says how likely each of 569 tumours is malignant, and sees no record.';
  readonly client = 'Holds the records and the *secret key*, and sees the probabilities: a clinic, say.';
  readonly evaluator = 'Holds the model, whose weights stay there. It sees *no record and no probability*.';
  readonly upload = 'Encrypted records';
  readonly download = 'Encrypted probabilities';
  readonly #data: DataClient;
  #model: RecordsModel | undefined;
  #records: number[][] = [];

  constructor(data: DataClient) {
    this.#data = data;
  }

  async open(host: HTMLElement, events: ApplicationEvents): Promise<void> {
    const [model, file] = await Promise.all([fetchJson<RecordsModel>(modelAddress), fetchSample()]);
    const { numeric } = await this.#data.read(file);
    this.#model = model;
    this.#records = recordsOf(numeric.map(({ values }) => values));
    host.replaceChildren(
      h(
        'p',
        {},
        `${format.count(this.#records.length)} records of ${numeric.length} measurements each, as distances from the mean in standard deviations.`,
      ),
      previewOf(
        numeric.map(({ name }) => name),
        this.#records,
      ),
      h(
        'p',
        { class: 'note' },
        'The table is ',
        h('cite', {}, 'Breast Cancer Wisconsin (Diagnostic)'),
        ' by Wolberg, Mangasarian, Street and Street, from the ',
        h(
          'a',
          { href: 'https://doi.org/10.24432/C5DW2B', rel: 'noreferrer' },
          'UCI Machine Learning Repository',
        ),
        ', 1993, ',
        h('a', { href: 'https://creativecommons.org/licenses/by/4.0/', rel: 'noreferrer' }, 'CC BY 4.0'),
        '. The model learned from two of every three records.',
      ),
    );
    events.changed();
  }

  describe(loom: Parameters<Application['describe']>[0]): ReturnType<Application['describe']> {
    return describeRecords(loom, this.#records.length, this.#records[0]!.length);
  }

  question(): Question {
    const [model, records] = [this.#model!, this.#records];
    return {
      inputs: { records },
      plain: { weights: [...model.weights], bias: model.bias },
      answer: ({ probability, average }) =>
        answerOf(
          probability as number[],
          average as number,
          probabilitiesOf(model, records),
          model.diagnoses,
        ),
    };
  }
}

/** The first lines and columns. */
function previewOf(names: readonly string[], records: readonly number[][]): HTMLElement {
  const columns = names.slice(0, 4);
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'records-preview' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'Record'),
          ...columns.map((name) => h('th', { scope: 'col' }, name)),
          h('th', { scope: 'col' }, '…'),
        ),
      ),
      h(
        'tbody',
        {},
        ...records
          .slice(0, 4)
          .map((record, row) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, String(row + 1)),
              ...columns.map((_, column) => h('td', { class: 'figure' }, record[column]!.toFixed(2))),
              h('td', {}, '…'),
            ),
          ),
      ),
    ),
  );
}

function answerOf(
  found: readonly number[],
  average: number,
  expected: readonly number[],
  diagnoses: string,
): Answer {
  const clearAverage = expected.reduce((sum, value) => sum + value, 0) / expected.length;
  const off = Math.max(
    Math.abs(average - clearAverage),
    ...found.map((value, row) => Math.abs(value - expected[row]!)),
  );
  const right = found.filter((value, row) => value > 0.5 === (diagnoses[row] === 'm')).length;
  const agrees = off <= MOST_OFF;
  return {
    verdict:
      `Every number is off by at most ${off.toExponential(1).replace('-', '−')} from the one computed in the clear` +
      `${agrees ? '' : ', which is too much'}. ${right} of ${found.length} records are judged as doctors diagnosed them.`,
    agrees,
    contents: [
      chartOf(found, diagnoses),
      h(
        'p',
        { 'data-testid': 'average', 'data-encrypted': average, 'data-plain': clearAverage },
        `On average ${percent(average)} (in the clear: ${percent(clearAverage)}): the other side added up on ciphertexts, your side divided.`,
      ),
      h(
        'div',
        { class: 'scroll records-scroll', tabindex: 0, role: 'region', 'aria-label': 'Every record' },
        h(
          'table',
          { class: 'records' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              ...['Record', 'Diagnosed', 'From encrypted records', 'In the clear', 'Off by'].map((title) =>
                h('th', { scope: 'col' }, title),
              ),
            ),
          ),
          h(
            'tbody',
            {},
            ...found.map((value, row) => {
              const clear = expected[row]!;
              return h(
                'tr',
                { 'data-testid': 'probability', 'data-encrypted': value, 'data-plain': clear },
                h('th', { scope: 'row' }, String(row + 1)),
                h('td', {}, DIAGNOSES[diagnoses[row]!] ?? ''),
                h('td', { class: 'figure' }, value.toFixed(6)),
                h('td', { class: 'figure' }, clear.toFixed(6)),
                h(
                  'td',
                  { class: 'figure' },
                  Math.abs(value - clear)
                    .toExponential(0)
                    .replace('-', '−'),
                ),
              );
            }),
          ),
        ),
      ),
      h(
        'p',
        { class: 'note' },
        'Ciphertexts cannot compute 1 / (1 + e⁻ˣ): a polynomial of degree 7 stands for it on both sides, which is why some ' +
          'probabilities lie a little below 0 or above 1.',
      ),
    ],
  };
}

function percent(value: number): string {
  return `${(100 * value).toFixed(4)} %`;
}
