/** The tab “Kernels”: the implementations that this device has for the operators that count most, measured when the visitor asks for it, and the code of those that are made here. */
import * as format from '../format.js';
import { Job, type JobEnd, type Working } from '../verify/job.js';
import { h } from '../ui/dom.js';
import { step } from '../ui/step.js';
import { bestOf, type Finding } from './findings.js';
import { DIMENSIONS } from './operators.js';
import { BestTable, operatorView } from './report.js';
import { measureDevice } from './session.js';
import './kernels.css';

/** How thorough a search is. */
const SEARCHES = {
  0: 'built-in kernels alone',
  6: '6 schedules',
  12: '12 schedules',
  36: '36 schedules',
  96: '96 schedules',
};
const [USUAL_DIMENSION, USUAL_TRIALS] = [8192, 12];

export class Kernels {
  readonly #dimension = select(
    'dimension',
    DIMENSIONS.map((n) => [String(n), format.count(n)]),
    String(USUAL_DIMENSION),
  );
  readonly #trials = select('trials', Object.entries(SEARCHES), String(USUAL_TRIALS));
  readonly #report = h('div', { class: 'job-report', 'data-testid': 'kernels-report' });

  constructor(host: HTMLElement) {
    const job = h('div', { class: 'job' });
    host.replaceChildren(
      h(
        'section',
        { class: 'hero' },
        h('h1', {}, 'The fastest kernel that is right'),
        h(
          'p',
          { class: 'lead' },
          'Computing on ciphertexts is made of a few operators, such as transforms. A kernel is code for one of them; which is fastest depends on the processor. So this page measures yours: the kernels that are built in, and ' +
            'kernels that it writes here, as WebAssembly, by schedules (plans of a loop) that it tries. None counts unless it gives the same bits as the reference.',
        ),
      ),
      step(1, { prefix: 'kernels-', id: 'measure', title: 'Measure this device' }, job),
      step(2, { prefix: 'kernels-', id: 'found', title: 'What was found' }, this.#report),
    );
    new Job(job, [field('Ring dimension', this.#dimension), field('Search', this.#trials)], {
      title: 'Measure this device',
      during: 'measuring this device',
      testId: 'kernels',
      work: (working) => this.#run(working),
    });
    job.append(
      h(
        'p',
        { class: 'note' },
        'Nothing is measured before you press the button. It all happens in a worker with one thread, and nothing of it leaves this device. Times are medians, behind ' +
          '± stands half the range that the middle half of the samples has; another one is the best only if it beats the engine’s own choice by more than noise. Built-in kernels leave primes that they do not serve to scalar ones. A quiet device measures better.',
      ),
    );
    this.#report.append(h('p', { class: 'note' }, 'Nothing yet.'));
  }

  async #run(working: Working): Promise<JobEnd> {
    const asked = { n: Number(this.#dimension.value), trials: Number(this.#trials.value) };
    const table = new BestTable();
    const views = h('div', { class: 'kernels-operators' });
    this.#report.replaceChildren(table.element, views);
    const findings: Finding[] = [];
    const began = performance.now();
    const { device, generated } = await measureDevice(asked, working, (finding) => {
      findings.push(finding);
      table.add(finding);
      views.append(operatorView(finding));
    });
    working.signal.throwIfAborted();
    this.#report.append(
      h(
        'dl',
        { class: 'facts', 'data-testid': 'kernels-device' },
        ...[
          ['Class of this device', device],
          [
            'Kernels made here',
            generated ? 'run in this browser' : 'do not run: no relaxed SIMD that rounds once',
          ],
        ].flatMap(([term, text]) => [h('dt', {}, term as string), h('dd', {}, text as string)]),
      ),
    );
    const passed = findings.every((finding) => bestOf(finding) !== undefined);
    const made = findings.filter((finding) => bestOf(finding)?.kind === 'generated').length;
    const seconds = format.seconds((performance.now() - began) / 1000);
    return {
      passed,
      said: passed
        ? `Measured in ${seconds}: of ${findings.length} operators ${made === 0 ? 'none is' : `${made} ${made === 1 ? 'is' : 'are'}`} faster by kernels made here.`
        : 'A kernel of this build does not give what the reference does: see the table.',
    };
  }
}

function field(title: string, control: HTMLElement): HTMLElement {
  return h('label', { class: 'kernels-field' }, h('span', {}, title), control);
}

function select(
  name: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
): HTMLSelectElement {
  return h(
    'select',
    { id: `kernels-${name}`, 'data-testid': `kernels-${name}` },
    ...options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
}
