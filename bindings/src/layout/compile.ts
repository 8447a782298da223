/** From labels and a mode to instructions for each core [L5, L5d]. */
import { checkLabelled } from './checks.js';
import { type Dimension, product, type Sizes } from './dimensions.js';
import type { DynamicLabel } from './dynamic-label.js';
import { type LabelledOperator, type LabelPair, leadOf } from './label-operator.js';
import { clusterOfCore, localMemory, type Machine, partsOfPlace, type Place } from './machine.js';
import { boxSizes, type Need, needOf, sizesOfPair } from './need.js';
import { numberKind } from './numbers.js';
import { ADD } from './operators/add.js';
import { layoutOperator } from './operators/index.js';
import {
  type CoreStep,
  type Instruction,
  levelOf,
  type Plan,
  type PlacedPart,
  type PlannedResult,
} from './plan.js';
import { placesOf } from './prepare.js';
import { SCHEDULES } from './schedules/index.js';
import { classPlace } from './storage.js';
import type { Range } from './split-index.js';
import type { PortName } from './strategy.js';
import type { Box } from './tensor.js';

/** A piece of the output in a core's own memory. */
interface Piece {
  readonly core: number;
  readonly name: string;
  readonly sizes: Sizes;
  /** The step in which it was made. */
  readonly step: number;
}

/** How pieces become one: added, or one after the other. */
type How = 'sum' | { readonly to: Dimension };

/** Instructions for all cores, of labels and mode alone. Errors: LayoutError `layout.operands` for labels that do not suit the mode, those of `labelOperator` for labels that break a rule; InputError `input.type` for what is no labelled operator. */
export function compile(labelled: LabelledOperator): Plan {
  checkLabelled('compile', labelled);
  return new Compilation(labelled).plan();
}

class Compilation {
  readonly #labelled: LabelledOperator;
  readonly #on: Machine;
  readonly #steps: Map<number, Instruction[]>[] = [];
  readonly #placed: PlacedPart[] = [];
  /** What each core has in its own memory. */
  readonly #own = new Map<number, Set<string>>();
  #pieces = 0;

  constructor(labelled: LabelledOperator) {
    this.#labelled = labelled;
    this.#on = labelled.machine;
  }

