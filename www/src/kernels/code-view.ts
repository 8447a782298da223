/** A schedule, and the code that follows from it, to read. */
import { kernelText, make, type Schedule, scheduleName } from 'cipherloom/tune/kernels';
import * as format from '../format.js';
import { button, h } from '../ui/dom.js';
import { saveFile } from '../ui/save-file.js';

/** Lines of one function that are shown; all are in the file. */
const SHOWN = 400;

/** The schedule, and its code, which is made when it is opened. */
export function codeView(schedule: Schedule): HTMLElement {
  const name = scheduleName(schedule);
  const code = h('details', { class: 'kernels-code', 'data-testid': 'kernels-code' });
  code.append(h('summary', {}, 'The code that follows from it'));
  code.addEventListener(
    'toggle',
    () => {
      const { bytes } = make(schedule);
      const functions = kernelText(bytes);
      const text = functions.map(({ lines }) => lines.join('\n')).join('\n\n');
      const instructions = functions.reduce((sum, one) => sum + one.instructions, 0);
      code.append(
        h(
          'p',
          { class: 'note' },
          `${format.bytes(bytes.length)} of WebAssembly, ${format.plural(functions.length, 'function')}, ` +
            `${format.count(instructions)} instructions. The engine calls “closed”, from and to residues, and “open”, which leaves or takes doubles.`,
        ),
        button('Save as text', () => saveFile(`${name}.wat`, `${text}\n`, 'text/plain'), { class: 'small' }),
        ...functions.map(({ index, exported, lines, instructions: own }) =>
          h(
            'details',
            { class: 'kernels-function' },
            h(
              'summary',
              {},
              `Function ${index}${exported === undefined ? '' : ` (${exported})`}: ${format.plural(own, 'instruction')}`,
            ),
            listing(`Function ${index} of ${name}`, lines),
          ),
        ),
      );
    },
    { once: true },
  );
  return h(
    'section',
    { class: 'kernels-schedule', 'aria-label': `Schedule ${name}` },
    h('h4', {}, 'Schedule ', h('code', {}, name)),
    listing(`Schedule ${name}, as JSON`, [JSON.stringify(schedule)], true),
    code,
  );
}

/** Text that scrolls, by keys too. */
function listing(title: string, lines: readonly string[], wrapped = false): HTMLElement {
  const more = lines.length - SHOWN;
  const shown = lines.slice(0, SHOWN).join('\n');
  return h(
    'pre',
    {
      class: wrapped ? 'kernels-text wrapped' : 'kernels-text',
      tabindex: 0,
      role: 'region',
      'aria-label': title,
    },
    more > 0 ? `${shown}\n… and ${format.plural(more, 'more line')} in the file` : shown,
  );
}
