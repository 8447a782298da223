/**
 * A picture on a canvas, for what is too much to be elements: boxes in boxes as one sees them from afar. What would be smaller than a
 * few pixels is one box, names stand where they can be read, lines where they can be told apart: so the time is bounded by the canvas,
 * and not by the graph.
 */
import type { Marks } from './diagram.js';
import { marked } from './diagram-marks.js';
import { type Ink, readInk, resolved } from './ink.js';
import { TITLE } from './layout.js';
import { segmentMeets } from './lines.js';
import type { Looks } from './looks.js';
import { subtitle } from './measure.js';
import { PAGE } from './picture.js';
import type { Box, Scene } from './scene.js';
import { opOf } from './staged-graphs.js';

/** Pixels that every operator of a group needs for the group to be drawn as more than a box. */
const EACH = 60;
/** Pixels that a group is high at least to be drawn as more than a box. */
const LEAST_HEIGHT = 9;
/** From this zoom on, names in closed boxes can be read. */
const NAMED = 0.5;
/** Points of lines that are drawn at once; what is marked comes on top of them. */
const MOST_POINTS = 9000;
/** Pixels that a group is high at least for its lines to be told apart. */
const LINED = 60;

export class FarPicture {
  #ink: Ink | undefined;
  readonly #colors = new Map<string, string>();
  readonly #looks: Looks;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  /** Colours may be others. */
  recolor(): void {
    this.#ink = undefined;
    this.#colors.clear();
  }

