/** Graphs to begin with. Each is a text, written down or made by the package, that opens and runs. */
import { type Loom, type, u8 } from 'cipherloom';
import { CHAIN, DOUBLE, POLYNOMIAL, RECIPROCAL } from './own/examples.js';
import type { OwnOperator } from './own/own-operators.js';
import type { Pattern } from './values.js';

export interface GalleryText {
  readonly text: string;
  /** How inputs are filled at first, by name; the others ascend. Text is typed in. */
  readonly data?: Readonly<Record<string, Pattern | { readonly typed: string }>>;
  /** Operators that it needs. */
  readonly operators?: readonly OwnOperator[];
  /** A text that has to mean the same, which verification compares it with. */
  readonly meaning?: string;
  /** What is to be known of its data. */
  readonly note?: string;
}

export interface GalleryEntry {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  make(loom: Loom): Promise<GalleryText>;
}

/** Lines that are written at a time. */
const PIECE = 10_000;

const typed = (text: string): { readonly typed: string } => ({ typed: text });

export const GALLERY: readonly GalleryEntry[] = [
  {
    id: 'table',
    title: 'Seven operators',
    about: 'A small graph whose dependency table is known: 5 waits for 1, 2, 3 and 6, and 6 for 4.',
    make: () =>
      Promise.resolve({
        text: SEVEN,
        data: { in1: typed('1'), in2: typed('2'), in3: typed('3'), in4: typed('4') },
        note: 'Operators 1, 2, 3, 4, 6, 5, 7 of the table are #0 to #6 here. With 1, 2, 3, 4 the result is 1 + 2 + 3 − 4.',
      }),
  },
  {
    id: 'absorb',
    title: 'Absorb',
    about: 'D becomes D1, D2, D3, whose result takes the place of D’s: its readers notice nothing.',
    make: () =>
      Promise.resolve({
        text: ABSORB,
        operators: [DOUBLE, CHAIN],
        note: 'Expand one step, and once more: below, “Absorb, step by step” shows who writes [0, 8) by then.',
      }),
  },
  {
    id: 'matmul',
    title: 'Matrix product',
    about: 'A row of 8 numbers times a matrix of 8 × 4, in single precision.',
    make: () => matrixProduct(),
  },
  {
    id: 'aes',
    title: 'One AES round',
    about: 'ShiftRows, SubBytes, MixColumns and AddRoundKey on one block of 16 bytes.',
    make: (loom) => aesRound(loom),
  },
  {
    id: 'bfv',
    title: 'BFV multiply',
    about: 'Two vectors are encrypted, multiplied and decrypted: the whole of it is one graph.',
    make: (loom) => bfvMultiply(loom),
  },
  {
    id: 'statistics',
    title: 'Statistics',
    about: 'What the other tab computes, of two columns of 8 rows: a variance and a correlation.',
    make: (loom) => statisticsTask(loom),
  },
  {
    id: 'polynomial',
    title: 'An operator of your own',
    about: 'my.polynomial is JavaScript, further below: change it, and see it drawn and run.',
    make: () => Promise.resolve({ text: OWN, operators: [POLYNOMIAL], data: { x: typed('0, 1, 2, -2') } }),
  },
  {
    id: 'fault',
    title: 'Find the fault',
    about: 'A softmax by an operator that multiplies by the reciprocal: verify it, and see who rounds twice.',
    make: () =>
      Promise.resolve({
        text: SOFTMAX('my.divide'),
        operators: [RECIPROCAL],
        data: { x: typed('0, 1, 2, 3, 4, 5, 6, 7') },
        meaning: SOFTMAX('f32.div'),
        note: 'my.divide, further below, multiplies by the reciprocal. What is meant divides: “Verify this graph” compares them.',
      }),
  },
  {
    id: 'blocks',
    title: '230 AES blocks',
    about:
      'Expanded three steps, they are more than 100,000 operators, box in box: open all of them, and come near.',
    make: (loom) => aesBlocks(loom),
  },
  {
    id: 'large',
    title: '100,000 operators',
    about: 'Layers of sums and differences, made at random: as large as it is, it can be moved and zoomed.',
    make: async () => ({ text: await large(100_000) }),
  },
];

const SEVEN = `cipherloom-graph 1
unit 32
type !0 = f32[1]{shape=[1]}
type !1 = f32[4]{shape=[4]}
type !2 = f32[1]{shape=[]}
attrs #0 = {axis=0}
input %0 : !0 [0,1) "in1"
input %1 : !0 [1,2) "in2"
input %2 : !0 [2,3) "in3"
input %3 : !0 [3,4) "in4"
op %4 = f32.neg(%0) : !0 [4,5)
op %5 = f32.neg(%1) : !0 [5,6)
op %6 = f32.neg(%2) : !0 [6,7)
op %7 = f32.neg(%3) : !0 [7,8)
op %8 = f32.neg(%7) : !0 [8,9)
op %9 = f32.sum#0(!1 [4,7)+[8,9)) : !2 [9,10)
op %10 = f32.neg(%9) : !2 [10,11)
output %10 "out"
`;

const ABSORB = `cipherloom-graph 1
unit 8
type !0 = u8[8]{shape=[8]}
input %0 : !0 [16,24) "x"
op %1 = demo.d(%0) : !0 [0,8)
op %2 = u8.neg(%1) : !0 [24,32)
op %3 = u8.not(%1) : !0 [32,40)
output %2 "s1"
output %3 "s2"
`;

const OWN = `cipherloom-graph 1
unit 32
type !0 = f32[4]{shape=[4]}
attrs #0 = {degree=3}
input %0 : !0 [0,4) "x"
op %1 = my.polynomial#0(%0) : !0 [4,8)
output %1 "y"
`;

