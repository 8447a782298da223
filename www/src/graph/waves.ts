/** The analyzed base program: how many operators could run at once, wave by wave, and of which kind. */
import * as format from '../format.js';
import { h } from '../ui/dom.js';
import { colorOf } from '../ui/theme.js';
import { groupBy, listOf, type Lists } from './csr.js';
import { type Kind, kindOf, KINDS } from './kinds.js';
import type { StageGraph } from './stage-graph.js';

const HEIGHT = 96;
const TOP = 6;

/** A bar chart of waves. */
export class Waves {
  readonly #canvas = h('canvas', { tabindex: 0, role: 'slider', 'aria-label': 'Waves' });
  readonly #text = h('p', { class: 'note', 'aria-live': 'polite' });
  readonly #picked: (wave: number, ops: Uint32Array) => void;
  #graph: StageGraph | undefined;
  #waves: Lists = { start: new Uint32Array(1), items: new Uint32Array() };
  /** Operators of a kind in a wave, at wave * KINDS.length + kind. */
  #counts = new Uint32Array();
  #most = 1;
  #pointed: number | undefined;
  #marked: { wave: number; kind: 'selected' | 'producer' | 'reader' }[] = [];

  constructor(host: HTMLElement, picked: (wave: number, ops: Uint32Array) => void) {
    this.#picked = picked;
    host.append(this.#canvas, this.#text);
    this.#canvas.addEventListener('pointermove', ({ offsetX }) => this.#point(this.#waveAt(offsetX)));
    this.#canvas.addEventListener('pointerleave', () => this.#point(undefined));
    this.#canvas.addEventListener('click', ({ offsetX }) => this.#pick(this.#waveAt(offsetX)));
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.repaint()).observe(host);
  }

  show(graph: StageGraph): void {
    if (this.#graph !== graph) {
      this.#graph = graph;
      const { wave } = graph.view;
      const waves = wave.reduce((most, one) => Math.max(most, one), 0) + 1;
      const kinds = graph.view.types.map((type) => KINDS.indexOf(kindOf(type)));
      this.#waves = groupBy(graph.size, waves, (op) => wave[op]!);
      this.#counts = new Uint32Array(waves * KINDS.length);
      for (let op = 0; op < graph.size; op++) {
        this.#counts[wave[op]! * KINDS.length + kinds[graph.view.type[op]!]!]!++;
      }
      this.#most = 1;
      for (let one = 0; one < waves; one++) {
        this.#most = Math.max(this.#most, listOf(this.#waves, one).length);
      }
      this.#pointed = undefined;
      this.#marked = [];
    }
    this.repaint();
    this.#say();
  }

  /** Marks the waves of the selected operator, its producers and its readers. */
  mark(selected: number | undefined, producers: readonly number[], readers: readonly number[]): void {
    const wave = (op: number): number => this.#graph!.view.wave[op]!;
    this.#marked =
      selected === undefined
        ? []
        : [
            ...producers.map((op) => ({ wave: wave(op), kind: 'producer' as const })),
            ...readers.map((op) => ({ wave: wave(op), kind: 'reader' as const })),
            { wave: wave(selected), kind: 'selected' as const },
          ];
    this.repaint();
  }

  repaint(): void {
    const canvas = this.#canvas;
    const width = canvas.clientWidth;
    if (this.#graph === undefined || width === 0) return;
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const colors = KINDS.map((kind: Kind) => colorOf(`--kind-${kind}`));
    const step = width / this.#size;
    const bar = step > 3 ? step - 1 : step;
    for (let wave = 0; wave < this.#size; wave++) {
      let bottom = HEIGHT - 8;
      for (const [kind, color] of colors.entries()) {
        const height = (this.#counts[wave * KINDS.length + kind]! / this.#most) * (HEIGHT - 8 - TOP);
        context.fillStyle = color;
        context.fillRect(wave * step, bottom - height, Math.max(bar, 0.5), height);
        bottom -= height;
      }
    }
    const marks = { producer: '--client', reader: '--evaluator', selected: '--ink' } as const;
    for (const { wave, kind } of this.#marked) {
      context.fillStyle = colorOf(marks[kind]);
      context.fillRect(wave * step - 1, HEIGHT - 6, Math.max(step, 3) + 1, 6);
    }
    if (this.#pointed !== undefined) {
      context.fillStyle = colorOf('--ink');
      context.globalAlpha = 0.14;
      context.fillRect(this.#pointed * step, 0, Math.max(step, 2), HEIGHT);
    }
  }

  get #size(): number {
    return this.#waves.start.length - 1;
  }

  #waveAt(x: number): number {
    const wave = Math.floor((x / this.#canvas.clientWidth) * this.#size);
    return Math.min(Math.max(wave, 0), this.#size - 1);
  }

  #point(wave: number | undefined): void {
    if (wave === this.#pointed) return;
    this.#pointed = wave;
    this.repaint();
    this.#say();
  }

  #pick(wave: number): void {
    this.#point(wave);
    this.#picked(wave, listOf(this.#waves, wave));
  }

  #key(event: KeyboardEvent): void {
    const at = this.#pointed ?? -1;
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: this.#size - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) this.#point(Math.min(Math.max(to, 0), this.#size - 1));
    else if (event.key === 'Enter' && at >= 0) this.#pick(at);
    else return;
    event.preventDefault();
  }

  #say(): void {
    const { size } = this.#graph!;
    const wave = this.#pointed;
    this.#canvas.setAttribute('aria-valuemin', '0');
    this.#canvas.setAttribute('aria-valuemax', String(this.#size - 1));
    this.#canvas.setAttribute('aria-valuenow', String(wave ?? 0));
    if (wave === undefined) {
      this.#text.textContent =
        `Analyzed: ${format.plural(size, 'operator')} in ${format.plural(this.#size, 'wave')}, at most ` +
        `${format.count(this.#most)} at once. A bar is a wave; select one to see its operators.`;
      return;
    }
    const counts = KINDS.flatMap((kind, index) => {
      const count = this.#counts[wave * KINDS.length + index]!;
      return count > 0 ? [`${format.count(count)} ${kind}`] : [];
    });
    this.#text.textContent = `Wave ${wave}: ${format.plural(listOf(this.#waves, wave).length, 'operator')} (${counts.join(', ')})`;
    this.#canvas.setAttribute('aria-valuetext', this.#text.textContent);
  }
}
