//! Arithmetic with a fused multiply-subtract from: `h = a w` and `l = h - a w` exactly, and `r = (h - b q) - l` with
//! `b = nearest(a (w / q))`. The product in `b` is rounded once, to an integer, by adding `1.5 * 2^52` to it on the way, which
//! needs it to be at most `2^51`. With `|w| <= q/2` and `|a| <= 4 u` it is, and `w / q`, at most 1/2, is off by at most `2^-55`; so
//! `|r| <= (1/2 + |a| 2^-55) q`, at most `5/8 q`, and `h - b q = r + l` is an integer below `2^53`, hence exact.
//!
//! Residues by `floor`: `floor((a + 1/2) / q)` is the quotient, as `(a + 1/2) / q` is at least `1/(2q)` away from integers; as it is
//! computed it is off by less than `2^-52 (|a| + 1) / q`, which is less than that for `|a| < 2 u`.
//!
//! The product of two values in `[0, q)` has `b = nearest(h / q)`, off by at most 1/4 before it is rounded, so that `|r| <= 3/4 q`.
//!
//! Sums of products are kept in two parts, of which the quotient is taken once for many terms. Adding a product to `high`, which is
//! `1.5 * 2^103` more than it stands for, rounds it to a multiple of `2^51`; what `high` became larger by, less the product, is an integer of at
//! most `2^50`, and is added to `low`: so the sum is `high - 1.5 * 2^103 - low`, exactly, while the products are less than `2^102`
//! together, as four of values in `[0, q)` are. In the end `H = high - 1.5 * 2^103` becomes `H - nearest(H / q) q`: the quotient is below
//! `2^52` and off by at most 1 before it is rounded, hence that at most `3/2 q`. With `low` at most `u` for each term and `9/16 q` before them all
//! stays below `8 u = 2^53`, and is exact: `9/16 + 4 + 3/2` with four terms of primes up to `u`, `9/32 + 6 + 3/4` with six of primes up to `u/2`.
//! Known factors are centered, and what they multiply is at most `u`, whatever the prime: `H / q` is at most `3 * 2^50`, with six terms, and off by at
//! most 3/4, hence that at most `5/4 q`, and all `9/32 + 6 + 5/8`, less than `8 u`; with four it is no more than of values in `[0, q)`.
//! Reductions take up to `8 u`, too.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, ROUNDINGS, doubles, joined};
use super::lanes::{F2, ROUND};
use super::products::Sums;

/// `1.5 * 2^103`, where the unit in the last place is `2^51`.
const SUM: f64 = 15_211_807_202_738_752_817_960_438_464_512.0;

/// Most terms that are added before the sum is reduced, of primes up to `2^49` and of larger ones.
const TERMS: [u32; 2] = [6, 4];

/// A prime and its inverse. A factor is `w`, `w / q`.
#[derive(Clone, Copy)]
pub(super) struct Fused {
    q: F2,
    inverse: F2,
    /// Half of it.
    half: F2,
    round: F2,
    /// Most terms before a sum is reduced.
    terms: u32,
}

impl Arithmetic<2> for Fused {
    const MADE: bool = true;

    const OPEN: bool = true;

    const SMALL: f64 = ((1u64 << 51) - (1 << 31)) as f64;

    fn product_bound(field: &Field, bound: f64) -> f64 {
        field.q * (0.5 + bound / (1u64 << 55) as f64) * ROUNDINGS
    }

    #[inline(always)]
    fn load(field: &Field) -> Self {
        Self {
            q: F2::splat(field.q),
            inverse: F2::splat(field.inverse),
            half: F2::splat(field.inverse / 2.0),
            round: F2::splat(ROUND),
            terms: TERMS[usize::from(field.modulus.value() >> 49 > 0)],
        }
    }

    fn factor(field: &Field, w: u64) -> [f64; 2] {
        let w = field.modulus.center(w) as f64;
        [w, w / field.q]
    }

    #[inline(always)]
    fn mul(&self, a: F2, w: &[F2; 2]) -> F2 {
        let h = a * w[0];
        let l = a.fused_sub_from(w[0], h);
        let b = a.nearest_product(w[1], self.round);
        b.fused_sub_from(self.q, h) - l
    }

