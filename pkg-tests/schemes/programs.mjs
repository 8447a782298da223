// Random programs over slots with levels, as data: BFV, BGV and CKKS, any library can run them.
import { mulberry32 } from '../lib/random.mjs';

/** Multiplications of ciphertexts, one after the other: so many levels below the first. */
export const DEPTH = 3;
const OPERATORS = [
  'add',
  'sub',
  'negate',
  'multiply',
  'multiply',
  'square',
  'rotate',
  'conjugate',
  'addPlain',
  'multiplyPlain',
];

/**
 * `count` programs { inputs, nodes, outputs }: operands are numbered, inputs first, then nodes; a node is { op, operands, steps?, plain?, level },
 * an input { values, level: 0 }. `level` counts the divisions by a prime before it. Programs of "bfv" and "bgv" compute modulo t; those of "ckks" stay
 * within [-1, 1] but for sums. Products with a plaintext divide, too.
 */
export function randomPrograms(scheme, count, seed, slots, t) {
  const random = mulberry32(seed);
  const below = (limit) => Math.floor(random() * limit);
  const numbers = () =>
    scheme === 'ckks'
      ? Float64Array.from({ length: slots }, () => 2 * random() - 1)
      : BigUint64Array.from({ length: slots }, () => BigInt(below(Number(t))));
  return Array.from({ length: count }, () => {
    const inputs = Array.from({ length: 2 + below(2) }, () => ({ values: numbers(), level: 0 }));
    const operands = [...inputs];
    const length = 3 + below(7);
    while (operands.length < inputs.length + length) {
      const op = OPERATORS[below(OPERATORS.length)];
      // Late operands more often, so that programs are deep.
      const pick = () => Math.max(below(operands.length), below(operands.length));
      const two = ['add', 'sub', 'multiply'].includes(op);
      const chosen = two ? [pick(), pick()] : [pick()];
      // A difference of one operand is 0, and so is most of what follows.
      if (op === 'sub' && chosen[0] === chosen[1]) continue;
      const level = Math.max(...chosen.map((operand) => operands[operand].level));
      const deeper = ['multiply', 'square', 'multiplyPlain'].includes(op) ? 1 : 0;
      if (level + deeper > DEPTH) continue;
      operands.push({
        op,
        operands: chosen,
        level: level + deeper,
        ...(op === 'rotate' && { steps: (1 + below(5)) * (below(2) ? 1 : -1) }),
        ...(op.endsWith('Plain') && { plain: numbers() }),
      });
    }
    const nodes = operands.slice(inputs.length);
    const used = new Set(nodes.flatMap((node) => node.operands));
    const outputs = [...operands.keys()].filter((operand) => operand >= inputs.length && !used.has(operand));
    return { inputs, nodes, outputs };
  });
}

/** The slots of every operand, by definition. Under CKKS conjugation leaves reals as they are; under BFV and BGV it swaps the two rows. */
export function runPlain({ inputs, nodes }, scheme, t) {
  const arithmetic =
    scheme === 'ckks'
      ? { add: (x, y) => x + y, sub: (x, y) => x - y, multiply: (x, y) => x * y, negate: (x) => -x }
      : {
          add: (x, y) => (x + y) % t,
          sub: (x, y) => (x + t - y) % t,
          multiply: (x, y) => (x * y) % t,
          negate: (x) => (t - x) % t,
        };
  const operands = inputs.map(({ values }) => values);
  for (const { op, operands: chosen, steps, plain } of nodes) {
    const [a, b = plain ?? a] = chosen.map((operand) => operands[operand]);
    const row = scheme === 'ckks' ? a.length : a.length / 2;
    const moved = (from) => a.map((_, slot) => a[from(slot)]);
    const zip = (name) => a.map((x, slot) => arithmetic[name](x, b[slot]));
    const compute = {
      add: () => zip('add'),
      sub: () => zip('sub'),
      multiply: () => zip('multiply'),
      square: () => zip('multiply'),
      addPlain: () => zip('add'),
      multiplyPlain: () => zip('multiply'),
      negate: () => a.map((x) => arithmetic.negate(x)),
      rotate: () => moved((slot) => slot - (slot % row) + (((slot % row) + steps + row) % row)),
      conjugate: () => (scheme === 'ckks' ? a : moved((slot) => (slot + row) % a.length)),
    };
    operands.push(compute[op]());
  }
  return operands;
}
