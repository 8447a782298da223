/** Handwritten digits: BGV. */
import type { Decrypted } from 'cipherloom';
import networkAddress from '../../../../data/digits-network.json?url';
import pictureAddress from '../data/held-out-digits.json?url';
import * as format from '../../format.js';
import { button, h } from '../../ui/dom.js';
import type { Answer, Application, ApplicationEvents, Question } from '../application.js';
import { fetchJson } from '../fetch-asset.js';
import { captioned, inkPicture } from '../pictures.js';
import { DrawingPad } from './drawing-pad.js';
import {
  bestOf,
  describeNetwork,
  MOST,
  type Network,
  networkInputs,
  pixelsFrom,
  scoresOf,
  SIDE,
} from './network.js';
import { pixelsOfStrokes } from './strokes.js';

interface HeldOut {
  readonly pixels: string;
  readonly digit: number;
}

export class DigitsView implements Application {
  readonly id = 'digits';
  readonly title = 'A digit in your handwriting';
  readonly about = 'A server’s neural network reads what you draw, and never sees it.';
  readonly client = 'Holds what you draw and the *secret key*, and learns which digit it was taken for.';
  readonly evaluator =
    'Holds the network, whose weights stay there. It sees *neither the drawing nor the digit*.';
  readonly upload = 'Encrypted drawing';
  readonly download = 'Encrypted scores';
  readonly #preview = h('div', { class: 'preview' });
  #network: Network | undefined;
  #pixels: readonly number[] = [];

  async open(host: HTMLElement, events: ApplicationEvents): Promise<void> {
    const [network, pictures] = await Promise.all([
      fetchJson<Network>(networkAddress),
      fetchJson<HeldOut[]>(pictureAddress),
    ]);
    this.#network = network;
    const choices = h(
      'fieldset',
      { class: 'digit-choices' },
      h('legend', { class: 'note' }, 'Or take one that others wrote:'),
    );
    const take = (pixels: readonly number[], name: string): void => {
      this.#pixels = pixels;
      this.#preview.replaceChildren(captioned(inkPicture(pixels, SIDE, MOST, name), name));
      events.changed();
    };
    const inputs = pictures.map(({ pixels: text, digit }, index) => {
      const pixels = pixelsFrom(text);
      const input = h('input', { class: 'sr-only', type: 'radio', name: 'digit', value: index });
      input.addEventListener('change', () => {
        pad.clear();
        take(pixels, `A ${digit} that somebody wrote, in ${SIDE} × ${SIDE} pixels`);
      });
      const name = `A ${digit}, picture ${(index % 3) + 1} of 3`;
      choices.append(h('label', { class: 'digit-choice' }, input, inkPicture(pixels, SIDE, MOST, name)));
      return input;
    });
    const pad = new DrawingPad((strokes) => {
      for (const input of inputs) input.checked = false;
      take(pixelsOfStrokes(strokes), `Your drawing, in ${SIDE} × ${SIDE} pixels: this is encrypted`);
    });
    const takeFirst = (): void => {
      pad.clear();
      inputs[FIRST]!.checked = true;
      inputs[FIRST]!.dispatchEvent(new Event('change'));
    };
    host.replaceChildren(
      h(
        'div',
        { class: 'drawing' },
        h(
          'div',
          { class: 'drawing-side' },
          h('p', { class: 'note' }, 'Draw one digit, large:'),
          pad.element,
          button('Clear', takeFirst, { class: 'small', 'data-testid': 'drawing-clear' }),
        ),
        h('div', { class: 'drawing-side' }, h('p', { class: 'note' }, 'What is encrypted:'), this.#preview),
      ),
      choices,
      h(
        'p',
        { class: 'note' },
        'The pictures are of ',
        h('cite', {}, 'Optical Recognition of Handwritten Digits'),
        ' by Alpaydin and Kaynak, from the ',
        h(
          'a',
          { href: 'https://doi.org/10.24432/C50P49', rel: 'noreferrer' },
          'UCI Machine Learning Repository',
        ),
        ', 1998, ',
        h('a', { href: 'https://creativecommons.org/licenses/by/4.0/', rel: 'noreferrer' }, 'CC BY 4.0'),
        '. The network has not learned from these.',
      ),
    );
    takeFirst();
  }

  describe(loom: Parameters<Application['describe']>[0]): ReturnType<Application['describe']> {
    return describeNetwork(loom, this.#network!);
  }

  question(): Question {
    const [network, pixels] = [this.#network!, this.#pixels];
    return {
      inputs: { picture: [...pixels] },
      plain: networkInputs(network),
      answer: ({ scores }) => answerOf(scores!, scoresOf(network, pixels)),
    };
  }
}

/** Shown first: a three. */
const FIRST = 9;

function answerOf(decrypted: Decrypted, expected: readonly number[]): Answer {
  const found = decrypted as number[];
  const wrong = expected.filter((score, digit) => score !== found[digit]).length;
  const best = bestOf(found);
  const verdict =
    wrong === 0
      ? 'All ten scores equal those computed in the clear, to the last bit.'
      : `${wrong} of 10 scores differ from those computed in the clear.`;
  const most = Math.max(...found.map(Math.abs), 1);
  return {
    verdict,
    agrees: wrong === 0,
    contents: [
      h(
        'div',
        { class: 'digit-answer' },
        h(
          'p',
          { class: 'reading' },
          h('span', {}, 'It reads a'),
          h('strong', { 'data-testid': 'digit', 'data-clear': bestOf(expected) }, String(best)),
        ),
        h(
          'table',
          { class: 'scores' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              h('th', { scope: 'col' }, 'Digit'),
              h('th', { scope: 'col' }, 'Score from the encrypted drawing'),
              h('td', { class: 'score-bar' }),
              h('th', { scope: 'col' }, 'In the clear'),
            ),
          ),
          h(
            'tbody',
            {},
            ...found.map((score, digit) => scoreLine(digit, score, expected[digit]!, best, most)),
          ),
        ),
      ),
      h('p', { class: 'note' }, 'The digit with the largest score is what was read. Scores have no unit.'),
    ],
  };
}

function scoreLine(digit: number, score: number, expected: number, best: number, most: number): HTMLElement {
  const bar = h('span', { class: score < 0 ? 'bar-below' : 'bar-above' });
  bar.style.width = `${(50 * Math.abs(score)) / most}%`;
  const mark =
    expected === score
      ? h('span', { class: 'mark-equal' }, '= ')
      : h('span', { class: 'mark-unequal' }, '≠ ');
  return h(
    'tr',
    {
      class: digit === best ? 'best' : '',
      'data-testid': 'score',
      'data-encrypted': score,
      'data-plain': expected,
    },
    h('th', { scope: 'row' }, String(digit)),
    h('td', { class: 'figure' }, format.count(score)),
    h('td', { class: 'score-bar', 'aria-hidden': 'true' }, h('span', {}, bar)),
    h('td', { class: 'figure' }, mark, format.count(expected)),
  );
}
