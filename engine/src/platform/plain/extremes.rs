//! The smaller and the larger of floats by instructions of WebAssembly, which mean what `min` and `max` do here: NaN if either is,
//! -0 below +0. The compiler makes them of nothing that stable Rust can say of single floats.

use super::arithmetic::two;
use core::arch::wasm32::{
    f32x4, f32x4_extract_lane, f32x4_max, f32x4_min, f64x2, f64x2_extract_lane, f64x2_max, f64x2_min, v128,
};

/// What floats of one type need.
pub(super) trait Extremes: Copy + Sized {
    /// Pairs of elements: the smaller ones. `one` is the same of single ones.
    fn min_all(inputs: [&[Self]; 2], out: &mut [Self], one: fn(Self, Self) -> Self);

    /// The larger ones.
    fn max_all(inputs: [&[Self]; 2], out: &mut [Self], one: fn(Self, Self) -> Self);
}

impl Extremes for f32 {
    fn min_all(inputs: [&[f32]; 2], out: &mut [f32], one: fn(f32, f32) -> f32) {
        singles(inputs, out, |a, b| f32x4_min(a, b), one);
    }

    fn max_all(inputs: [&[f32]; 2], out: &mut [f32], one: fn(f32, f32) -> f32) {
        singles(inputs, out, |a, b| f32x4_max(a, b), one);
    }
}

impl Extremes for f64 {
    fn min_all(inputs: [&[f64]; 2], out: &mut [f64], one: fn(f64, f64) -> f64) {
        doubles(inputs, out, |a, b| f64x2_min(a, b), one);
    }

    fn max_all(inputs: [&[f64]; 2], out: &mut [f64], one: fn(f64, f64) -> f64) {
        doubles(inputs, out, |a, b| f64x2_max(a, b), one);
    }
}

#[inline(always)]
fn singles(
    [a, b]: [&[f32]; 2],
    out: &mut [f32],
    four: impl Fn(v128, v128) -> v128,
    one: fn(f32, f32) -> f32,
) {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let (out, rest) = out.as_chunks_mut::<4>();
    let load = |&[p, q, r, s]: &[f32; 4]| f32x4(p, q, r, s);
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        let all = four(load(a), load(b));
        *out = [
            f32x4_extract_lane::<0>(all),
            f32x4_extract_lane::<1>(all),
            f32x4_extract_lane::<2>(all),
            f32x4_extract_lane::<3>(all),
        ];
    }
    two([a_rest, b_rest], rest, one);
}

#[inline(always)]
fn doubles(
    [a, b]: [&[f64]; 2],
    out: &mut [f64],
    both: impl Fn(v128, v128) -> v128,
    one: fn(f64, f64) -> f64,
) {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
    let (out, rest) = out.as_chunks_mut::<2>();
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        let all = both(f64x2(a[0], a[1]), f64x2(b[0], b[1]));
        *out = [f64x2_extract_lane::<0>(all), f64x2_extract_lane::<1>(all)];
    }
    two([a_rest, b_rest], rest, one);
}
