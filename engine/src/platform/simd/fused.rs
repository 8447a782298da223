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
//! Sums of products are kept in two parts, of which the quotient is taken once for many terms. Of `t` terms of values below `2^b` all products are less than `t 2^(2b)`
//! together, and `high`, which is `C = 1.5 * 2^e` more than it stands for, `e = 2b + log2 t + 1`, stays between `2^e` and `2^(e+1)`. Adding a product to it rounds to a multiple
//! of `2^(e-52)`; what `high` became larger by, less the product, is an integer of at most `2^(e-53)`, and is added to `low`: so the sum is `high - C - low`, exactly. In the
//! end `H = high - C` becomes `H - nearest(H / q) q`: the quotient, at most `t 2^b`, is off by at most `t 2^(b-52)` before it is rounded, so that what is left is at most
//! `q (1/2 + t 2^(b-52))`, and exact. Beside it are `low`, at most `t 2^(e-53)`, and what a sum before left, `9/16 q`.
//! - `b <= 48`, `t = 8`: `q + 2^50 + 9/16 q`, less than `2^51 - 2^31` (`b = 48`: `1.4 * 2^50`); `b = 49`, `t = 4`: the same, `1.8 * 2^50`. Quotients are at most `2^51`,
//!   and rounded by adding; residues are found by `floor`.
//! - `b = 50`, `t = 4`: `3/2 q + 4 u + 9/16 q`, less than `8 u = 2^53`. Quotients are below `2^52`; reductions take up to `8 u`, too.
//!
//! Known factors are centered, and what they multiply is below `2^b`, whatever its prime and theirs: products are half as large, and so are quotients and their errors, where
//! `2^b` takes the place of `q`.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, REGISTERS, ROUNDINGS, doubles, joined};
use super::lanes::{Bits, INTEGERS, Lanes, ROUND};
use super::products::Sums;

/// A prime and its inverse. A factor is `w`, `w / q`.
#[derive(Clone, Copy)]
pub(super) struct Fused {
    q: Lanes,
    inverse: Lanes,
    /// Half of it.
    half: Lanes,
    round: Lanes,
    unit: Lanes,
    /// What sums begin with, `C`.
    start: Lanes,
    /// Most terms before a sum is reduced.
    room: usize,
    /// Whether sums of so many end within what `floor` takes.
    floors: bool,
}

impl Fused {
    /// A prime, for sums of products of values below `2^bits`, itself among them.
    fn new(field: &Field, bits: u32) -> Self {
        let room: usize = if bits <= 48 { 8 } else { 4 };
        let exponent = 2 * bits + room.ilog2() + 1;
        Self {
            q: Lanes::splat(field.q),
            inverse: Lanes::splat(field.inverse),
            half: Lanes::splat(field.inverse / 2.0),
            round: Lanes::held(ROUND),
            unit: Lanes::held(INTEGERS),
            start: Lanes::splat(1.5 * 2f64.powi(exponent.cast_signed())),
            room,
            floors: bits <= 49,
        }
    }
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
        Self::new(field, field.bits())
    }

    #[inline(always)]
    fn read(&self, words: Bits) -> Lanes {
        Lanes::from_words(words, self.unit)
    }

    fn factor(field: &Field, w: u64) -> [f64; 2] {
        let w = field.modulus.center(w) as f64;
        [w, w / field.q]
    }

    #[inline(always)]
    fn mul(&self, a: Lanes, w: &[Lanes; 2]) -> Lanes {
        let h = a * w[0];
        let l = a.fused_sub_from(w[0], h);
        let b = a.nearest_product(w[1], self.round);
        b.fused_sub_from(self.q, h) - l
    }

    #[inline(always)]
    fn reduce(&self, a: Lanes) -> Lanes {
        a.nearest_product(self.inverse, self.round).fused_sub_from(self.q, a)
    }

    #[inline(always)]
    fn finish(&self, a: Lanes) -> Bits {
        self.reduce(a).lift(self.q).to_words(self.unit)
    }

    #[inline(always)]
    fn finish_small(&self, a: Lanes) -> Bits {
        a.fused_add(self.inverse, self.half).floor().fused_sub_to_words(self.q, a, self.unit)
    }

    #[inline(always)]
    fn finish_product(&self, a: Lanes) -> Bits {
        a.lift(self.q).to_words(self.unit)
    }

    #[inline(always)]
    fn leave(&self, a: Lanes) -> Bits {
        self.reduce(a).to_bits()
    }

    #[inline(always)]
    fn take(&self, a: Bits) -> Lanes {
        Lanes::from_bits(a)
    }
}

