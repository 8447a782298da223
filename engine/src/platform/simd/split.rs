//! Arithmetic without a fused multiply-add.
//!
//! A product `a w` has up to 102 bits. Writing `a = 2^27 a1 + a0` makes it
//! `a1 W1 + a0 W0` modulo `q` with the known `W0 = w` and `W1 = 2^27 w mod q`, both centered, so that the quotient by
//! `q` has 26 bits only, and every constant `c` (`W0`, `W1`, `q`) is cut once more, `c = 2^23 c1 + c0`, so that all
//! products below are exact in 53 bits:
//!
//! ```text
//! high = a1 W11 + a0 W01          low = a1 W10 + a0 W00
//! b = nearest(2^23 high / q)      r = 2^23 (high - b q1) + (low - b q0)
//! ```
//!
//! For `|a| <= 4 u`: `|a1| <= 2^25`, `|a0| <= 2^26`, `|W11|, |W01| <= 2^26`, `|W10|, |W00| <= 2^22`; so `|high|` and
//! `|b q1|` are at most `1.5 * 2^52`, `|low|` is at most `1.5 * 2^48`, and the sums cancel to the integer
//! `r = a w - k q`, exactly. The estimate leaves `low` out, so `|r| <= q/2 + |low| <= 7/8 u`; for `q` below `2^23` `|W10|` and
//! `|W00|` are at most `q/2`.
//!
//! Sums of products are taken modulo `2^64` in integers, and beside them in doubles the quotient by the prime, subtracted
//! at the end, once.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, MOST_TERMS, REGISTERS, ROUNDINGS, doubles};
use super::lanes::{Bits, INTEGERS, LANES, Lanes};
use super::products::Sums;
use super::quotient::Quotient;

/// `2^27`.
const CUT: u64 = 1 << 27;

/// `1.5 * 2^79`: adding and subtracting it rounds to a multiple of `2^27`.
const ROUND_CUT: f64 = 906_694_364_710_971_881_029_632.0;

/// `2^23 c1` and `c0` of a constant.
fn cut(c: i64) -> (f64, f64) {
    let low = ((c + (1 << 22)) & ((1 << 23) - 1)) - (1 << 22);
    ((c - low) as f64, low as f64)
}

/// `1.5 * 2^60`: adding it to `|x| <= 2^59` leaves the nearest multiple of `2^8` in the low bits, counted in `2^8`.
const ROUND: f64 = 1_729_382_256_910_270_464.0;

/// Multiplication of parts; see the module. A factor is `W11`, `W01`, `W10`, `W00`, scaled so that they multiply
/// `2^27 a1` and `a0`.
#[derive(Clone, Copy)]
pub(super) struct Split {
    q: Lanes,
    inverse: Lanes,
    high: Lanes,
    low: Lanes,
    cut: Lanes,
    unit: Lanes,
    quotient: Quotient,
}

impl Arithmetic<4> for Split {
    const OPEN: bool = false;

    const SMALL: f64 = 0.0;

    fn product_bound(field: &Field, _: f64) -> f64 {
        let low = (field.q / 2.0).min((1u64 << 22) as f64);
        (field.q / 2.0 + low * (3u64 << 25) as f64) * ROUNDINGS
    }

    #[inline(always)]
    fn load(field: &Field) -> Self {
        let (high, low) = cut(field.modulus.value().cast_signed());
        Self {
            q: Lanes::splat(field.q),
            inverse: Lanes::splat(field.inverse),
            high: Lanes::splat(high),
            low: Lanes::splat(low),
            cut: Lanes::held(ROUND_CUT),
            unit: Lanes::held(INTEGERS),
            quotient: Quotient::of(field),
        }
    }

    #[inline(always)]
    fn read(&self, words: Bits) -> Lanes {
        Lanes::from_words(words, self.unit)
    }

    fn factor(field: &Field, w: u64) -> [f64; 4] {
        let q = &field.modulus;
        let (w01, w00) = cut(q.center(w));
        let (w11, w10) = cut(q.center(q.mul(w, q.reduce(CUT))));
        [w11 / CUT as f64, w01, w10 / CUT as f64, w00]
    }

    #[inline(always)]
    fn mul(&self, a: Lanes, w: &[Lanes; 4]) -> Lanes {
        let a1 = a + self.cut - self.cut;
        let a0 = a - a1;
        let high = a1 * w[0] + a0 * w[1];
        let low = a1 * w[2] + a0 * w[3];
        let b = (high * self.inverse).nearest();
        (high - b * self.high) + (low - b * self.low)
    }

    fn reduce(&self, a: Lanes) -> Lanes {
        a - (a * self.inverse).nearest() * self.q
    }

    #[inline(always)]
    fn finish(&self, a: Lanes) -> Bits {
        self.reduce(a).lift(self.q).to_words(self.unit)
    }

