//! Arithmetic modulo a prime below `2^50` in doubles: products with a known factor. `u` is `2^50`; values are integers,
//! at most [`LIMIT`] in size. Bounds here and in the transforms leave out a factor of `1 + 2^-20` for roundings of
//! quotients; what has to be exact is so up to `5 u`.
//!
//! [`Split`] does without a fused multiply-add. A product `a w` has up to 102 bits. Writing `a = 2^27 a1 + a0` makes it
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
//! `r = a w - k q`, exactly. The estimate leaves `low` out, so `|r| <= q/2 + |low| <= 7/8 u`.
//!
//! [`Fused`] multiplies with one rounding, `h = a w` and `l = a w - h` exactly, and `r = (h - b q) + l` with
//! `b = nearest(a (w / q))`. With `|w| <= q/2` and `|a| <= 4 u` the argument of `nearest` is at most `2^51` and off by
//! at most 1/2, so `|r| <= q`; `h - b q = r - l` is an integer below `2^53`, hence exact.

use super::lanes::F2;
use crate::math::Modulus;

/// How large values may be, in `u/8`: `4 u`.
pub(super) const LIMIT: u32 = 32;

/// What [`Arithmetic::reduce`] leaves, in `u/8`, rounded up.
pub(super) const REDUCED: u32 = 5;

/// `2^27`.
const CUT: u64 = 1 << 27;

/// `1.5 * 2^79`: adding and subtracting it rounds to a multiple of `2^27`.
const ROUND_CUT: f64 = 906_694_364_710_971_881_029_632.0;

/// `2^23 c1` and `c0` of a constant.
fn cut(c: i64) -> (f64, f64) {
    let low = ((c + (1 << 22)) & ((1 << 23) - 1)) - (1 << 22);
    ((c - low) as f64, low as f64)
}

/// The same factor for both lanes.
#[inline(always)]
pub(super) fn both<const K: usize>(factor: &[f64; K]) -> [F2; K] {
    factor.map(F2::splat)
}

/// A factor for each lane.
#[inline(always)]
pub(super) fn each<const K: usize>(factor: &[[f64; 2]; K]) -> [F2; K] {
    factor.map(|pair| F2::from_bits(pair.map(f64::to_bits)))
}

/// A prime below `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) modulus: Modulus,
    q: f64,
    inverse: f64,
}

impl Field {
    /// None for a larger prime.
    pub(super) fn new(modulus: Modulus) -> Option<Self> {
        let q = modulus.value();
        (q < 1 << 50).then(|| Self { modulus, q: q as f64, inverse: 1.0 / q as f64 })
    }
}

/// A way to multiply; a factor is kept as `K` doubles.
pub(super) trait Arithmetic<const K: usize>: Copy + Send + Sync + 'static {
    /// How large a product can be, in `u/8`, at most 8.
    const PRODUCT: u32;

    /// A prime in registers.
    fn load(field: &Field) -> Self;

    /// Prepares `w` in `[0, q)`.
    fn factor(field: &Field, w: u64) -> [f64; K];

    /// `a w` modulo `q`.
    fn mul(&self, a: F2, w: &[F2; K]) -> F2;

    /// `a` modulo `q`, at most `9/16 q` in size. The quotient is off by at most 1/16 before it is rounded, and its
    /// product with `q` is exact.
    fn reduce(&self, a: F2) -> F2;

    /// `a` modulo `q` in `[0, q)` as words.
    fn finish(&self, a: F2) -> [u64; 2];
}

/// Multiplication of parts; see the module. A factor is `W11`, `W01`, `W10`, `W00`, scaled so that they multiply
/// `2^27 a1` and `a0`.
#[derive(Clone, Copy)]
pub(super) struct Split {
    q: F2,
    inverse: F2,
    high: F2,
    low: F2,
    cut: F2,
}

impl Arithmetic<4> for Split {
    const PRODUCT: u32 = 7;

    #[inline(always)]
    fn load(field: &Field) -> Self {
        let (high, low) = cut(field.modulus.value().cast_signed());
        Self {
            q: F2::splat(field.q),
            inverse: F2::splat(field.inverse),
            high: F2::splat(high),
            low: F2::splat(low),
            cut: F2::splat(ROUND_CUT),
        }
    }

