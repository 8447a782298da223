//! Doubles side by side: a register of 128 bits on wasm, one of 256 where a build is for processors that have these, an array elsewhere. Every operation is
//! IEEE 754's, lane by lane and not fused unless it says so, so that all give the same bits.

#[cfg(not(any(
    target_arch = "wasm32",
    all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")
)))]
mod array;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
mod avx2;
#[cfg(target_arch = "wasm32")]
mod wasm;

#[cfg(not(any(
    target_arch = "wasm32",
    all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")
)))]
use array as imp;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
use avx2 as imp;
#[cfg(target_arch = "wasm32")]
use wasm as imp;

use std::ops::{Add, Mul, Sub};

/// `2^52`, where the unit in the last place of a double is 1.
pub(super) const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// `1.5 * 2^52`: adding it to `|x| <= 2^51` leaves the nearest integer, ties to even, in the low bits.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// How many there are.
pub(super) const LANES: usize = imp::LANES;

/// Words, or the bits of doubles, one for each lane.
pub(super) type Bits = [u64; LANES];

/// A double in each lane.
#[derive(Clone, Copy)]
pub(super) struct Lanes(imp::Register);

impl Lanes {
    /// `x` in all lanes.
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
    pub(super) fn from_bits(bits: Bits) -> Self {
        Self(imp::from_bits(bits))
    }

    /// The bits of the doubles.
    #[inline(always)]
    pub(super) fn to_bits(self) -> Bits {
        imp::to_bits(self.0)
    }

    /// Integers below `2^52` as doubles; `unit` is [`INTEGERS`] in all lanes.
    #[inline(always)]
    pub(super) fn from_words(words: Bits, unit: Self) -> Self {
        // The words become the fraction bits of 2^52 + word.
        Self(imp::or(imp::from_bits(words), unit.0)) - unit
    }

    /// Integers in `[0, 2^52)` as words; `unit` is [`INTEGERS`] in all lanes.
    #[inline(always)]
    pub(super) fn to_words(self, unit: Self) -> Bits {
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

    /// As many blocks of four neighbors as there are lanes, in registers one after the other, become one in each lane.
    #[inline(always)]
    pub(super) fn transpose(registers: [Self; 4]) -> [Self; 4] {
        imp::transpose(registers.map(|a| a.0)).map(Self)
    }

    /// The inverse of [`Self::transpose`].
    #[inline(always)]
    pub(super) fn transpose_back(registers: [Self; 4]) -> [Self; 4] {
        imp::transpose_back(registers.map(|a| a.0)).map(Self)
    }
}

#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
impl Lanes {
    /// `self * b + c`, rounded once where the engine fuses; see [`fuses`].
    #[inline(always)]
    pub(super) fn fused_add(self, b: Self, c: Self) -> Self {
        Self(imp::madd(self.0, b.0, c.0))
    }

    /// The integer nearest to `self * b`, at most `2^51`, rounded once; `round` is [`ROUND`] in all lanes.
    #[inline(always)]
    pub(super) fn nearest_product(self, b: Self, round: Self) -> Self {
        self.fused_add(b, round) - round
    }

    /// `c - self * b` in `[0, 2^52)` as words, for `|c| <= 2^51`; exact where the engine fuses. `unit` is [`INTEGERS`] in all lanes.
    #[inline(always)]
    pub(super) fn fused_sub_to_words(self, b: Self, c: Self, unit: Self) -> Bits {
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
    let x = std::hint::black_box(Lanes::splat(1.0 + 1.0 / (1u64 << 30) as f64));
    let y = std::hint::black_box(Lanes::splat(1.0 + 1.0 / (1u64 << 29) as f64));
    let tiny = 1.0 / (1u64 << 60) as f64;
    let zero = Lanes::splat(0.0);
    let found = [(zero - x).fused_sub_from(x, zero - y), x.fused_add(x, zero - y)];
    found.map(Lanes::to_bits) == [[tiny.to_bits(); LANES]; 2]
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(imp::add(self.0, other.0))
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(imp::sub(self.0, other.0))
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(imp::mul(self.0, other.0))
    }
}
