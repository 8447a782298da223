/** A schedule, and the code that follows from it, to read. */
import {
  kernelText,
  type Made,
  type MadeShader,
  make,
  type Schedule,
  scheduleName,
} from 'cipherloom/tune/kernels';
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
      const made = make(schedule);
      code.append(...('body' in made ? shader(name, made) : functions(name, made)));
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

/** WebAssembly, function by function. */
function functions(name: string, { bytes }: Made): HTMLElement[] {
  const found = kernelText(bytes);
  const text = found.map(({ lines }) => lines.join('\n')).join('\n\n');
  const instructions = found.reduce((sum, one) => sum + one.instructions, 0);
  return [
    h(
      'p',
      { class: 'note' },
      `${format.bytes(bytes.length)} of WebAssembly, ${format.plural(found.length, 'function')}, ` +
        `${format.count(instructions)} instructions. The engine calls “closed”, from and to residues, and “open”, which leaves or takes doubles.`,
    ),
    button('Save as text', () => saveFile(`${name}.wat`, `${text}\n`, 'text/plain'), { class: 'small' }),
    ...found.map(({ index, exported, lines, instructions: own }) =>
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
  ];
}

/** A shader, which is text already. */
function shader(name: string, { body, passes }: MadeShader): HTMLElement[] {
  return [
    h(
      'p',
      { class: 'note' },
      `${format.bytes(body.length)} of WGSL, ${passes.length === 1 ? 'one pass' : `${format.count(passes.length)} passes`}.`,
    ),
    button('Save as text', () => saveFile(`${name}.wgsl`, body, 'text/plain'), { class: 'small' }),
    listing(`Shader ${name}`, body.split('\n')),
  ];
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