/// A sum in two parts.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    high: [Lanes; REGISTERS],
    low: [Lanes; REGISTERS],
}

impl Fused {
    /// `a b` modulo `q`.
    #[inline(always)]
    fn product(&self, a: Lanes, b: Lanes) -> Lanes {
        let h = a * b;
        let l = a.fused_sub_from(b, h);
        h.nearest_product(self.inverse, self.round).fused_sub_from(self.q, h) - l
    }

    /// The parts of a first product.
    #[inline(always)]
    fn begin(&self, a: &[Lanes; REGISTERS], b: impl Fn(usize) -> Lanes) -> Sum {
        let high = std::array::from_fn(|i| a[i].fused_add(b(i), self.start));
        let low = std::array::from_fn(|i| a[i].fused_sub_from(b(i), high[i] - self.start));
        Sum { high, low }
    }

    /// Adds products to a sum.
    #[inline(always)]
    fn add(sum: &mut Sum, a: &[Lanes; REGISTERS], b: impl Fn(usize) -> Lanes) {
        for (i, &a) in a.iter().enumerate() {
            let (before, b) = (sum.high[i], b(i));
            sum.high[i] = a.fused_add(b, before);
            sum.low[i] = sum.low[i] + a.fused_sub_from(b, sum.high[i] - before);
        }
    }

    /// A sum modulo `q`.
    #[inline(always)]
    fn total(&self, sum: &Sum) -> [Lanes; REGISTERS] {
        std::array::from_fn(|i| {
            let high = sum.high[i] - self.start;
            let quotient = if self.floors {
                high.nearest_product(self.inverse, self.round)
            } else {
                (high * self.inverse).nearest()
            };
            quotient.fused_sub_from(self.q, high) - sum.low[i]
        })
    }

    /// A sum that begins with what was reduced.
    #[inline(always)]
    fn onto(&self, low: [Lanes; REGISTERS]) -> Sum {
        Sum { high: [self.start; REGISTERS], low: low.map(|x| Lanes::splat(0.0) - x) }
    }
}

impl Sums<BLOCK> for Fused {
    type Values = [Lanes; REGISTERS];
    type Sum = Sum;

    #[inline(always)]
    fn room(&self) -> usize {
        self.room
    }

    #[inline(always)]
    fn values(&self, words: &[u64; BLOCK]) -> Self::Values {
        doubles(words, self.unit)
    }

    #[inline(always)]
    fn opened(&self, left: &[u64; BLOCK]) -> Self::Values {
        std::array::from_fn(|i| Lanes::from_bits(left.as_chunks().0[i]))
    }

    #[inline(always)]
    fn first_product(&self, a: &Self::Values, b: &Self::Values) -> Sum {
        self.begin(a, |i| b[i])
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; BLOCK]) -> Sum {
        self.onto(self.opened(left))
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &Self::Values, b: &Self::Values) {
        Self::add(sum, a, |i| b[i]);
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
    fn words(&self, sum: Sum) -> [u64; BLOCK] {
        let total = self.total(&sum);
        joined(if self.floors { total.map(|x| self.finish_small(x)) } else { total.map(|x| self.finish(x)) })
    }

    #[inline(always)]
    fn leave_sum(&self, sum: Sum) -> [u64; BLOCK] {
        joined(self.total(&sum).map(|sum| self.leave(sum)))
    }
}

impl BlockSums for Fused {
    /// As a factor of a transform.
    type Constant = [f64; 2];

    fn prime(field: &Field, bits: u32) -> Self {
        Self::new(field, bits)
    }

    fn constant(field: &Field, c: u64) -> [f64; 2] {
        Self::factor(field, c)
    }

    #[inline(always)]
    fn doubles(values: &Self::Values) -> [Lanes; REGISTERS] {
        *values
    }

    #[inline(always)]
    fn of_doubles(&self, doubles: [Lanes; REGISTERS]) -> Self::Values {
        doubles
    }

    #[inline(always)]
    fn scale(&self, x: &Self::Values, c: &[f64; 2]) -> Self::Values {
        let c = c.map(Lanes::splat);
        x.map(|x| self.mul(x, &c).lift(self.q))
    }

    #[inline(always)]
    fn first_scaled(&self, y: &Self::Values, c: &[f64; 2]) -> Sum {
        let c = Lanes::splat(c[0]);
        self.begin(y, |_| c)
    }

    #[inline(always)]
    fn add_scaled(&self, sum: &mut Sum, y: &Self::Values, c: &[f64; 2]) {
        let c = Lanes::splat(c[0]);
        Self::add(sum, y, |_| c);
    }
}
