/** A work that needs no files: a picture, computed by processors and a GPU together. */
import {
  FixValueVector,
  fromModule,
  loadJob,
  type Row,
  SparseTextVector,
  threads,
  Var,
  VectorMap,
} from 'cipherloom/job';
import { h } from '../ui/dom.js';
import CPU from './operators/mandelbrot.ts?address';
import type { Picture } from './operators/mandelbrot.js';
import GPU from './operators/mandelbrot-gpu.ts?address';
import type { Prepared, Work } from './work.js';

/** Lines of a band: a task. */
const ROWS = 8;
const [WIDTH, HEIGHT] = [960, 640];

export class Mandelbrot implements Work {
  readonly id = 'mandelbrot';
  readonly title = 'Paint the Mandelbrot set';
  readonly about =
    'Needs no files: bands of a picture, on processors in TypeScript and, where there is one, on the GPU in WGSL.';
  readonly ways = { VectorMap: 'A call for each band of eight lines, here or on the GPU.' };
  readonly takes = (): boolean => false;
  readonly problem = (): undefined => undefined;
  readonly #most = h(
    'select',
    { 'data-testid': 'vectors-iterations' },
    ...[500, 2000, 8000].map((most) => h('option', { value: most }, most.toLocaleString('en-US'))),
  );
  #gpu: Promise<string> | undefined;

  constructor() {
    this.#most.value = '2000';
  }

  async fields(): Promise<readonly HTMLElement[]> {
    return [h('label', { class: 'field' }, h('span', {}, 'Iterations, at most'), this.#most)];
  }

  async prepare(): Promise<Prepared> {
    const gpu = await (this.#gpu ??= findGpu());
    const most = Number(this.#most.value);
    const step = 3 / WIDTH;
    const picture: Picture = { width: WIDTH, rows: ROWS, left: -2.2, top: -1, step, most };
    const bands = HEIGHT / ROWS;
    const on = { gpu: { module: GPU, name: 'band' } };
    const operator = fromModule(CPU, { name: 'band', type: 'float', ...(gpu !== '' && { on }) });
    return {
      definition: {
        inputs: { bands: FixValueVector({ parts: bands }) },
        globals: { picture: Var() },
        rounds: [VectorMap(operator)],
      },
      expected: bands,
      gpu: gpu === '' ? 0 : 1,
      note:
        gpu === ''
          ? 'This browser gives no GPU to workers (WebGPU), so processors do it all.'
          : `GPU: ${gpu}. Both compute with 32-bit floats; a GPU may round a product and a sum at once, so that single dots differ.`,
      async feed(job) {
        await job.globals['picture']!.emit('all', { ...picture });
        for (let band = 0; band < bands; band++) await job.inputs['bands']!.emit(band, band * ROWS);
      },
      columns: ['Band', 'Dots', 'Inside the set'],
      cells: ([band, value]) => {
        const dots = value as Uint32Array;
        const inside = dots.reduce((sum, count) => sum + Number(count === most), 0);
        return [String(band), dots.length.toLocaleString('en-US'), inside.toLocaleString('en-US')];
      },
      picture: (rows) => paint(rows, most),
    };
  }
}

/** What GPU a job's worker has, asked there by a job of one row; an empty text for none. */
async function findGpu(): Promise<string> {
  const crew = threads({ cpu: 0, gpu: 1 });
  try {
    const operator = fromModule(GPU, { name: 'probe', processor: 'gpu' });
    const rounds = [VectorMap(operator)];
    const job = await loadJob({ inputs: { one: SparseTextVector({ parts: 1 }) }, rounds }, { crew });
    await job.inputs['one']!.emit(0, '');
    for await (const [, value] of (await job.run()).getItr()) return value as string;
    return '';
  } catch {
    return '';
  } finally {
    await crew.close();
  }
}

function paint(rows: readonly Row[], most: number): HTMLElement {
  const canvas = h('canvas', {
    class: 'vectors-picture',
    role: 'img',
    'aria-label': 'The Mandelbrot set',
    width: WIDTH,
    height: HEIGHT,
    'data-testid': 'vectors-picture',
  });
  const context = canvas.getContext('2d')!;
  for (const [band, value] of rows) {
    const dots = value as Uint32Array;
    const image = context.createImageData(WIDTH, dots.length / WIDTH);
    for (const [at, count] of dots.entries()) {
      const share = count === most ? 0 : Math.log(count + 1) / Math.log(most + 1);
      const color = [9 + 246 * share ** 0.8, 20 + 215 * share ** 1.3, 60 + 120 * share * (1.4 - share)];
      image.data.set(count === most ? [8, 17, 15, 255] : [...color, 255], at * 4);
    }
    context.putImageData(image, 0, (band as number) * ROWS);
  }
  return canvas;
}
