// The interpreter by itself: what it reads, and in which order it computes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from './bits.mjs';
import { interpret } from './interpreter.mjs';
import { parse } from './text.mjs';

/** The example of the text form's documentation. */
const EXAMPLE = `cipherloom-graph 1
unit 64
type !0 = limb[8]{n=8, q=17}
attrs #0 = {c=3}
input %0 : !0 [0,8) "x"
op %1 = limb.mul_scalar#0(%0) : !0 [8,16)
op %2 = limb.add(%1, !0 [0,8)) : !0 [16,24) nonce=1 parent=7
output %2 "y"
`;

test('reads the documented example', () => {
  const type = { head: 'limb', size: 8, attributes: { n: 8n, q: 17n } };
  const at = (...parts) => ({ type, parts });
  assert.deepEqual(parse(EXAMPLE), {
    unit: 64,
    inputs: [{ name: 'x', operand: at([0, 8]) }],
    operators: [
      { name: 'limb.mul_scalar', attributes: { c: 3n }, inputs: [at([0, 8])], output: at([8, 16]) },
      { name: 'limb.add', attributes: {}, inputs: [at([8, 16]), at([0, 8])], output: at([16, 24]) },
    ],
    outputs: [{ name: 'y', operand: at([16, 24]) }],
  });
});

/** Bits of elements, one after the other. */
const bitsOf = (element, ...values) => Uint8Array.from(values.flatMap((value) => [...encode(element, value)]));

const meaning = (lines, data) => interpret(parse(['cipherloom-graph 1', ...lines].join('\n')), data).y.bits;

test('computes whatever the order of the lines, through views at odd units', () => {
  const lines = [
    'unit 1',
    'type !0 = bit[8]{shape=[8]}',
    'type !1 = u8[8]{shape=[1]}',
    'attrs #0 = {of="u8", shape=[1], value=@"Bw=="}',
    'input %0 : !0 [0,8) "x"',
    'op %1 = u8.add(!1 [11,16)+[8,11), !1 [16,24)) : !1 [24,32)',
    'op %2 = constant#0() : !1 [16,24)',
    'op %3 = bit.not(%0) : !0 [8,16)',
    'output %1 "y"',
  ];
  // Not 0b10110001 is 0b01001110; its bits 3 to 7, then 0 to 2, are 0b11001001; and 7 more.
  assert.equal(decode('u8', meaning(lines, { x: bitsOf('u8', 0b10110001n) })), 0b11001001n + 7n);
});

test('knows IEEE 754 by its bits, rounds once and says what is open', () => {
  const word = (element, value) => Array.from(encode(element, value)).reverse().join('');
  // 1 and -2 from the standard; pi rounded to binary32 is 0x40490fdb.
  assert.equal(word('f32', 1), '00111111100000000000000000000000');
  assert.equal(BigInt(`0b${word('f32', Math.fround(Math.PI))}`), 0x40490fdbn);
  assert.equal(word('f64', -2), `11${'0'.repeat(62)}`);
  assert.ok(Number.isNaN(decode('f32', encode('f32', NaN))));
  // Between 2^54 and 2^54 + 2^31 the middle is 2^54 + 2^30; one more goes up, though in binary64 it is the middle.
  const lines = ['unit 64', 'type !0 = i64[2]{shape=[2]}', 'type !1 = f32[1]{shape=[2]}'];
  const call = ['input %0 : !0 [0,2) "x"', 'op %1 = f32.convert(%0) : !1 [2,3)', 'output %1 "y"'];
  const bits = meaning([...lines, ...call], { x: bitsOf('i64', 2n ** 54n + 2n ** 30n, 2n ** 54n + 2n ** 30n + 1n) });
  assert.equal(decode('f32', bits.subarray(0, 32)), 2 ** 54);
  assert.equal(decode('f32', bits.subarray(32)), 2 ** 54 + 2 ** 31);
});

test('refuses what is written twice, and what waits for itself', () => {
  const head = ['unit 8', 'type !0 = u8[1]{shape=[1]}', 'input %0 : !0 [0,1) "x"'];
  const data = { x: bitsOf('u8', 1n) };
  const twice = [...head, 'op %1 = u8.not(%0) : !0 [0,1)', 'output %1 "y"'];
  assert.throws(() => meaning(twice, data), /written twice/);
  const cycle = [...head, 'op %1 = u8.not(!0 [2,3)) : !0 [1,2)', 'op %2 = u8.not(%1) : !0 [2,3)', 'output %1 "y"'];
  assert.throws(() => meaning(cycle, data), /nothing can be computed/);
});
