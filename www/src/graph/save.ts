/** The graph that is shown, as a file: the picture as it is drawn, and the stage's operators as text and as JSON. */
import type { StageGraph } from './stage-graph.js';

/** Operators that are written before others get their turn. */
const BATCH = 4096;
/** Longest side of a picture of pixels, and its pixels for each unit. */
const [LONGEST, SHARP] = [8192, 2];
/** What of its style a picture keeps, and what an element has that says nothing. */
const STYLE = {
  fill: 'rgb(0, 0, 0)',
  stroke: 'none',
  'stroke-width': '1px',
  'stroke-dasharray': 'none',
  'stroke-linecap': 'butt',
  opacity: '1',
  'font-size': '',
  'font-weight': '400',
  'text-anchor': 'start',
} as const;

/** A picture that needs no page: a copy with its colours in it, and without what is for pressing; `background` is a colour of styles. */
export function svgText(svg: SVGSVGElement, background: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const hex = colours();
  const [of, to] = [svg.querySelectorAll<SVGElement>('*'), copy.querySelectorAll<SVGElement>('*')];
  for (const [index, element] of of.entries())
    if (element.closest('[data-act]') === null) paint(element, to[index]!, hex);
  for (const sign of copy.querySelectorAll('[data-act]')) sign.remove();
  const [, , width = '0', height = '0'] = (svg.getAttribute('viewBox') ?? '').split(' ');
  for (const { name } of [...copy.attributes]) if (name !== 'viewBox') copy.removeAttribute(name);
  const { fontFamily } = getComputedStyle(svg);
  const ground = document.createElementNS(svg.namespaceURI, 'rect');
  for (const [name, value] of Object.entries({ width, height, fill: hex(background).colour }))
    ground.setAttribute(name, value);
  copy.prepend(ground);
  for (const [name, value] of Object.entries({ width, height, 'font-family': fontFamily }))
    copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

/** Style becomes attributes; what the page needs an element by is taken away. */
function paint(from: SVGElement, to: SVGElement, hex: ReturnType<typeof colours>): void {
  const style = getComputedStyle(from);
  for (const { name } of [...to.attributes])
    if (/^(class|role|tabindex|style|aria-.*|data-.*)$/.test(name)) to.removeAttribute(name);
  for (const [name, usual] of Object.entries(STYLE)) {
    const value = style.getPropertyValue(name);
    if (value === usual) continue;
    if (name !== 'fill' && name !== 'stroke') to.setAttribute(name, value);
    else {
      const { colour, alpha: own } = hex(value);
      const alpha = own * Number(style.getPropertyValue(`${name}-opacity`));
      to.setAttribute(name, colour);
      if (alpha < 1) to.setAttribute(`${name}-opacity`, alpha.toFixed(3));
    }
  }
}

/** Any colour of styles as six digits, which every program reads, and how much it covers. */
function colours(): (value: string) => { readonly colour: string; readonly alpha: number } {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  const known = new Map<string, { readonly colour: string; readonly alpha: number }>();
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    let made = { colour: 'none', alpha: 1 };
    if (value !== 'none') {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = value;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue, cover] = context.getImageData(0, 0, 1, 1).data as unknown as number[];
      const digits = [red!, green!, blue!].map((part) => part.toString(16).padStart(2, '0')).join('');
      if (cover !== 0) made = { colour: `#${digits}`, alpha: cover! / 255 };
    }
    known.set(value, made);
    return made;
  };
}

/** A picture as pixels. Errors: of a browser that cannot draw it. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  // An address of its own kind: the page's policy takes pictures from no `blob:`.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SHARP, LONGEST / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return blobOf(canvas);
}

/** A canvas as pixels. Errors: of a browser that has no memory for it. */
export function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob === null ? reject(new Error('The browser has no memory for this picture')) : resolve(blob),
    ),
  );
}

/** Operators of a stage, a line each: `#3 limb.add {prime=1} <- #1, input x -> [8, 16)`. Pieces of a text. */
export async function listing(graph: StageGraph): Promise<readonly string[]> {
  const { inputNames, outputs } = graph.view;
  const name = (from: number): string => (from < 0 ? `input ${inputNames[-from - 1]}` : `#${from}`);
  return [
    ...(await batches(graph, (op) => {
      const attributes = graph.attributes(op);
      const read = Array.from(graph.inputs(op), name).join(', ');
      const what = `#${op} ${graph.type(op)}${attributes === '' ? '' : ` {${attributes}}`}`;
      return `${what}${read === '' ? '' : ` <- ${read}`} -> [${graph.placeholder(op).join(', ')})\n`;
    })),
    ...outputs.map(({ name: output, op }) => `output ${output} <- ${name(op)}\n`),
  ];
}

/**
 * A stage as JSON, in pieces: `{stage, unit, inputs, outputs: [{name, op}], operators: [{op, type, attributes, inputs, units, parent, wave}]}`. Producers are numbers of operators, or -(k + 1) for input k; `parent` is an
 * operator of the stage above, or -1.
 */
export async function jsonPieces(graph: StageGraph, stage: string, unit: number): Promise<readonly string[]> {
  const { inputNames, outputs, parent, wave } = graph.view;
  const head = JSON.stringify({ stage, unit, inputs: inputNames, outputs });
  const operators = await batches(graph, (op) => {
    const one = {
      op,
      type: graph.type(op),
      attributes: graph.attributes(op),
      inputs: [...graph.inputs(op)],
      units: graph.placeholder(op),
      parent: parent[op],
      wave: wave[op],
    };
    return `${op === 0 ? '' : ','}\n${JSON.stringify(one)}`;
  });
  return [`${head.slice(0, -1)},"operators":[`, ...operators, '\n]}\n'];
}

/** One text for each batch of operators; a hundred thousand of them do not hold up the page. */
async function batches(graph: StageGraph, write: (op: number) => string): Promise<string[]> {
  const pieces: string[] = [];
  for (let from = 0; from < graph.size; from += BATCH) {
    let piece = '';
    for (let op = from; op < Math.min(from + BATCH, graph.size); op++) piece += write(op);
    pieces.push(piece);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return pieces;
}
