//! Products of words modulo a prime below `2^50`, each index apart, by integers alone.
//!
//! The quotient is estimated in doubles, `k = nearest(a b / q)`; then `a b - k q` is small, so that it may be computed
//! modulo `2^64`, exactly: one integer multiplication instead of a wide one.

use super::field::Field;
use super::lanes::ROUND;
use super::pointwise::Words;

/// A prime below `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Quotient {
    q: u64,
    inverse: f64,
    words: Words,
}

/// A word as a double, exactly when it is below `2^53`; from `2^63` it stands for a negative number.
#[inline(always)]
fn double(a: u64) -> f64 {
    a.cast_signed() as f64
}

impl Quotient {
    /// By the prime of a field.
    pub(super) fn of(field: &Field) -> Self {
        Self { q: field.modulus.value(), inverse: field.inverse, words: Words::of(field) }
    }

    /// `x - k q` in `[0, q)` for the integer `k` nearest to `quotient`, which is `x / q` but for less than 1/2; of `x`
    /// the lowest 64 bits are given. `|quotient| <= 2^51`.
    #[inline(always)]
    fn finish(&self, x: u64, quotient: f64) -> u64 {
        let k = (quotient + ROUND).to_bits().wrapping_sub(ROUND.to_bits());
        self.words.lift(x.wrapping_sub(k.wrapping_mul(self.q)).cast_signed())
    }

    /// `c / q` for `c` in `[0, q)`, but for a relative error of `2^-52`.
    pub(super) fn ratio(&self, c: u64) -> f64 {
        double(c) * self.inverse
    }

    /// `x - k q` in `[0, q)`, modulo `q`, for what modulo `2^64` lies within `2^12 q` of 0.
    #[inline(always)]
    pub(super) fn reduce(&self, x: u64, k: u64) -> u64 {
        let r = x.wrapping_sub(k.wrapping_mul(self.q));
        self.finish(r, double(r) * self.inverse)
    }

    /// `out = c a` for a block of words below `2^50`; `c` comes with `c / q`.
    #[inline(always)]
    pub(super) fn mul_block<const N: usize>(&self, out: &mut [u64; N], a: &[u64; N], (c, ratio): (u64, f64)) {
        for (o, &a) in out.iter_mut().zip(a) {
            *o = self.finish(a.wrapping_mul(c), double(a) * ratio);
        }
    }
}
