/** What a datum is to a network [L1]. */

/** Categories by the code that the text form has: `in`, `iw`, `on` are the seed's, the others ours (its table of codes is lost). */
export const CATEGORY_CODES = {
  ins: 'instruction',
  in: 'input neuron',
  on: 'output neuron',
  hn: 'hidden neuron',
  cn: 'constant neuron',
  iw: 'input weight',
  ow: 'output weight',
  cw: 'constant weight',
  aux: 'auxiliary',
} as const;

/** The code of a category. */
export type Category = keyof typeof CATEGORY_CODES;
/** Their codes. */
export const CATEGORIES = /* @__PURE__ */ Object.keys(CATEGORY_CODES) as readonly Category[];

/** What the port of an operator takes, or gives: neurons, weights, something beside the computation (indices, sizes), or code. */
export const PORT_ROLES = ['neuron', 'weight', 'auxiliary', 'code'] as const;
/** See {@link PORT_ROLES}. */
export type PortRole = (typeof PORT_ROLES)[number];

/** How a datum is connected. */
export interface Connection {
  /** Operators that give it: 0 or 1, or as many as are merged in it. */
  readonly inDegree: number;
  /** Operators that read it. */
  readonly outDegree: number;
  /** Of the port that it is connected to. */
  readonly role: PortRole;
  /** Whether it is fixed before the run. */
  readonly constant?: boolean | undefined;
}

/**
 * The category of a datum, by degrees, the role of its port, and whether it is fixed (seed 004, paragraphs 105, 146, 149; R27): code, of which nothing goes in or out: an instruction (other data that
 * nobody reads are auxiliary). Only out: input
 * or constant, neuron or weight, or auxiliary. Only in: output neuron or weight. Both: hidden neuron, whatever its port.
 */
export function categoryOf({ inDegree, outDegree, role, constant = false }: Connection): Category {
  if (inDegree > 0 && outDegree > 0) return 'hn';
  if (inDegree > 0) return role === 'weight' ? 'ow' : 'on';
  if (outDegree === 0) return role === 'code' ? 'ins' : 'aux';
  switch (role) {
    case 'weight':
      return constant ? 'cw' : 'iw';
    case 'neuron':
      return constant ? 'cn' : 'in';
    default:
      return 'aux';
  }
}