    #[inline(always)]
    fn reduce(&self, a: F2) -> F2 {
        a.nearest_product(self.inverse, self.round).fused_sub_from(self.q, a)
    }

    #[inline(always)]
    fn finish(&self, a: F2) -> [u64; 2] {
        self.reduce(a).lift(self.q).to_words()
    }

    #[inline(always)]
    fn finish_small(&self, a: F2) -> [u64; 2] {
        a.fused_add(self.inverse, self.half).floor().fused_sub_to_words(self.q, a)
    }

    #[inline(always)]
    fn finish_product(&self, a: F2) -> [u64; 2] {
        a.lift(self.q).to_words()
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

/// A sum in two parts, and the number of its terms since it was reduced.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    high: [F2; BLOCK / 2],
    low: [F2; BLOCK / 2],
    terms: u32,
}

impl Fused {
    /// `a b` modulo `q`.
    #[inline(always)]
    fn product(&self, a: F2, b: F2) -> F2 {
        let h = a * b;
        let l = a.fused_sub_from(b, h);
        h.nearest_product(self.inverse, self.round).fused_sub_from(self.q, h) - l
    }

    /// Adds products to a sum; reduces it before if there is no room.
    #[inline(always)]
    fn add(&self, sum: &mut Sum, a: &[F2; BLOCK / 2], b: impl Fn(usize) -> F2) {
        if sum.terms == self.terms {
            let low = self.total(sum).map(|x| F2::splat(0.0) - self.reduce(x));
            *sum = Sum { low, ..Self::zero() };
        }
        sum.terms += 1;
        for (i, &a) in a.iter().enumerate() {
            let (before, b) = (sum.high[i], b(i));
            sum.high[i] = a.fused_add(b, before);
            sum.low[i] = sum.low[i] + a.fused_sub_from(b, sum.high[i] - before);
        }
    }

    /// A sum modulo `q`.
    #[inline(always)]
    fn total(&self, sum: &Sum) -> [F2; BLOCK / 2] {
        std::array::from_fn(|i| {
            let high = sum.high[i] - F2::splat(SUM);
            (high * self.inverse).nearest().fused_sub_from(self.q, high) - sum.low[i]
        })
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
        Sum { high: [F2::splat(SUM); BLOCK / 2], low: [F2::splat(0.0); BLOCK / 2], terms: 0 }
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; BLOCK]) -> Sum {
        let low = pairs(left).map(|x| F2::splat(0.0) - x);
        Sum { low, ..Self::zero() }
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &Self::Values, b: &Self::Values) {
        self.add(sum, a, |i| b[i]);
    }

    #[inline(always)]
    fn product(&self, a: &Self::Values, b: &Self::Values) -> [u64; BLOCK] {
        joined(std::array::from_fn(|i| self.finish_product(self.product(a[i], b[i]))))
    }

    #[inline(always)]
    fn leave_product(&self, a: &Self::Values, b: &Self::Values) -> [u64; BLOCK] {
        joined(std::array::from_fn(|i| self.leave(self.product(a[i], b[i]))))
    }

    #[inline(always)]
    fn add_transformed(&self, sum: &mut Sum, a: &[u64; BLOCK], b: &[u64; BLOCK]) {
        self.add_product(sum, &pairs(a), &doubles(b));
    }

    #[inline(always)]
    fn words(&self, sum: Sum) -> [u64; BLOCK] {
        joined(self.total(&sum).map(|sum| self.finish(sum)))
    }

    #[inline(always)]
    fn leave_sum(&self, sum: Sum) -> [u64; BLOCK] {
        joined(self.total(&sum).map(|sum| self.leave(sum)))
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
        let c = F2::splat(c[0]);
        self.add(sum, y, |_| c);
    }
}

/// What was left as bits.
#[inline(always)]
fn pairs(left: &[u64; BLOCK]) -> [F2; BLOCK / 2] {
    std::array::from_fn(|i| F2::from_bits([left[2 * i], left[2 * i + 1]]))
}
