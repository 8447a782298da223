//! Two doubles in a register of WebAssembly.

use core::arch::wasm32::*;

pub(super) const LANES: usize = 2;

pub(super) type Register = v128;

#[inline(always)]
pub(super) fn splat(x: f64) -> v128 {
    f64x2_splat(x)
}

#[inline(always)]
pub(super) fn from_bits([a, b]: [u64; 2]) -> v128 {
    u64x2(a, b)
}

#[inline(always)]
pub(super) fn to_bits(a: v128) -> [u64; 2] {
    [u64x2_extract_lane::<0>(a), u64x2_extract_lane::<1>(a)]
}

#[inline(always)]
pub(super) fn add(a: v128, b: v128) -> v128 {
    f64x2_add(a, b)
}

#[inline(always)]
pub(super) fn sub(a: v128, b: v128) -> v128 {
    f64x2_sub(a, b)
}

#[inline(always)]
pub(super) fn mul(a: v128, b: v128) -> v128 {
    f64x2_mul(a, b)
}

#[inline(always)]
pub(super) fn nearest(a: v128) -> v128 {
    f64x2_nearest(a)
}

#[inline(always)]
pub(super) fn floor(a: v128) -> v128 {
    f64x2_floor(a)
}

#[cfg(target_feature = "relaxed-simd")]
#[inline(always)]
pub(super) fn madd(a: v128, b: v128, c: v128) -> v128 {
    f64x2_relaxed_madd(a, b, c)
}

#[cfg(target_feature = "relaxed-simd")]
#[inline(always)]
pub(super) fn nmadd(a: v128, b: v128, c: v128) -> v128 {
    f64x2_relaxed_nmadd(a, b, c)
}

#[inline(always)]
pub(super) fn or(a: v128, b: v128) -> v128 {
    v128_or(a, b)
}

#[inline(always)]
pub(super) fn xor(a: v128, b: v128) -> v128 {
    v128_xor(a, b)
}

/// `b` where `a` is negative, else 0.
#[inline(always)]
pub(super) fn where_negative(a: v128, b: v128) -> v128 {
    v128_and(f64x2_lt(a, f64x2_splat(0.0)), b)
}

/// `b` where `a` is at least `least`, else 0.
#[inline(always)]
pub(super) fn where_at_least(a: v128, least: v128, b: v128) -> v128 {
    v128_and(f64x2_ge(a, least), b)
}

#[inline(always)]
fn low(a: v128, b: v128) -> v128 {
    u64x2_shuffle::<0, 2>(a, b)
}

#[inline(always)]
fn high(a: v128, b: v128) -> v128 {
    u64x2_shuffle::<1, 3>(a, b)
}

/// Two blocks of four neighbors become one of the two in each lane.
#[inline(always)]
pub(super) fn transpose([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    [low(a, c), high(a, c), low(b, d), high(b, d)]
}

/// The inverse of [`transpose`].
#[inline(always)]
pub(super) fn transpose_back([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    [low(a, b), low(c, d), high(a, b), high(c, d)]
}
