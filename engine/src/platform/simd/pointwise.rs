//! Products and sums of products of words modulo a prime below `2^50`, each index apart.
//!
//! The quotient is estimated in doubles, `k = nearest(a b / q)`; then `a b - k q` is small, so that it may be computed
//! modulo `2^64`, exactly: one integer multiplication instead of a wide one.

use super::field::Field;
use super::lanes::ROUND;

/// A prime below `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Words {
    q: i64,
    inverse: f64,
}

/// A word as a double, exactly when it is below `2^53`; from `2^63` it stands for a negative number.
#[inline(always)]
fn double(a: u64) -> f64 {
    a.cast_signed() as f64
}

impl Words {
    /// The prime of a field.
    pub(super) fn of(field: &Field) -> Self {
        Self { q: field.modulus.value().cast_signed(), inverse: field.inverse }
    }

    /// `x - k q` in `[0, q)` for the integer `k` nearest to `quotient`, which is `x / q` but for less than 1/2; of `x`
    /// the lowest 64 bits are given. `|quotient| <= 2^51`.
    #[inline(always)]
    fn finish(&self, x: u64, quotient: f64) -> u64 {
        let k = (quotient + ROUND).to_bits().wrapping_sub(ROUND.to_bits());
        self.lift(x.cast_signed().wrapping_sub(k.cast_signed().wrapping_mul(self.q)))
    }

    /// `c / q` for `c` in `[0, q)`, but for a relative error of `2^-52`.
    #[cfg(any(test, not(target_feature = "relaxed-simd")))]
    pub(super) fn ratio(&self, c: u64) -> f64 {
        double(c) * self.inverse
    }

    /// `x - k q` in `[0, q)`, modulo `q`, for what modulo `2^64` lies within `2^12 q` of 0.
    #[cfg(any(test, not(target_feature = "relaxed-simd")))]
    #[inline(always)]
    pub(super) fn reduce(&self, x: u64, k: u64) -> u64 {
        let r = x.wrapping_sub(k.wrapping_mul(self.q.cast_unsigned()));
        self.finish(r, double(r) * self.inverse)
    }

    /// `r mod q` for `r` in `[-q, q)`.
    #[inline(always)]
    fn lift(&self, r: i64) -> u64 {
        (r + (self.q & (r >> 63))).cast_unsigned()
    }

    /// `out = a + b`.
    pub(super) fn add(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let this = *self;
        for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *o = this.lift(a.wrapping_add(b).cast_signed().wrapping_sub(this.q));
        }
    }

    /// `out = a - b`.
    pub(super) fn sub(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let this = *self;
        for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *o = this.lift(a.wrapping_sub(b).cast_signed());
        }
    }

    /// `out = a mod q` for signed integers `a`, which are nearly always smaller than `q`.
    pub(super) fn reduce_signed(&self, out: &mut [u64], a: &[u64]) {
        let this = *self;
        let mut large = false;
        for (o, &a) in out.iter_mut().zip(a) {
            *o = this.lift(a.cast_signed());
            large |= *o >= this.q.cast_unsigned();
        }
        if large {
            for (o, &a) in out.iter_mut().zip(a) {
                *o = a.cast_signed().rem_euclid(this.q).cast_unsigned();
            }
        }
    }

    /// `out = c a` for a block of words below `2^50`; `c` comes with `c / q`.
    #[cfg(any(test, not(target_feature = "relaxed-simd")))]
    #[inline(always)]
    pub(super) fn mul_block<const N: usize>(&self, out: &mut [u64; N], a: &[u64; N], (c, ratio): (u64, f64)) {
        for (o, &a) in out.iter_mut().zip(a) {
            *o = self.finish(a.wrapping_mul(c), double(a) * ratio);
        }
    }
}
