/** Edges of a visitor's picture: BGV. */
import type { Decrypted } from 'cipherloom';
import * as format from '../../format.js';
import { button, h } from '../../ui/dom.js';
import type { Answer, Application, ApplicationEvents, Question } from '../application.js';
import { captioned, grayPicture } from '../pictures.js';
import { describeEdges, edgePicture, type Picture, SIDE, steepnessOf } from './edges.js';
import { readPicture } from './read-picture.js';
import { samplePicture } from './sample.js';

export class EdgesView implements Application {
  readonly id = 'edges';
  readonly title = 'Edges in a picture';
  readonly about = 'A server finds the outlines in your picture, and never sees it.';
  readonly client = 'Holds the picture and the *secret key*, and sees the outlines.';
  readonly evaluator =
    'Knows which filter is asked for and the size of the picture. It sees *no pixel*, neither of the picture nor of its outlines.';
  readonly upload = 'Encrypted picture';
  readonly download = 'Encrypted outlines';
  readonly describe = describeEdges;
  readonly #preview = h('div', { class: 'preview' });
  #picture: Picture = samplePicture();

  async open(host: HTMLElement, events: ApplicationEvents): Promise<void> {
    const take = (picture: Picture, name: string): void => {
      this.#picture = picture;
      this.#preview.replaceChildren(captioned(grayPicture(picture, name), name));
      events.changed();
    };
    const input = h('input', {
      class: 'sr-only',
      type: 'file',
      accept: 'image/*',
      'data-testid': 'picture-file',
    });
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      input.value = '';
      if (file === undefined) return;
      readPicture(file).then(
        (picture) => take(picture, `Your picture, ${SIDE} × ${SIDE} pixels in shades of gray`),
        (error: unknown) => events.failed(error, `reading ${file.name}`),
      );
    });
    const takeSample = (): void => take(samplePicture(), `The sample picture, ${SIDE} × ${SIDE} pixels`);
    host.replaceChildren(
      h(
        'div',
        { class: 'row' },
        h('label', { class: 'button' }, 'Choose a picture', input),
        button('Use the sample', takeSample, { 'data-testid': 'picture-sample' }),
      ),
      h(
        'p',
        { class: 'note' },
        `The middle of it is shrunk to ${SIDE} × ${SIDE} pixels. It stays in this tab: nothing is sent anywhere.`,
      ),
      this.#preview,
    );
    takeSample();
  }

  question(): Question {
    const picture = this.#picture;
    return {
      inputs: { picture: picture.map((row) => [...row]) },
      plain: {},
      answer: ({ steepness }) => answerOf(picture, steepness!),
    };
  }
}

function answerOf(picture: Picture, decrypted: Decrypted): Answer {
  const found = decrypted as number[][];
  const expected = steepnessOf(picture);
  const wrong = expected.flatMap((row, y) => row.filter((value, x) => value !== found[y]![x])).length;
  const all = SIDE * SIDE;
  const verdict =
    wrong === 0
      ? `All ${format.count(all)} pixels equal those computed in the clear, to the last bit.`
      : `${format.count(wrong)} of ${format.count(all)} pixels differ from those computed in the clear.`;
  return {
    verdict,
    agrees: wrong === 0,
    contents: [
      h(
        'div',
        { class: 'picture-row' },
        captioned(grayPicture(picture, 'The picture'), 'What you have'),
        captioned(
          grayPicture(edgePicture(found), 'Outlines from the encrypted picture'),
          'From the encrypted picture',
        ),
        captioned(grayPicture(edgePicture(expected), 'Outlines computed in the clear'), 'In the clear'),
      ),
    ],
  };
}