    #[inline(always)]
    fn leave(&self, a: Lanes) -> Bits {
        self.finish(a)
    }

    #[inline(always)]
    fn take(&self, a: Bits) -> Lanes {
        self.read(a)
    }
}

/// Words and the same as doubles.
#[derive(Clone, Copy)]
pub(super) struct Values {
    words: [u64; BLOCK],
    doubles: [Lanes; REGISTERS],
}

/// Sums modulo `2^64`, and their quotients by the prime.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    words: [u64; BLOCK],
    quotients: [Lanes; REGISTERS],
}

impl Split {
    /// The sums modulo `q`. With at most [`MOST_TERMS`] terms below `2^100`, each quotient off by at most `2^-51` of `2^50`, the
    /// sum of quotients is off by less than `2^11`; less that multiple of `q`, the words are at most `2^12 q` in size, and
    /// their own quotient is right.
    #[inline(always)]
    fn reduce_sum(&self, sum: Sum) -> [u64; BLOCK] {
        let mut out = [0; BLOCK];
        for (i, quotient) in sum.quotients.into_iter().enumerate() {
            let counts = (quotient + Lanes::splat(ROUND)).to_bits();
            for (lane, count) in counts.into_iter().enumerate() {
                let at = LANES * i + lane;
                out[at] = self.quotient.reduce(sum.words[at], count.wrapping_sub(ROUND.to_bits()) << 8);
            }
        }
        out
    }
}

impl Sums<BLOCK> for Split {
    type Values = Values;
    type Sum = Sum;

    fn room(&self) -> usize {
        MOST_TERMS
    }

    #[inline(always)]
    fn values(&self, words: &[u64; BLOCK]) -> Values {
        Values { words: *words, doubles: doubles(words, self.unit) }
    }

    #[inline(always)]
    fn opened(&self, left: &[u64; BLOCK]) -> Values {
        self.values(left)
    }

    #[inline(always)]
    fn first_product(&self, a: &Values, b: &Values) -> Sum {
        let mut sum = self.taken(&[0; BLOCK]);
        self.add_product(&mut sum, a, b);
        sum
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; BLOCK]) -> Sum {
        Sum { words: *left, quotients: [Lanes::splat(0.0); REGISTERS] }
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &Values, b: &Values) {
        for (sum, (&a, &b)) in sum.words.iter_mut().zip(a.words.iter().zip(&b.words)) {
            *sum = sum.wrapping_add(a.wrapping_mul(b));
        }
        for (sum, (&a, &b)) in sum.quotients.iter_mut().zip(a.doubles.iter().zip(&b.doubles)) {
            *sum = *sum + a * b * self.inverse;
        }
    }

    #[inline(always)]
    fn words(&self, sum: Sum) -> [u64; BLOCK] {
        self.reduce_sum(sum)
    }

    #[inline(always)]
    fn leave_sum(&self, sum: Sum) -> [u64; BLOCK] {
        self.reduce_sum(sum)
    }
}

impl BlockSums for Split {
    /// `c` and `c / q`.
    type Constant = (u64, f64);

    fn prime(field: &Field, _: u32) -> Self {
        Self::load(field)
    }

    fn constant(field: &Field, c: u64) -> (u64, f64) {
        (c, Quotient::of(field).ratio(c))
    }

    #[inline(always)]
    fn doubles(values: &Values) -> [Lanes; REGISTERS] {
        values.doubles
    }

    #[inline(always)]
    fn of_doubles(&self, doubles: [Lanes; REGISTERS]) -> Values {
        let mut words = [0; BLOCK];
        for (bits, a) in words.as_chunks_mut().0.iter_mut().zip(doubles) {
            *bits = a.to_words(self.unit);
        }
        Values { words, doubles }
    }

    #[inline(always)]
    fn scale(&self, x: &Values, c: &(u64, f64)) -> Values {
        let mut words = [0; BLOCK];
        self.quotient.mul_block(&mut words, &x.words, *c);
        self.values(&words)
    }

    #[inline(always)]
    fn first_scaled(&self, y: &Values, c: &(u64, f64)) -> Sum {
        let mut sum = self.taken(&[0; BLOCK]);
        self.add_scaled(&mut sum, y, c);
        sum
    }

    #[inline(always)]
    fn add_scaled(&self, sum: &mut Sum, y: &Values, &(c, ratio): &(u64, f64)) {
        for (sum, &y) in sum.words.iter_mut().zip(&y.words) {
            *sum = sum.wrapping_add(y.wrapping_mul(c));
        }
        let ratio = Lanes::splat(ratio);
        for (sum, &y) in sum.quotients.iter_mut().zip(&y.doubles) {
            *sum = *sum + y * ratio;
        }
    }
}
