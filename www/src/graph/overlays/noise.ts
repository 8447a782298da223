/**
 * Noise or precision, as it is bounded before the run: of an operator what `Program.explain` says of the value of the task that its
 * ancestor computes. BFV and BGV: bits left before decryption fails; CKKS: log2 of how much it may be off. Hot is what has least left, or
 * is furthest off.
 */
import type { ExplainedValue } from 'cipherloom';
import * as format from '../../format.js';
import { type NodeId, opOf, stageOf } from '../staged-graphs.js';
import { byStage, type OverlayKind } from './overlay.js';
import { heatOf, scale } from './tints.js';

export const noise: OverlayKind = {
  id: 'noise',
  title: 'Noise or precision',
  isOffered: ({ graphs }) => graphs.values !== undefined,
  make: async ({ graphs }) => {
    const values = await graphs.values!();
    const isReal = values.some(({ errorBits }) => errorBits !== undefined);
    const figures = values.map((value) => figureOf(value, isReal));
    const known = figures.filter((figure) => !Number.isNaN(figure));
    const [low, high] = [Math.min(...known), Math.max(...known)];
    // Inputs come first, then operators, which are what parents are numbers of.
    const inputs = values.filter(({ operator }) => operator === undefined).length;
    const of = byStage((stage): Float64Array => {
      if (stage === 0)
        return Float64Array.from(graphs.origin, (at) => (at < 0 ? NaN : figures[inputs + at]!));
      const above = of(stage - 1);
      return Float64Array.from(graphs.at(stage)!.view.parent, (at) => (at < 0 ? NaN : above[at]!));
    });
    const figure = (node: NodeId): number | undefined => {
      const found = of(stageOf(node))[opOf(node)]!;
      return Number.isNaN(found) ? undefined : found;
    };
    const [good, bad] = isReal ? [low, high] : [high, low];
    const text = (bits: number): string => (isReal ? format.power(bits) : format.bits(bits));
    const said = (bits: number): string =>
      isReal ? `error at most ${text(bits)}` : `at least ${text(bits)} left`;
    return {
      legend: known.length === 0 ? [] : scale(said(good), said(bad)),
      tint: (node) => {
        const bits = figure(node);
        return bits === undefined ? undefined : heatOf(low === high ? 0 : (bits - good) / (bad - good));
      },
      text: (node) => {
        const bits = figure(node);
        return bits === undefined ? undefined : text(bits);
      },
    };
  },
};

/** NaN where nothing is known, or nothing can go wrong. */
function figureOf({ errorBits, budgetBits }: ExplainedValue, isReal: boolean): number {
  const bits = isReal ? errorBits : budgetBits;
  return bits !== undefined && Number.isFinite(bits) ? bits : NaN;
}
