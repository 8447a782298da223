// What is counted of HEIR's output: operators as often as their loops run them, rotations by distinct steps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf } from './heir-counts.mjs';

const TEXT = `module attributes {bgv.schemeParam = #bgv.scheme_param<logN = 13, Q = [97, 193], P = [257], plaintextModulus = 17>} {
  func.func @f(%arg0: tensor<3x!ct> {layout = "{ [i0] -> [ct, slot] }"}, %arg1: !ct) -> (tensor<3x!ct> {a = "b"}) attributes {roles = ["entry", "server.evaluate"]} {
    %c4 = arith.constant 4 : index
    %c-1 = arith.constant -1 : index
    %0 = affine.for %i = 0 to 3 iter_args(%j = %arg0) -> (tensor<3x!ct>) {
      %1 = bgv.rotate_cols %arg1, %c4 : index : !ct
      %2 = affine.for %k = 0 to 4 step 2 iter_args(%l = %1) -> (!ct) {
        %3 = bgv.rotate_cols %l, %c-1 : index : !ct
        affine.yield %3 : !ct
      }
      %4 = bgv.mul %1, %2 : (!ct, !ct) -> !ct_D3
      %5 = bgv.relinearize %4 <from_basis = [0, 1, 2], to_basis = [0, 1]> : !ct_D3 -> !ct
      affine.yield %j : tensor<3x!ct>
    }
    %6 = bgv.rotate_cols %arg1, %c4 : index : !ct
    %7 = bgv.mul_plain %6, %pt : (!ct, !pt) -> !ct
    return %0 : tensor<3x!ct>
  }
  func.func @f__encrypt__arg0(%arg0: tensor<3xi32>) -> tensor<3x!ct> {
    %8 = bgv.rotate_cols %arg1, %c4 : index : !ct
  }
}`;

test('counts, parameters and inputs', () => {
  const { moduli, special, ...counts } = countsOf(TEXT);
  assert.deepEqual([moduli, special], [['97', '193'], ['257']]);
  assert.deepEqual(counts, {
    rotations: 3 + 3 * 2 + 1,
    products: 3,
    relinearizations: 3,
    plainProducts: 1,
    rotationKeys: 2,
    keySwitches: 13,
    n: 8192,
    inputs: 4,
  });
});

test('what cannot be counted is an error', () => {
  assert.throws(() => countsOf(TEXT.replace('%6 = bgv.rotate_cols', '%6 = kernel.eval_chebyshev')), /cannot count/);
  assert.throws(() => countsOf(TEXT.replace('%arg1, %c4', '%arg1, %x')), /cannot read the steps/);
  assert.throws(() => countsOf(''), /no function/);
});
