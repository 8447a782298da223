/** What boxes can be coloured by instead of the kind of their work: what an overlay is, and what it is made of. */
import type { TraceView } from 'cipherloom';
import type { Pace } from '../pace.js';
import type { NodeId, StagedGraphs } from '../staged-graphs.js';

/** What a colour of `tints.ts` means. */
export interface Meaning {
  readonly tint: number;
  /** With its unit. */
  readonly text: string;
}

export interface Overlay {
  readonly legend: readonly Meaning[];
  /** Index of an operator's colour in `tints.ts`; undefined where nothing is known. */
  tint(node: NodeId): number | undefined;
  /** In few words, with its unit; undefined where nothing is known. */
  text(node: NodeId): string | undefined;
  /** How wide the lines of what an operator writes are, from 0 to 1; absent where they are as usual. */
  width?(node: NodeId): number;
}

/** What there is to be told of. */
export interface Ground {
  readonly graphs: StagedGraphs;
  /** The deepest stage that is shown; it is loaded. */
  readonly stage: number;
  /** The run of the last stage of these graphs, if there was one. */
  readonly trace: TraceView | undefined;
}

export interface OverlayKind {
  readonly id: string;
  readonly title: string;
  /** Whether anything is known. */
  isOffered(ground: Ground): boolean;
  /** Made when it is chosen; what takes long rests by `slices`. */
  make(ground: Ground, slices: Pace): Overlay | Promise<Overlay>;
}

/** The same, which says nothing of operators that are not of these graphs: a picture of others may be there for a moment still. */
export function within(graphs: StagedGraphs, overlay: Overlay): Overlay {
  const { width } = overlay;
  return {
    legend: overlay.legend,
    tint: (node) => (graphs.has(node) ? overlay.tint(node) : undefined),
    text: (node) => (graphs.has(node) ? overlay.text(node) : undefined),
    ...(width && { width: (node) => (graphs.has(node) ? width(node) : 0) }),
  };
}

/** Makes what is asked of a stage once. */
export function byStage<T>(make: (stage: number) => T): (stage: number) => T {
  const made = new Map<number, T>();
  return (stage) => {
    let one = made.get(stage);
    if (one === undefined) made.set(stage, (one = make(stage)));
    return one;
  };
}
