/** What a datum is to a network [L1]. */
import { describe } from '../arguments.js';
import { checkObject, checkOneOf, checkWhole, wrong } from './wrong.js';

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
 * or constant, neuron or weight, or auxiliary. Only in: output neuron or weight. Both: hidden neuron, whatever its port. Errors: LayoutError `layout.label`.
 */
export function categoryOf(connection: Connection): Category {
  const where = 'categoryOf, connection';
  checkObject('layout.label', where, connection, ['inDegree', 'outDegree', 'role', 'constant']);
  const { inDegree, outDegree, role, constant = false } = connection;
  checkWhole('layout.label', `${where}, inDegree`, inDegree, 0, Number.MAX_SAFE_INTEGER);
  checkWhole('layout.label', `${where}, outDegree`, outDegree, 0, Number.MAX_SAFE_INTEGER);
  checkOneOf('layout.label', `${where}, role`, role, PORT_ROLES);
  if (typeof constant !== 'boolean')
    throw wrong('layout.label', `${where}, constant`, describe(constant), 'true or false');
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