  plan(): Plan {
    const { operator, mode, machine, input, weight, output } = this.#labelled;
    this.#place('input', input);
    if (weight !== undefined) this.#place('weight', weight);
    const groups = this.#gather(this.#compute());
    const [first, second] = layoutOperator(operator).ports;
    const a = first && leadOf(first, input.dynamic);
    const b = second && weight && leadOf(second, weight.dynamic);
    const how = howOf(a ?? b);
    const whole = output.dynamic.split.parts.length === 1 && groups.length > 1;
    const pieces = whole && how !== undefined ? [this.#tree(groups, how)] : groups;
    const results = pieces.map((piece, index) => this.#finish(piece, index));
    return {
      operator,
      mode,
      machine,
      type: output.dynamic.type,
      placed: this.#placed,
      steps: this.#steps.map((cores) =>
        [...cores]
          .sort(([x], [y]) => x - y)
          .map(([core, instructions]): CoreStep => ({ core, instructions })),
      ),
      results,
      joined: output.dynamic.split.dimension,
    };
  }

  /** Every task: what it reads, and the piece that it makes; by group. */
  #compute(): readonly { readonly owner: number; readonly pieces: readonly Piece[] }[] {
    const { mode } = this.#labelled;
    const { tasks, owners } = SCHEDULES[mode](this.#labelled);
    const groups = owners.map((owner) => ({ owner, pieces: [] as { piece: Piece; order: number }[] }));
    for (const task of [...tasks].sort((x, y) => x.step - y.step)) {
      const need = needOf(this.#labelled, task);
      if (need === undefined) continue;
      const { core, step } = task;
      const name = `o${++this.#pieces}`;
      this.#part(step, core, need, name);
      const sizes = need.output;
      groups[task.group]?.pieces.push({ piece: { core, name, sizes, step }, order: task.weight ?? 0 });
    }
    return groups
      .filter(({ pieces }) => pieces.length > 0)
      .map(({ owner, pieces }) => ({
        owner,
        pieces: pieces.sort((x, y) => x.order - y.order).map(({ piece }) => piece),
      }));
  }

  /** A part of the output, with what it reads. */
  #part(step: number, core: number, need: Need, output: string): void {
    const { operator, output: result } = this.#labelled;
    const { dims } = result.dynamic;
    if (need.nothing)
      return this.#emit(step, core, {
        kind: 'compute',
        operation: 'zeros',
        sizes: need.output,
        inputs: [],
        output,
        dims,
        operations: 0,
      });
    const of = layoutOperator(operator);
    const inputs = of.ports.map(({ name }) => this.#read(step, core, name, need[name]));
    this.#emit(step, core, {
      kind: 'compute',
      operation: operator,
      attributes: need.attributes,
      inputs,
      output,
      dims,
      operations: of.operations(
        boxSizes(sizesOfPair(this.#labelled.input), need.input),
        boxSizes(sizesOfPair(this.#labelled.weight), need.weight),
        need.output,
      ),
    });
  }

  /** The pieces of each group, together at its owner: added in the order of weight parts, or joined. */
  #gather(groups: readonly { readonly owner: number; readonly pieces: readonly Piece[] }[]): Piece[] {
    const { operator, weight } = this.#labelled;
    const port = layoutOperator(operator).ports[1];
    const how = howOf(port && weight && leadOf(port, weight.dynamic));
    const last = Math.max(...groups.flatMap(({ pieces }) => pieces.map(({ step }) => step)));
    return groups.map(({ owner, pieces }): Piece => {
      const [first] = pieces as [Piece, ...Piece[]];
      const apart = pieces.some(({ core }) => core !== owner);
      if (how === undefined || (pieces.length === 1 && !apart)) return first;
      const step = apart ? last + 1 : Math.max(...pieces.map((piece) => piece.step));
      for (const piece of pieces) if (piece.core !== owner) this.#send(piece, owner, step);
      return pieces.length === 1 ? { ...first, core: owner, step } : this.#combine(step, owner, pieces, how);
    });
  }

  /**
   * All pieces into one, by a tree: those of one core, then neighbours within each cluster, then neighbouring clusters, two at a time, round by round; the left one's core takes the right one's piece, and the last of
   * an odd number waits.
   */
  #tree(pieces: readonly Piece[], how: How): Piece {
    const cores: Piece[][] = [];
    for (const piece of pieces) {
      const last = cores.at(-1);
      if (last?.[0]?.core === piece.core) last.push(piece);
      else cores.push([piece]);
    }
    const own = cores.map((all): Piece => {
      const [first] = all as [Piece, ...Piece[]];
      return all.length === 1
        ? first
        : this.#combine(Math.max(...all.map(({ step }) => step)), first.core, all, how);
    });
    const clusters: Piece[][] = [];
    for (const piece of own) {
      const last = clusters.at(-1);
      const cluster = clusterOfCore(this.#on, piece.core);
      if (last?.[0] !== undefined && clusterOfCore(this.#on, last[0].core) === cluster) last.push(piece);
      else clusters.push([piece]);
    }
    let step = Math.max(...own.map((piece) => piece.step));
    let level = clusters;
    while (level.some((nodes) => nodes.length > 1)) {
      step++;
      level = level.map((nodes) => this.#round(step, nodes, how));
    }
    let heads = level.flat();
    while (heads.length > 1) heads = this.#round(++step, heads, how);
    return heads[0] as Piece;
  }

  #round(step: number, nodes: readonly Piece[], how: How): Piece[] {
    const next: Piece[] = [];
    for (let index = 0; index < nodes.length; index += 2) {
      const [left, right] = [nodes[index] as Piece, nodes[index + 1]];
      if (right !== undefined) this.#send(right, left.core, step);
      next.push(right === undefined ? left : this.#combine(step, left.core, [left, right], how));
    }
    return next;
  }

  /** Pieces that a core has, as one. */
  #combine(step: number, core: number, pieces: readonly Piece[], how: How): Piece {
    const { dims } = this.#labelled.output.dynamic;
    const [first, ...others] = pieces as [Piece, ...Piece[]];
    if (how !== 'sum') {
      const name = `o${++this.#pieces}`;
      const inputs = pieces.map((piece) => piece.name);
      this.#emit(step, core, {
        kind: 'compute',
        operation: 'join',
        dimension: how.to,
        inputs,
        output: name,
        dims,
        operations: 0,
      });
      const length = pieces.reduce((sum, { sizes }) => sum + (sizes[how.to] ?? 1), 0);
      return { core, name, sizes: { ...first.sizes, [how.to]: length }, step };
    }
    return others.reduce((sum, piece): Piece => {
      const name = `o${++this.#pieces}`;
      const operations = elements(sum.sizes);
      this.#emit(step, core, {
        kind: 'compute',
        operation: ADD.name,
        inputs: [sum.name, piece.name],
        output: name,
        dims,
        operations,
      });
      return { core, name, sizes: sum.sizes, step };
    }, first);
  }

  /** A piece to another core: written where partial results meet as soon as it is there (R33), read in that step. */
  #send(piece: Piece, to: number, step: number): void {
    const { output } = this.#labelled;
    const { storage } = output.dynamic;
    const bytes = elements(piece.sizes) * numberKind(output.dynamic.type).bytes;
    const wanted =
      typeof storage === 'string' ? classPlace(this.#on, storage, piece.core) : (storage[0] as Place);
    const place = this.#reachable(wanted, piece.core, to);
    this.#emit(piece.step, piece.core, {
      kind: 'access',
      action: 'write',
      datum: piece.name,
      to: place,
      bytes,
    });
    const level = levelOf(this.#on, piece.core, to, place);
    this.#emit(step, to, {
      kind: 'exchange',
      datum: piece.name,
      operand: 'output',
      from: place,
      as: piece.name,
      bytes,
      level,
    });
  }

  /** A place that both cores reach: a cache that another cluster cannot read is left for the local memory (R32). */
  #reachable(place: Place, from: number, to: number): Place {
    const { kind, number } = partsOfPlace(place);
    const reached =
      kind !== 'cluster' ||
      this.#on.cacheLink ||
      [from, to].every((core) => clusterOfCore(this.#on, core) === number);
    return reached ? place : localMemory(this.#on, clusterOfCore(this.#on, from));
  }

  /** What the host fetches: in the label's sizes, in memory (R33). */
  #finish(piece: Piece, index: number): PlannedResult {
    const { output } = this.#labelled;
    const { dims, split, type } = output.dynamic;
    const wanted = boxSizes(
      sizesOfPair(output),
      split.parts.length === 1 ? {} : { [split.dimension]: split.parts[index] as Range },
    );
    let { name } = piece;
    if (
      (Object.keys(wanted) as Dimension[]).some((dimension) => wanted[dimension] !== piece.sizes[dimension])
    ) {
      name = `o${++this.#pieces}`;
      this.#emit(piece.step, piece.core, {
        kind: 'compute',
        operation: 'fit',
        sizes: wanted,
        inputs: [piece.name],
        output: name,
        dims,
        operations: 0,
      });
    }
    const place = localMemory(this.#on, clusterOfCore(this.#on, piece.core));
    const bytes = elements(wanted) * numberKind(type).bytes;
    this.#emit(piece.step, piece.core, { kind: 'access', action: 'write', datum: name, to: place, bytes });
    return { name, place, bytes };
  }

  /** Parts of an operand, where its label says. Where another cluster's cores need what lies in a cache that they cannot read, memory has it, too. */
  #place(operand: 'input' | 'weight', pair: LabelPair): void {
    const letter = this.#letter(operand);
    for (const { part, core, place } of placesOf(pair.dynamic, this.#on)) {
      const bytes = elements(partSizes(pair, part)) * numberKind(pair.dynamic.type).bytes;
      this.#placed.push({ name: `${letter}${part + 1}`, operand, part, core, place, bytes });
    }
  }

  /** What of an operand a core needs, in its own memory; its name there. */
  #read(step: number, core: number, operand: 'input' | 'weight', box: Box): string {
    const pair = this.#labelled[operand] as LabelPair;
    const { split, dims } = pair.dynamic;
    const range = box[split.dimension] ?? [0, sizesOfPair(pair)[split.dimension] ?? 1];
    const names: string[] = [];
    for (const [part, [from, to]] of split.parts.entries()) {
      const [first, end] = [Math.max(from, range[0]), Math.min(to, range[1])];
      if (first >= end) continue;
      const all = { ...box, [split.dimension]: [first - from, end - from] as Range };
      names.push(this.#readPart(step, core, operand, pair, part, all));
    }
    if (names.length === 1) return names[0] as string;
    const name = names.join('+');
    if (!this.#has(core, name))
      this.#emit(step, core, {
        kind: 'compute',
        operation: 'join',
        dimension: split.dimension,
        inputs: names,
        output: name,
        dims,
        operations: 0,
      });
    return name;
  }

  #readPart(
    step: number,
    core: number,
    operand: 'input' | 'weight',
    pair: LabelPair,
    part: number,
    box: Box,
  ): string {
    const letter = this.#letter(operand);
    const sizes = partSizes(pair, part);
    const needed = (Object.keys(box) as Dimension[]).filter((dimension) => {
      const range = box[dimension];
      return range !== undefined && range[1] - range[0] < (sizes[dimension] ?? 1);
    });
    const datum = `${letter}${part + 1}`;
    const cut =
      needed.length > 0
        ? Object.fromEntries(needed.map((dimension) => [dimension, box[dimension] as Range] as const))
        : undefined;
    const as =
      cut === undefined
        ? datum
        : `${datum}[${needed.map((dimension) => `${dimension} ${box[dimension]?.join('..')}`).join(', ')}]`;
    const { dims, type } = pair.dynamic;
    if (this.#has(core, as)) return as;
    if (cut !== undefined && this.#has(core, datum)) {
      this.#emit(step, core, {
        kind: 'compute',
        operation: 'slice',
        box: cut,
        inputs: [datum],
        output: as,
        dims,
        operations: 0,
      });
      return as;
    }
    const home = this.#placed.find((placed) => placed.name === datum) as PlacedPart;
    const from = this.#copyFor(home, core);
    const bytes = elements(boxSizes(sizes, cut ?? {})) * numberKind(type).bytes;
    const piece = { datum, from, as, bytes, ...(cut === undefined ? {} : { box: cut }) };
    const level = levelOf(this.#on, home.core, core, from);
    this.#emit(
      step,
      core,
      home.core === core
        ? { kind: 'access', action: 'read', ...piece }
        : { kind: 'exchange', operand, level, ...piece },
    );
    return as;
  }

  /** The place from which a core reads a part; a copy in memory where it cannot read the part's own. */
  #copyFor(home: PlacedPart, core: number): Place {
    const place = this.#reachable(home.place, home.core, core);
    const there = this.#placed.some((placed) => placed.name === home.name && placed.place === place);
    if (!there) this.#placed.push({ ...home, place });
    return place;
  }

  #letter(operand: PortName): string {
    return layoutOperator(this.#labelled.operator).ports.find(({ name }) => name === operand)?.letter ?? 'o';
  }

  #has(core: number, name: string): boolean {
    return this.#own.get(core)?.has(name) === true;
  }

  #emit(step: number, core: number, instruction: Instruction): void {
    while (this.#steps.length <= step) this.#steps.push(new Map());
    const cores = this.#steps[step] as Map<number, Instruction[]>;
    const list = cores.get(core) ?? [];
    cores.set(core, list);
    list.push(instruction);
    const own = this.#own.get(core) ?? new Set();
    this.#own.set(core, own);
    if (instruction.kind === 'compute') own.add(instruction.output);
    else if (instruction.kind === 'exchange' || instruction.action === 'read') own.add(instruction.as);
  }
}

function howOf(lead: ReturnType<typeof leadOf>): How | undefined {
  return lead === undefined || lead === 'sum' ? lead : { to: lead.to };
}

function elements(sizes: Sizes): number {
  return product(Object.values(sizes));
}

/** Sizes of a part of a datum. */
function partSizes(pair: LabelPair, part: number): Sizes {
  const { split }: DynamicLabel = pair.dynamic;
  return boxSizes(sizesOfPair(pair), { [split.dimension]: split.parts[part] as Range });
}
