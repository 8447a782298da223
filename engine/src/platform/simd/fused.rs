//! Arithmetic with a fused multiply-subtract from: `h = a w` and `l = h - a w` exactly, and `r = (h - b q) - l` with
//! `b = nearest(a (w / q))`. With `|w| <= q/2` and `|a| <= 4 u` the argument of `nearest` is at most `2^51` and off by
//! at most 1/2, so `|r| <= q`; `h - b q = r + l` is an integer below `2^53`, hence exact.
//! With `|a| <= c u` it is off by at most `c/8` before it is rounded, and `|r| <= (1/2 + c/8) q`.
//!
//! The product of two values in `[0, q)` has `b = nearest(h / q)`, off by at most 3/8 before it is rounded, so that `|r| <= q`
//! again. Sums of seven such and what a reduction leaves stay below `2^53`, hence exact.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, UNIT, doubles, joined};
use super::lanes::F2;
use super::products::Sums;

/// Most terms, each at most `q`, that are added before the sum is reduced.
const TERMS: u32 = 7;

/// A prime and its inverse. A factor is `w`, `w / q`.
#[derive(Clone, Copy)]
pub(super) struct Fused {
    q: F2,
    inverse: F2,
}

impl Arithmetic<2> for Fused {
    const MADE: bool = true;

    fn product_bound(bound: u32) -> u32 {
        UNIT / 2 + bound.div_ceil(8)
    }

    #[inline(always)]
    fn load(field: &Field) -> Self {
        Self { q: F2::splat(field.q), inverse: F2::splat(field.inverse) }
    }

    fn factor(field: &Field, w: u64) -> [f64; 2] {
        let w = field.modulus.center(w) as f64;
        [w, w / field.q]
    }

    #[inline(always)]
    fn mul(&self, a: F2, w: &[F2; 2]) -> F2 {
        let h = a * w[0];
        let l = a.fused_sub_from(w[0], h);
        let b = (a * w[1]).nearest();
        b.fused_sub_from(self.q, h) - l
    }

    #[inline(always)]
    fn reduce(&self, a: F2) -> F2 {
        (a * self.inverse).nearest().fused_sub_from(self.q, a)
    }

    #[inline(always)]
    fn finish(&self, a: F2) -> [u64; 2] {
        self.reduce(a).lift(self.q).to_words()
    }

    #[inline(always)]
    fn leave(&self, a: F2) -> [u64; 2] {
        self.reduce(a).to_bits()
    }

    #[inline(always)]
    fn take(&self, a: [u64; 2]) -> F2 {
        F2::from_bits(a)
    }
}

/// A sum and the number of its terms since it was reduced.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    sums: [F2; BLOCK / 2],
    terms: u32,
}

impl Fused {
    /// `a b` modulo `q`.
    #[inline(always)]
    fn product(&self, a: F2, b: F2) -> F2 {
        let h = a * b;
        let l = a.fused_sub_from(b, h);
        (h * self.inverse).nearest().fused_sub_from(self.q, h) - l
    }

    /// Room for one more term.
    #[inline(always)]
    fn grow(&self, sum: &mut Sum) {
        if sum.terms == TERMS {
            sum.sums = sum.sums.map(|sum| self.reduce(sum));
            sum.terms = 0;
        }
        sum.terms += 1;
    }
}

impl Sums<BLOCK> for Fused {
    type Values = [F2; BLOCK / 2];
    type Sum = Sum;

    #[inline(always)]
    fn values(words: &[u64; BLOCK]) -> Self::Values {
        doubles(words)
    }

    #[inline(always)]
    fn zero() -> Sum {
        Sum { sums: [F2::splat(0.0); BLOCK / 2], terms: 0 }
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; BLOCK]) -> Sum {
        Sum { sums: std::array::from_fn(|i| F2::from_bits([left[2 * i], left[2 * i + 1]])), terms: 0 }
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &Self::Values, b: &Self::Values) {
        self.grow(sum);
        for (sum, (&a, &b)) in sum.sums.iter_mut().zip(a.iter().zip(b)) {
            *sum = *sum + self.product(a, b);
        }
    }

    #[inline(always)]
    fn add_transformed(&self, sum: &mut Sum, a: &[u64; BLOCK], b: &[u64; BLOCK]) {
        let a = std::array::from_fn(|i| F2::from_bits([a[2 * i], a[2 * i + 1]]));
        self.add_product(sum, &a, &doubles(b));
    }

    #[inline(always)]
    fn words(&self, sum: Sum) -> [u64; BLOCK] {
        joined(sum.sums.map(|sum| self.finish(sum)))
    }

    #[inline(always)]
    fn leave_sum(&self, sum: Sum) -> [u64; BLOCK] {
        joined(sum.sums.map(|sum| self.leave(sum)))
    }
}

impl BlockSums for Fused {
    /// As a factor of a transform.
    type Constant = [f64; 2];

    #[inline(always)]
    fn prime(field: &Field) -> Self {
        Self::load(field)
    }

    fn constant(field: &Field, c: u64) -> [f64; 2] {
        Self::factor(field, c)
    }

    #[inline(always)]
    fn doubles(values: &Self::Values) -> [F2; BLOCK / 2] {
        *values
    }

    #[inline(always)]
    fn from_doubles(doubles: [F2; BLOCK / 2]) -> Self::Values {
        doubles
    }

    #[inline(always)]
    fn scale(&self, x: &Self::Values, c: &[f64; 2]) -> Self::Values {
        let c = c.map(F2::splat);
        x.map(|x| self.mul(x, &c).lift(self.q))
    }

    #[inline(always)]
    fn add_scaled(&self, sum: &mut Sum, y: &Self::Values, c: &[f64; 2]) {
        self.grow(sum);
        let c = c.map(F2::splat);
        for (sum, &y) in sum.sums.iter_mut().zip(y) {
            *sum = *sum + self.mul(y, &c);
        }
    }
}