  /** Draws what is in `view`, whose corner is that of the canvas; `scale` is pixels of the canvas for a unit. Gives the number of boxes. */
  draw(
    context: CanvasRenderingContext2D,
    scene: Scene,
    view: Box,
    scale: number,
    ratio: number,
    marks: Marks | undefined,
  ): number {
    const ink = (this.#ink ??= readInk());
    const zoom = scale / ratio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    context.lineWidth = 1 / zoom;
    let [boxes, points] = [0, 0];
    const rings: { box: Box; color: string }[] = [];
    scene.visit(view, {
      group: (_, { lines, boxes: own, height }, left, top) => {
        if (height * zoom < LINED || own.length * 2 > MOST_POINTS || points > MOST_POINTS) return;
        context.beginPath();
        for (const line of lines) {
          if (points > MOST_POINTS) break;
          for (let at = 2; at < line.length; at += 2) {
            const [x0, y0, x1, y1] = [
              line[at - 2]! + left,
              line[at - 1]! + top,
              line[at]! + left,
              line[at + 1]! + top,
            ];
            if (!segmentMeets(x0, y0, x1, y1, view)) continue;
            points += 2;
            context.moveTo(x0, y0);
            context.lineTo(x1, y1);
          }
        }
        context.globalAlpha = 0.55;
        context.lineWidth = Math.max(1, 0.7 / zoom);
        context.strokeStyle = ink.line;
        context.stroke();
        context.globalAlpha = 1;
      },
      operator: (item, x, y, width, height) => {
        boxes++;
        const color = this.#color(this.#looks.paint(item));
        const { inner } = item;
        const isWide = inner !== undefined && isSeen(width, height, inner.items.length, zoom);
        if (isWide) {
          context.fillStyle = ink.card;
          context.fillRect(x, y, width, height);
          context.globalAlpha = 0.08;
          context.fillStyle = color;
          context.fillRect(x, y, width, height);
          context.globalAlpha = 0.6;
          context.strokeStyle = color;
          context.lineWidth = 1 / zoom;
          context.strokeRect(x, y, width, height);
          context.globalAlpha = 1;
          const name = `${item.type} #${opOf(item.node)}`;
          const pages =
            inner.pages > 1
              ? `, ${inner.page * PAGE + 1} and on, part ${inner.page + 1} of ${inner.pages}`
              : '';
          this.#title(context, `${name}${pages}`, x, y, width, zoom, ink);
        } else if (zoom >= NAMED) {
          context.fillStyle = ink.card;
          context.fillRect(x, y, width, height);
          context.strokeStyle = ink.line;
          context.lineWidth = 1;
          context.strokeRect(x, y, width, height);
          context.fillStyle = color;
          context.fillRect(x, y, 3.5, height);
          context.font = `600 12px ${ink.mono}`;
          context.fillStyle = ink.text;
          context.fillText(item.type, x + 13, y + 19);
          context.font = `11px ${ink.mono}`;
          context.fillStyle = ink.soft;
          context.fillText(subtitle(item), x + 13, y + 36);
        } else {
          context.fillStyle = color;
          context.fillRect(x, y, Math.max(width, 1 / zoom), Math.max(height, 1 / zoom));
        }
        const ring = marks && marked(marks, item, !isWide, ink);
        if (ring !== undefined) rings.push({ box: { x, y, width, height }, color: ring });
        return isWide;
      },
      port: ({ text, kind }, x, y, width, height) => {
        context.strokeStyle = kind === 'input' ? ink.client : kind === 'output' ? ink.evaluator : ink.line;
        context.lineWidth = 1 / zoom;
        context.fillStyle = ink.sunken;
        context.fillRect(x, y, width, height);
        context.strokeRect(x, y, width, height);
        if (zoom < NAMED) return;
        context.font = `12px ${ink.mono}`;
        context.fillStyle = ink.soft;
        context.fillText(text, x + 13, y + height / 2 + 4);
      },
    });
    if (marks !== undefined) this.#lines(context, scene, marks, zoom, ink);
    for (const { box, color } of rings) {
      context.lineWidth = 2.5 / Math.min(zoom, 1);
      context.strokeStyle = color;
      const least = 4 / zoom;
      context.strokeRect(box.x, box.y, Math.max(box.width, least), Math.max(box.height, least));
    }
    return boxes;
  }

  /** A name as large as it can be read, where there is room for it. */
  #title(
    context: CanvasRenderingContext2D,
    text: string,
    x: number,
    y: number,
    width: number,
    zoom: number,
    ink: Ink,
  ): void {
    const pixels = Math.max(12 * zoom, 9);
    if (TITLE * zoom < 6 || text.length * 0.6 * pixels > width * zoom - 8) return;
    context.font = `600 ${pixels / zoom}px ${ink.mono}`;
    context.fillStyle = ink.text;
    context.fillText(text, x + 6 / zoom, y + (TITLE * zoom) / 2 / zoom + pixels / zoom / 3);
  }

  /** The lines of the operator that is told about, beside those to its own box. */
  #lines(context: CanvasRenderingContext2D, scene: Scene, marks: Marks, zoom: number, ink: Ink): void {
    const { subject } = marks;
    const located = subject === undefined ? undefined : scene.find(subject);
    if (located === undefined) return;
    const { group, placed, left, top, item } = located;
    const own = group.items.indexOf(item);
    for (const [color, end] of [
      [ink.client, 1],
      [ink.evaluator, 0],
    ] as const) {
      context.beginPath();
      for (const [edge, line] of placed.lines.entries()) {
        if (group.edges[2 * edge + end] !== own) continue;
        context.moveTo(line[0]! + left, line[1]! + top);
        for (let at = 2; at < line.length; at += 2) context.lineTo(line[at]! + left, line[at + 1]! + top);
      }
      context.strokeStyle = color;
      context.lineWidth = 2 / Math.min(zoom, 1);
      context.stroke();
    }
  }

  #color(property: string): string {
    let color = this.#colors.get(property);
    if (color === undefined) this.#colors.set(property, (color = resolved(property)));
    return color;
  }
}

/** Whether what is in a box is drawn at this zoom. */
export function isSeen(width: number, height: number, items: number, zoom: number): boolean {
  return height * zoom >= LEAST_HEIGHT && width * height * zoom * zoom >= items * EACH;
}
