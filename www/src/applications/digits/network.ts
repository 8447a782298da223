/** Handwritten digits: the network, as a task and in the clear. */
import type { Loom, LoomTask, Value } from 'cipherloom';

/** Pixels along a side, and the most of one. */
export const SIDE = 8;
export const MOST = 16;

interface Layer {
  readonly weights: readonly (readonly number[])[];
  readonly bias: readonly number[];
}

/** Two layers of whole numbers, with squares between them. */
export interface Network {
  readonly hidden: Layer;
  readonly output: Layer;
}

const PARTS = ['weights', 'bias'] as const;

/** The task: a picture is encrypted, weights and biases are the server's own. */
export function describeNetwork(loom: Loom, { hidden, output }: Network): LoomTask {
  const task = loom.task();
  const picture = task.encrypted('picture', { shape: [SIDE * SIDE], min: 0, max: MOST });
  const apply = (name: string, layer: Layer, x: Value): Value => {
    const [weights, bias] = PARTS.map((part) => {
      const cells = layer[part];
      const most = cells.flat().reduce((largest, cell) => Math.max(largest, Math.abs(cell)), 0);
      const shape = part === 'bias' ? [cells.length] : [cells.length, layer.weights[0]!.length];
      return task.plain(`${name} ${part}`, { shape, min: -most, max: most });
    }) as [Value, Value];
    return weights.matmul(x).add(bias);
  };
  task.output('scores', apply('output', output, apply('hidden', hidden, picture).square()));
  return task;
}

/** The server's own inputs. */
export function networkInputs(network: Network): Record<string, number[] | number[][]> {
  return Object.fromEntries(
    (['hidden', 'output'] as const).flatMap((name) => [
      [`${name} weights`, network[name].weights.map((row) => [...row])],
      [`${name} bias`, [...network[name].bias]],
    ]),
  );
}

/** What the network says of a picture, in the clear: a score for each digit. */
export function scoresOf({ hidden, output }: Network, picture: readonly number[]): number[] {
  const squares = apply(hidden, picture).map((sum) => sum ** 2);
  return apply(output, squares);
}

/** The digit of the largest score. */
export function bestOf(scores: readonly number[]): number {
  return scores.indexOf(Math.max(...scores));
}

/** A picture as it is written in the files: a character for each pixel. */
export function pixelsFrom(text: string): number[] {
  return Array.from(text, (pixel) => parseInt(pixel, MOST + 1));
}

function apply({ weights, bias }: Layer, x: readonly number[]): number[] {
  return weights.map((row, i) => row.reduce((sum, weight, k) => sum + weight * x[k]!, bias[i]!));
}
