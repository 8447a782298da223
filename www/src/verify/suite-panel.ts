/** The conformance suite, on the visitor's device. What it needs is loaded when it is started. */
import type { ConformancePlatform, Loom } from 'cipherloom';
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { deviceOf, factsOf } from './device.js';
import { Job, type JobEnd, type Working } from './job.js';
import { reportTools } from './report-tools.js';
import { casesOf, dataOf, gpuOf, type Suite, textOf, verdictOf } from './suite-report.js';

const PLATFORMS: readonly (readonly [platform: ConformancePlatform, title: string])[] = [
  ['simd', 'Vector kernels (simd)'],
  ['scalar', 'Scalar kernels'],
  // Where there is none there is nothing to try.
  ...('gpu' in navigator ? [['gpu', 'GPU shaders (WebGPU)'] as const] : []),
];

export class SuitePanel {
  readonly #loom: () => Promise<Loom>;
  readonly #report = h('div', { class: 'job-report', 'data-testid': 'suite-report' });
  readonly #boxes: readonly HTMLInputElement[];

  constructor(host: HTMLElement, loom: () => Promise<Loom>) {
    this.#loom = loom;
    this.#boxes = PLATFORMS.map(([platform]) =>
      h('input', {
        type: 'checkbox',
        value: platform,
        // Nothing that the page does runs on a GPU yet.
        checked: platform !== 'gpu',
        'data-testid': `suite-${platform}`,
      }),
    );
    host.append(
      h(
        'p',
        { class: 'note' },
        'The conformance suite runs every kernel of this build on edge values and random ones, and compares each result bit ' +
          'for bit with a slow model that was written from the operator’s definition. So it tells whether this browser, ' +
          'on this processor, computes what the documentation says, for the values that it tries; it proves nothing for ' +
          'others. It is loaded when you start it (about 300 kB), and takes some seconds for each kind of kernels. Shaders are ' +
          'those of the operators that a GPU is to compute one day; nothing else uses them yet.',
      ),
    );
    const choices = this.#boxes.map((box, index) =>
      h('label', { class: 'check-field' }, box, ` ${PLATFORMS[index]![1]}`),
    );
    const job = new Job(host, choices, {
      title: 'Test this device',
      during: 'testing this device',
      testId: 'suite',
      work: (working) => this.#run(working),
    });
    for (const box of this.#boxes)
      box.addEventListener('change', () => (job.disabled = this.#chosen.length === 0));
    host.append(this.#report);
  }

  get #chosen(): ConformancePlatform[] {
    return this.#boxes.filter(({ checked }) => checked).map(({ value }) => value as ConformancePlatform);
  }

  async #run({ signal, tell }: Working): Promise<JobEnd> {
    const platforms = this.#chosen;
    this.#report.replaceChildren();
    const loom = await this.#loom();
    const start = performance.now();
    const found = await loom.conformance({
      platforms,
      signal,
      onProgress: ({ done, total }) =>
        tell(done, total, `${format.count(Math.floor(done))} of ${format.plural(total, 'operator')}`),
    });
    const suite = { found, seconds: (performance.now() - start) / 1000, device: await deviceOf(loom, 1) };
    signal.throwIfAborted();
    this.#report.append(...reportOf(suite));
    return { passed: found.passed, said: verdictOf(suite) };
  }
}

function reportOf(suite: Suite): HTMLElement[] {
  return [
    ...failures(suite),
    operatorTable(suite),
    h(
      'dl',
      { class: 'facts', 'data-testid': 'suite-device' },
      ...[...factsOf(suite.device), ...gpuOf(suite)].flatMap(([term, text]) => [
        h('dt', {}, term),
        h('dd', {}, text),
      ]),
    ),
    reportTools({ name: 'cipherloom-conformance', text: () => textOf(suite), data: () => dataOf(suite) }),
  ];
}

/** What is wrong, by name. */
function failures({ found }: Suite): HTMLElement[] {
  const failed = found.platforms.flatMap(({ platform, failed }) =>
    failed.map((operator) => ({ platform, operator })),
  );
  if (failed.length === 0) return [];
  const items = failed.map(({ platform, operator }) =>
    h(
      'li',
      {
        class: 'fault',
        'data-testid': 'suite-failed',
        'data-name': operator.name,
        'data-platform': platform,
      },
      h('strong', {}, `${operator.name} on ${platform}`),
      `: ${casesOf(operator)}. ${operator.problem ?? ''}`,
    ),
  );
  return [h('ul', { class: 'faults' }, ...items)];
}

/** All operators, a column for each platform. */
function operatorTable({ found }: Suite): HTMLElement {
  const { platforms } = found;
  const names = [...new Set(platforms.flatMap(({ operators }) => operators.map(({ name }) => name)))];
  const known = platforms.map(({ operators }) => new Map(operators.map((one) => [one.name, one])));
  const rows = names.map((name) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      ...known.map((operators) => {
        const one = operators.get(name);
        if (one === undefined) return h('td', {}, '–');
        const mark = one.problem === undefined ? '' : 'mark-unequal';
        return h('td', { class: mark }, `${format.count(one.passed)} of ${format.count(one.cases)}`);
      }),
    ),
  );
  const heads = ['Operator', ...platforms.map(({ platform }) => `Cases passed, ${platform}`)];
  return h(
    'details',
    {},
    h('summary', {}, `All ${format.plural(names.length, 'operator')}`),
    h(
      'div',
      // To be scrolled by the keyboard.
      { class: 'scroll suite-operators', tabindex: 0, role: 'region', 'aria-label': 'All operators' },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
        h('tbody', {}, ...rows),
      ),
    ),
  );
}
