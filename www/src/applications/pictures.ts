/** Pictures as elements. */
import { h, s } from '../ui/dom.js';

/** A small picture in the page's own ink: as many shades as `most`, 0 for none. */
export function inkPicture(
  pixels: readonly number[],
  side: number,
  most: number,
  title: string,
): SVGSVGElement {
  const cells = pixels.flatMap((ink, at) =>
    ink === 0
      ? []
      : [
          s('rect', {
            x: at % side,
            y: Math.floor(at / side),
            width: 1,
            height: 1,
            'fill-opacity': (ink / most).toFixed(2),
          }),
        ],
  );
  return s(
    'svg',
    { class: 'ink', viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': title },
    ...cells,
  );
}

/** A picture in shades of gray, 0 to 255, in rows. */
export function grayPicture(rows: readonly (readonly number[])[], title: string): HTMLCanvasElement {
  const canvas = h('canvas', { class: 'gray', role: 'img', 'aria-label': title });
  canvas.width = rows[0]?.length ?? 0;
  canvas.height = rows.length;
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(canvas.width, canvas.height);
  for (const [at, gray] of rows.flat().entries()) image.data.set([gray, gray, gray, 255], 4 * at);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** With a line below it. */
export function captioned(picture: Element, ...caption: readonly (Node | string)[]): HTMLElement {
  return h('figure', { class: 'picture-box' }, picture, h('figcaption', { class: 'note' }, ...caption));
}
