// Random programs over slots, as data: any library can run them.
import { mulberry32 } from '../lib/random.mjs';

/** Largest absolute value of inputs and plain operands. */
export const LARGEST = 9;
/** Multiplications of ciphertexts, one after the other. */
const DEPTH = 2;
/** Plain moduli = 1 modulo 2N for every N in use; a program takes one that holds its values. */
const PLAIN_MODULI = [65537, 786433, 5767169, 167772161];

/**
 * Random programs: { inputs, nodes, outputs, plainModulus }. Operands are numbered, inputs first, then nodes. A node is
 * { op, operands, steps?, plain? }, where `plain(n)` gives n numbers. `values(n)` of an input gives its slots.
 */
export function randomPrograms(count, seed) {
  const random = mulberry32(seed);
  return Array.from({ length: count }, () => randomProgram((limit) => Math.floor(random() * limit)));
}

function randomProgram(below) {
  const inputs = Array.from({ length: 1 + below(3) }, () => ({ values: numbers(below) }));
  // Of every operand: bound of its absolute value, multiplications before it, and whether something uses it.
  const facts = inputs.map(() => ({ bound: LARGEST, depth: 0, used: false }));
  const nodes = [];
  const length = 2 + below(9);
  while (nodes.length < length) {
    const node = randomNode(facts, below);
    const operands = node.operands.map((operand) => facts[operand]);
    const fact = outcome(node, operands);
    if (fact.depth > DEPTH || 4 * fact.bound >= PLAIN_MODULI.at(-1)) continue;
    for (const operand of operands) operand.used = true;
    nodes.push(node);
    facts.push(fact);
  }
  const outputs = facts.flatMap(({ used }, operand) => (used || operand < inputs.length ? [] : [operand]));
  const largest = Math.max(...facts.map(({ bound }) => bound));
  // cipherloom counts whole bits.
  const large = PLAIN_MODULI.filter((t) => t > 4 * largest);
  return { inputs, nodes, outputs, plainModulus: large[below(large.length)] };
}

const OPERATORS = [
  'add',
  'sub',
  'negate',
  'multiply',
  'multiply',
  'rotateRows',
  'rotateColumns',
  'addPlain',
  'multiplyPlain',
];

function randomNode(facts, below) {
  const op = OPERATORS[below(OPERATORS.length)];
  // Late operands more often, so that programs are deep.
  const pick = () => Math.max(below(facts.length), below(facts.length));
  switch (op) {
    case 'add':
    case 'sub':
    case 'multiply':
      return { op, operands: [pick(), pick()] };
    case 'rotateRows':
      return { op, operands: [pick()], steps: (1 + below(2047)) * (below(2) ? 1 : -1) };
    case 'addPlain':
    case 'multiplyPlain':
      return { op, operands: [pick()], plain: numbers(below) };
    default:
      return { op, operands: [pick()] };
  }
}

function outcome({ op }, [a, b]) {
  const none = { used: false };
  switch (op) {
    case 'add':
    case 'sub':
      return { ...none, bound: a.bound + b.bound, depth: Math.max(a.depth, b.depth) };
    case 'multiply':
      return { ...none, bound: a.bound * b.bound, depth: Math.max(a.depth, b.depth) + 1 };
    case 'addPlain':
      return { ...none, bound: a.bound + LARGEST, depth: a.depth };
    case 'multiplyPlain':
      return { ...none, bound: a.bound * LARGEST, depth: a.depth };
    default:
      return { ...none, bound: a.bound, depth: a.depth };
  }
}

/** n numbers from -LARGEST to LARGEST, the same at every call. */
function numbers(below) {
  const seed = below(2 ** 32);
  return (n) => {
    const random = mulberry32(seed);
    return Array.from({ length: n }, () => Math.floor(random() * (2 * LARGEST + 1)) - LARGEST);
  };
}

/** The program on plain numbers: all outputs' slots. */
export function runPlain({ inputs, nodes, outputs }, n) {
  const operands = inputs.map(({ values }) => values(n));
  const half = n / 2;
  for (const {
    op,
    operands: [i, j],
    steps,
    plain,
  } of nodes) {
    const [a, b] = [operands[i], operands[j]];
    const other = plain?.(n);
    const compute = {
      add: (slot) => a[slot] + b[slot],
      sub: (slot) => a[slot] - b[slot],
      negate: (slot) => -a[slot],
      multiply: (slot) => a[slot] * b[slot],
      rotateRows: (slot) => a[(slot < half ? 0 : half) + ((slot + steps + n) % half)],
      rotateColumns: (slot) => a[(slot + half) % n],
      addPlain: (slot) => a[slot] + other[slot],
      multiplyPlain: (slot) => a[slot] * other[slot],
    }[op];
    operands.push(Array.from({ length: n }, (_, slot) => compute(slot) || 0));
  }
  return outputs.map((operand) => operands[operand]);
}