const SOFTMAX = (divide: string): string => `cipherloom-graph 1
unit 32
type !0 = f32[8]{shape=[8]}
type !1 = f32[1]{shape=[]}
attrs #0 = {axis=0}
input %0 : !0 [0,8) "x"
op %1 = f32.exp(%0) : !0 [8,16)
op %2 = f32.sum#0(%1) : !1 [16,17)
op %3 = ${divide}(%1, %2) : !0 [17,25)
output %3 "y"
`;

const MATMUL = `cipherloom-graph 1
unit 32
type !0 = f32[8]{shape=[8]}
type !1 = f32[32]{shape=[8,4]}
type !2 = f32[4]{shape=[4]}
input %0 : !0 [0,8) "a"
input %1 : !1 [8,40) "w"
op %2 = f32.matmul(%0, %1) : !2 [40,44)
output %2 "y"
`;

function matrixProduct(): Promise<GalleryText> {
  return Promise.resolve({ text: MATMUL });
}

/** The first round of the example of FIPS 197, appendix B: both are given there, and what comes out. */
async function aesRound(loom: Loom): Promise<GalleryText> {
  const g = loom.graph({ unit: 8 });
  const state = g.input('state', u8(4, 4, 1));
  const key = g.input('key', u8(16));
  g.output('next', g.op('aes.round', [state, key]));
  using circuit = await g.build();
  return {
    text: await circuit.toText(),
    data: {
      // By rows: the block's bytes go down its columns.
      state: typed(
        '0x19, 0xa0, 0x9a, 0xe9, 0x3d, 0xf4, 0xc6, 0xf8, 0xe3, 0xe2, 0x8d, 0x48, 0xbe, 0x2b, 0x2a, 0x08',
      ),
      key: typed(
        '0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1, 0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05',
      ),
    },
    note: 'The data are the first round of FIPS 197, appendix B: the next state begins a4 68 6b 02 there, by rows (164, 104, 107, 2).',
  };
}

/** Blocks under one key, each encrypted by an operator of its own. */
async function aesBlocks(loom: Loom): Promise<GalleryText> {
  const g = loom.graph({ unit: 8 });
  const keys = g.op('aes.key_schedule', [g.input('key', u8(16))]);
  const blocks = g.input('blocks', u8(BLOCKS, 16));
  for (let block = 0; block < BLOCKS; block++) {
    const one = g.op('u8.slice', [blocks], { start: [block, 0], size: [1, 16] });
    g.output(`block ${block}`, g.op('aes.encrypt_blocks', [one, keys]));
  }
  using circuit = await g.build();
  return { text: await circuit.toText() };
}

const BLOCKS = 230;

/** Small enough to look at, and so not secure. */
const BFV = {
  n: 16,
  t: 97,
  q: [1125899906826241n, 1125899906629633n],
  aux: [1125899906424833n, 1125899906260993n],
};

async function bfvMultiply(loom: Loom): Promise<GalleryText> {
  const { n, t, q, aux } = BFV;
  const g = loom.graph({ unit: 64 });
  const publicSeed = g.input('public seed', type('public_seed'));
  const secretSeed = g.input('secret seed', type('secret_seed'));
  const key = g.op('rlwe.secret_key', [secretSeed], { n, q });
  const encrypted = ['x', 'y'].map((name) => {
    const plain = g.op('slots.encode', [g.input(name, type('slots', { n, t }))]);
    return g.op('bfv.encrypt_secret', [key, plain, publicSeed, secretSeed], { q });
  });
  const product = g.op('bfv.multiply', encrypted, { aux });
  g.output('product', g.op('slots.decode', [g.op('bfv.decrypt', [key, product])]));
  using circuit = await g.build();
  return {
    text: await circuit.toText(),
    data: { 'public seed': 'random', 'secret seed': 'random', x: 'ascending', y: 'ascending' },
    note: `The result is x · y modulo ${t}, slot by slot. A ring of ${n} coefficients is easy to look at, and protects nothing.`,
  };
}

async function statisticsTask(loom: Loom): Promise<GalleryText> {
  const task = loom.task();
  const declared = { shape: [8], min: 0, max: 100 };
  const [a, b] = [task.encrypted('height', declared), task.encrypted('weight', declared)];
  task.output('variance', a.variance());
  task.output('correlation', a.correlation(b));
  const program = await task.compile();
  try {
    return {
      text: await program.toText('scheme'),
      note: 'Inputs are ciphertexts and keys, which only a client has: there are no data to run it on here. Random residues do run, and mean nothing; the statistics tab runs such programs on encrypted columns.',
    };
  } finally {
    program.dispose();
  }
}

/** Layers of 500 operators, each of which reads two near it in the layer above. A long text is written piece by piece. */
async function large(operators: number): Promise<string> {
  const width = 500;
  const lines = ['cipherloom-graph 1', 'unit 8', `type !0 = u8[16]{shape=[16]}`];
  for (let column = 0; column < width; column++)
    lines.push(`input %${column} : !0 [${16 * column},${16 * column + 16}) "x${column}"`);
  const names = ['u8.add', 'u8.sub', 'u8.xor', 'u8.max'];
  let state = 1;
  for (let number = width; number < width + operators; number++) {
    if (number % PIECE === 0) await new Promise((resolve) => setTimeout(resolve));
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const above = number - (number % width) - width;
    const shift = (state >>> 16) % 5;
    const [a, b] = [number % width, (number + shift) % width].map((column) => above + column);
    const name = names[(state >>> 24) % names.length]!;
    lines.push(`op %${number} = ${name}(%${a}, %${b}) : !0 [${16 * number},${16 * number + 16})`);
  }
  const last = width + operators - 1;
  for (let column = 0; column < 4; column++) lines.push(`output %${last - column} "y${column}"`);
  return `${lines.join('\n')}\n`;
}
