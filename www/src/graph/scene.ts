/** A picture as boxes in boxes: what is in view, what lies at a point, and where an operator is. Nothing is copied of it. */
import type { PlacedGroup } from './layout.js';
import { TITLE } from './layout.js';
import type { Group, OperatorItem, PortItem } from './picture.js';
import type { NodeId } from './staged-graphs.js';

/** A rectangle, in units of the picture. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An operator in the picture. */
export interface Located {
  readonly item: OperatorItem;
  readonly box: Box;
  /** The group that it is in, and where that begins. */
  readonly group: Group;
  readonly placed: PlacedGroup;
  readonly left: number;
  readonly top: number;
}

/** What is told of the parts of the picture that are in view, the outer before the inner. */
export interface Visitor {
  /** Before the boxes of a group: it begins at (x, y). */
  group(group: Group, placed: PlacedGroup, x: number, y: number, depth: number): void;
  /** An operator; whether what is in it is of interest. */
  operator(item: OperatorItem, x: number, y: number, width: number, height: number, depth: number): boolean;
  port(item: PortItem, x: number, y: number, width: number, height: number, depth: number, key: string): void;
}

/** The operators that an operator lies in, from the outermost, and itself. */
export type Chain = (node: NodeId) => readonly NodeId[];

export class Scene {
  readonly root: Group;
  readonly placed: PlacedGroup;
  readonly #chain: Chain;

  constructor(root: Group, placed: PlacedGroup, chain: Chain) {
    this.root = root;
    this.placed = placed;
    this.#chain = chain;
  }

  /** Visits what meets `view`; false from `operator` leaves out what is in it. Time grows with what is visited and its siblings. */
  visit(view: Box, visitor: Visitor): void {
    this.#visit(this.root, this.placed, 0, 0, 0, view, visitor);
  }

  #visit(
    group: Group,
    placed: PlacedGroup,
    left: number,
    top: number,
    depth: number,
    view: Box,
    visitor: Visitor,
  ): void {
    visitor.group(group, placed, left, top, depth);
    for (const [index, item] of group.items.entries()) {
      const box = placed.boxes[index]!;
      const [x, y] = [left + box.x, top + box.y];
      if (x > view.x + view.width || y > view.y + view.height) continue;
      if (x + box.width < view.x || y + box.height < view.y) continue;
      if (item.kind !== 'operator')
        visitor.port(item, x, y, box.width, box.height, depth, `${group.node ?? ''} ${index}`);
      else {
        const wanted = visitor.operator(item, x, y, box.width, box.height, depth);
        if (wanted && item.inner !== undefined && box.inner !== undefined) {
          const within = x + (box.width - box.inner.width) / 2;
          this.#visit(item.inner, box.inner, within, y + TITLE, depth + 1, view, visitor);
        }
      }
    }
  }

  /** The innermost box that an operator is, or lies in; undefined if none is there. */
  visible(node: NodeId): Located | undefined {
    const chain = new Set(this.#chain(node));
    let found: Located | undefined;
    let group: Group | undefined = this.root;
    let placed: PlacedGroup | undefined = this.placed;
    let [left, top] = [0, 0];
    while (group !== undefined && placed !== undefined) {
      const step = descend(group, placed, left, top, chain);
      if (step === undefined) break;
      found = step;
      const { item, box, inner } = step;
      [group, placed] = [item.inner, inner];
      if (inner !== undefined) [left, top] = [box.x + (box.width - inner.width) / 2, box.y + TITLE];
    }
    return found;
  }

  /** An operator's box; undefined if it has none of its own. */
  find(node: NodeId): Located | undefined {
    const found = this.visible(node);
    return found?.item.node === node || found?.item.member === node ? found : undefined;
  }

  /** The innermost operator at a point. */
  at(x: number, y: number): OperatorItem | undefined {
    let found: OperatorItem | undefined;
    this.visit(
      { x, y, width: 0, height: 0 },
      {
        group: () => {},
        operator: (item) => {
          found = item;
          return true;
        },
        port: () => {},
      },
    );
    return found;
  }

  /** Any operator. */
  first(): NodeId | undefined {
    const item = this.root.items.find(({ kind }) => kind === 'operator');
    return item?.kind === 'operator' ? item.node : undefined;
  }
}

/** The operator of a group that is of a chain, and what is placed in it. */
function descend(
  group: Group,
  placed: PlacedGroup,
  left: number,
  top: number,
  chain: ReadonlySet<NodeId>,
): (Located & { readonly inner: PlacedGroup | undefined }) | undefined {
  const at = group.items.findIndex(
    (item) => item.kind === 'operator' && (chain.has(item.node) || chain.has(item.member)),
  );
  const item = group.items[at];
  if (item?.kind !== 'operator') return undefined;
  const { x, y, width, height, inner } = placed.boxes[at]!;
  return { item, box: { x: left + x, y: top + y, width, height }, group, placed, left, top, inner };
}
