//! `math::tanh` by vectors of WebAssembly, four elements at a time: the same steps in the same order, so the same bits. The
//! compiler does not take doubles of singles for worth it.

use super::arithmetic::one;
use crate::math::tanh::{C, P, Q, tanh};
use core::arch::wasm32::{
    f32x4, f32x4_demote_f64x2_zero, f32x4_extract_lane, f64x2_add, f64x2_div, f64x2_mul,
    f64x2_promote_low_f32x4, f64x2_splat, i32x4_lt, i32x4_shuffle, u32x4_min, u32x4_splat, v128, v128_and,
    v128_bitselect, v128_or,
};

/// Every element.
pub(super) fn tanh_all(a: &[f32], out: &mut [f32]) {
    let (a, a_rest) = a.as_chunks::<4>();
    let (out, rest) = out.as_chunks_mut::<4>();
    for (out, &[p, q, r, s]) in out.iter_mut().zip(a) {
        let all = four(f32x4(p, q, r, s));
        *out = [
            f32x4_extract_lane::<0>(all),
            f32x4_extract_lane::<1>(all),
            f32x4_extract_lane::<2>(all),
            f32x4_extract_lane::<3>(all),
        ];
    }
    one(a_rest, rest, tanh);
}

/// Bits of floats that are no NaN are in the order of their magnitudes, also as signed integers.
#[inline(always)]
fn four(x: v128) -> v128 {
    let sign = u32x4_splat(1 << 31);
    let magnitude = v128_and(x, u32x4_splat(u32::MAX >> 1));
    let edge = u32x4_splat(C.to_bits());
    let inside = u32x4_min(magnitude, edge);
    let low = f32x4_demote_f64x2_zero(two(f64x2_promote_low_f32x4(inside)));
    let high =
        f32x4_demote_f64x2_zero(two(f64x2_promote_low_f32x4(i32x4_shuffle::<2, 3, 0, 1>(inside, inside))));
    let near = i32x4_shuffle::<0, 1, 4, 5>(low, high);
    let one = v128_bitselect(near, u32x4_splat(1f32.to_bits()), i32x4_lt(magnitude, edge));
    let infinity = u32x4_splat(f32::INFINITY.to_bits());
    let result = v128_bitselect(magnitude, one, i32x4_lt(infinity, magnitude));
    v128_or(result, v128_and(x, sign))
}

#[inline(always)]
fn two(inside: v128) -> v128 {
    let square = f64x2_mul(inside, inside);
    let horner = |c: &[f64]| {
        c[1..].iter().fold(f64x2_splat(c[0]), |sum, &c| f64x2_add(f64x2_mul(sum, square), f64x2_splat(c)))
    };
    f64x2_div(f64x2_mul(inside, horner(&P)), horner(&Q))
}