    fn factor(field: &Field, w: u64) -> [f64; 4] {
        let q = &field.modulus;
        let (w01, w00) = cut(q.center(w));
        let (w11, w10) = cut(q.center(q.mul(w, q.reduce(CUT))));
        [w11 / CUT as f64, w01, w10 / CUT as f64, w00]
    }

    #[inline(always)]
    fn mul(&self, a: F2, w: &[F2; 4]) -> F2 {
        let a1 = a + self.cut - self.cut;
        let a0 = a - a1;
        let high = a1 * w[0] + a0 * w[1];
        let low = a1 * w[2] + a0 * w[3];
        let b = (high * self.inverse).nearest();
        (high - b * self.high) + (low - b * self.low)
    }

    #[inline(always)]
    fn reduce(&self, a: F2) -> F2 {
        a - (a * self.inverse).nearest() * self.q
    }

    #[inline(always)]
    fn finish(&self, a: F2) -> [u64; 2] {
        self.reduce(a).lift(self.q).to_words()
    }
}

/// Fused multiplication; see the module. A factor is `w`, `w / q`.
#[cfg(any(test, target_feature = "relaxed-simd"))]
#[derive(Clone, Copy)]
pub(super) struct Fused {
    q: F2,
    inverse: F2,
}

#[cfg(any(test, target_feature = "relaxed-simd"))]
impl Arithmetic<2> for Fused {
    const PRODUCT: u32 = 8;

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
        let l = a.fused_sub(w[0], h);
        let b = (a * w[1]).nearest();
        b.fused_sub_from(self.q, h) + l
    }

    #[inline(always)]
    fn reduce(&self, a: F2) -> F2 {
        (a * self.inverse).nearest().fused_sub_from(self.q, a)
    }

    #[inline(always)]
    fn finish(&self, a: F2) -> [u64; 2] {
        self.reduce(a).lift(self.q).to_words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const U: i64 = 1 << 50;

    /// The product is right, and no larger than it says.
    fn check<A: Arithmetic<K>, const K: usize>(q: u64, w: u64, a: [i64; 2]) {
        let field = Field::new(Modulus::new(q).unwrap()).unwrap();
        let f = A::load(&field);
        let lanes = F2::from_bits(a.map(|a| (a as f64).to_bits()));
        let product = f.mul(lanes, &both(&A::factor(&field, w)));
        let expected = a.map(|a| (i128::from(a) * i128::from(w)).rem_euclid(q.into()) as u64);
        assert_eq!(f.finish(product), expected, "{a:?} times {w} mod {q}");
        assert_eq!(
            f.finish(lanes),
            a.map(|a| a.rem_euclid(q.cast_signed()).cast_unsigned()),
            "{a:?} mod {q}"
        );
        let limit = f64::from(A::PRODUCT) / 8.0 * (U as f64) * (1.0 + 1.0 / f64::from(1 << 20));
        assert!(
            product.to_bits().iter().all(|&r| f64::from_bits(r).abs() <= limit),
            "{a:?} times {w} mod {q}"
        );
    }

    /// Moduli of all sizes, often right below a power of two.
    fn modulus() -> impl Strategy<Value = u64> {
        (2u32..=50, any::<u64>(), any::<bool>()).prop_map(|(bits, random, top)| {
            let half = 1u64 << (bits - 1);
            if top { 2 * half - 1 - random % half.min(64) } else { half + random % half }.max(3)
        })
    }

    /// Values up to `4 u`, often close to the ends or to where a rounding turns.
    fn value() -> impl Strategy<Value = i64> {
        let near = |x: i64| (-70i64..=70).prop_map(move |d| (x + d).clamp(-4 * U, 4 * U));
        let turn = (-(1i64 << 25)..1 << 25).prop_flat_map(move |k| near((k << 27) + (1 << 26)));
        prop_oneof![2 => -4 * U..=4 * U, 1 => near(4 * U), 1 => near(-4 * U), 1 => near(0), 2 => turn]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn products_are_exact_and_bounded((q, w) in modulus().prop_flat_map(|q| {
            (Just(q), prop_oneof![3 => 0..q, 1 => Just(q - 1), 1 => Just(q / 2), 1 => Just(q / 2 + 1)])
        }), a in value(), b in value()) {
            check::<Split, 4>(q, w, [a, b]);
            check::<Fused, 2>(q, w, [a, b]);
        }
    }
}
