//! Two doubles side by side: a 128-bit register on wasm, an array elsewhere. Every operation is IEEE 754's, lane by
//! lane and not fused unless it says so, so that both give the same bits.

use std::ops::{Add, Mul, Sub};

/// `2^52`, where the unit in the last place of a double is 1.
pub(super) const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// `1.5 * 2^52`: adding it to `|x| <= 2^51` leaves the nearest integer, ties to even, in the low bits.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// Two lanes.
#[derive(Clone, Copy)]
pub(super) struct F2(imp::Register);

#[cfg(target_arch = "wasm32")]
mod imp {
    use core::arch::wasm32::*;

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
    pub(super) fn low(a: v128, b: v128) -> v128 {
        u64x2_shuffle::<0, 2>(a, b)
    }
    #[inline(always)]
    pub(super) fn high(a: v128, b: v128) -> v128 {
        u64x2_shuffle::<1, 3>(a, b)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod imp {
    pub(super) type Register = [f64; 2];

    #[inline(always)]
    fn each(a: Register, b: Register, f: impl Fn(f64, f64) -> f64) -> Register {
        [f(a[0], b[0]), f(a[1], b[1])]
    }
    #[inline(always)]
    pub(super) fn splat(x: f64) -> Register {
        [x; 2]
    }
    #[inline(always)]
    pub(super) fn from_bits(bits: [u64; 2]) -> Register {
        bits.map(f64::from_bits)
    }
    #[inline(always)]
    pub(super) fn to_bits(a: Register) -> [u64; 2] {
        a.map(f64::to_bits)
    }
    #[inline(always)]
    pub(super) fn add(a: Register, b: Register) -> Register {
        each(a, b, |a, b| a + b)
    }
    #[inline(always)]
    pub(super) fn sub(a: Register, b: Register) -> Register {
        each(a, b, |a, b| a - b)
    }
    #[inline(always)]
    pub(super) fn mul(a: Register, b: Register) -> Register {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    pub(super) fn nearest(a: Register) -> Register {
        a.map(f64::round_ties_even)
    }
    #[inline(always)]
    pub(super) fn floor(a: Register) -> Register {
        a.map(f64::floor)
    }
    #[cfg(any(test, target_feature = "fma"))]
    #[inline(always)]
    pub(super) fn madd(a: Register, b: Register, c: Register) -> Register {
        [a[0].mul_add(b[0], c[0]), a[1].mul_add(b[1], c[1])]
    }
    #[cfg(any(test, target_feature = "fma"))]
    #[inline(always)]
    pub(super) fn nmadd(a: Register, b: Register, c: Register) -> Register {
        [(-a[0]).mul_add(b[0], c[0]), (-a[1]).mul_add(b[1], c[1])]
    }
    #[inline(always)]
    pub(super) fn or(a: Register, b: Register) -> Register {
        each(a, b, |a, b| f64::from_bits(a.to_bits() | b.to_bits()))
    }
    #[inline(always)]
    pub(super) fn xor(a: Register, b: Register) -> Register {
        each(a, b, |a, b| f64::from_bits(a.to_bits() ^ b.to_bits()))
    }
    /// `b` where `a` is negative, else 0.
    #[inline(always)]
    pub(super) fn where_negative(a: Register, b: Register) -> Register {
        each(a, b, |a, b| if a < 0.0 { b } else { 0.0 })
    }
    /// `b` where `a` is at least `least`, else 0.
    #[inline(always)]
    pub(super) fn where_at_least(a: Register, least: Register, b: Register) -> Register {
        each(each(a, least, |a, least| f64::from(u8::from(a >= least))), b, |yes, b| yes * b)
    }
    #[inline(always)]
    pub(super) fn low(a: Register, b: Register) -> Register {
        [a[0], b[0]]
    }
    #[inline(always)]
    pub(super) fn high(a: Register, b: Register) -> Register {
        [a[1], b[1]]
    }
}

impl F2 {
    /// `x` in both lanes.
    #[inline(always)]
    pub(super) fn splat(x: f64) -> Self {
        Self(imp::splat(x))
    }

    /// As [`Self::splat`], of a constant that loops need: a compiler does not see that it is one. Engines make a constant anew wherever the code has it, and compilers write it where it is used,
    /// in the innermost loop; with those of rounding and of words outside, transforms are up to 1.2 times as fast.
    #[inline(always)]
    pub(super) fn held(x: f64) -> Self {
        Self::splat(std::hint::black_box(x))
    }

    /// The doubles with these bits.
    #[inline(always)]
    pub(super) fn from_bits(bits: [u64; 2]) -> Self {
        Self(imp::from_bits(bits))
    }

    /// The bits of the doubles.
    #[inline(always)]
    pub(super) fn to_bits(self) -> [u64; 2] {
        imp::to_bits(self.0)
    }

    /// Integers below `2^52` as doubles; `unit` is [`INTEGERS`] in both lanes.
    #[inline(always)]
    pub(super) fn from_words(words: [u64; 2], unit: Self) -> Self {
        // The words become the fraction bits of 2^52 + word.
        Self(imp::or(imp::from_bits(words), unit.0)) - unit
    }

    /// Integers in `[0, 2^52)` as words; `unit` is [`INTEGERS`] in both lanes.
    #[inline(always)]
    pub(super) fn to_words(self, unit: Self) -> [u64; 2] {
        imp::to_bits(imp::xor((self + unit).0, unit.0))
    }

    /// The nearest integer, ties to even.
    #[inline(always)]
    pub(super) fn nearest(self) -> Self {
        Self(imp::nearest(self.0))
    }

    /// The largest integer that is not larger.
    #[inline(always)]
    pub(super) fn floor(self) -> Self {
        Self(imp::floor(self.0))
    }

    /// `x + q` for negative `x`, else `x`.
    #[inline(always)]
    pub(super) fn lift(self, q: Self) -> Self {
        self + Self(imp::where_negative(self.0, q.0))
    }

    /// `x - p` for `x` from `least` on, else `x`.
    #[inline(always)]
    pub(super) fn lower(self, least: Self, p: Self) -> Self {
        self - Self(imp::where_at_least(self.0, least.0, p.0))
    }

    /// The first lanes of `a` and `b`.
    #[inline(always)]
    pub(super) fn low(a: Self, b: Self) -> Self {
        Self(imp::low(a.0, b.0))
    }

    /// The second lanes of `a` and `b`.
    #[inline(always)]
    pub(super) fn high(a: Self, b: Self) -> Self {
        Self(imp::high(a.0, b.0))
    }
}

#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
impl F2 {
    /// `self * b + c`, rounded once where the engine fuses; see [`fuses`].
    #[inline(always)]
    pub(super) fn fused_add(self, b: Self, c: Self) -> Self {
        Self(imp::madd(self.0, b.0, c.0))
    }

    /// The integer nearest to `self * b`, at most `2^51`, rounded once; `round` is [`ROUND`] in both lanes.
    #[inline(always)]
    pub(super) fn nearest_product(self, b: Self, round: Self) -> Self {
        self.fused_add(b, round) - round
    }

    /// `c - self * b` in `[0, 2^52)` as words, for `|c| <= 2^51`; exact where the engine fuses. `unit` is [`INTEGERS`] in both lanes.
    #[inline(always)]
    pub(super) fn fused_sub_to_words(self, b: Self, c: Self, unit: Self) -> [u64; 2] {
        imp::to_bits(imp::xor(self.fused_sub_from(b, c + unit).0, unit.0))
    }

    /// `c - self * b`, rounded once where the engine fuses; see [`fuses`].
    #[inline(always)]
    pub(super) fn fused_sub_from(self, b: Self, c: Self) -> Self {
        Self(imp::nmadd(self.0, b.0, c.0))
    }
}

/// True when multiplication and addition round once, together. WebAssembly leaves it to the engine, for all of a run:
/// `(1 + 2^-30)^2 - (1 + 2^-29)` is `2^-60`, or 0 when the square is rounded first. Both instructions are tried.
#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
pub(super) fn fuses() -> bool {
    let x = std::hint::black_box(F2::splat(1.0 + 1.0 / (1u64 << 30) as f64));
    let y = std::hint::black_box(F2::splat(1.0 + 1.0 / (1u64 << 29) as f64));
    let tiny = 1.0 / (1u64 << 60) as f64;
    let zero = F2::splat(0.0);
    let found = [(zero - x).fused_sub_from(x, zero - y), x.fused_add(x, zero - y)];
    found.map(F2::to_bits) == [[tiny.to_bits(); 2]; 2]
}

impl Add for F2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(imp::add(self.0, other.0))
    }
}

impl Sub for F2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(imp::sub(self.0, other.0))
    }
}

impl Mul for F2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(imp::mul(self.0, other.0))
    }
}
