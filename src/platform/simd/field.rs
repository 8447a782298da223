//! Arithmetic modulo a prime below `2^50` in doubles: products with a known factor, without a fused multiply-add.
//!
//! A product `a w` has up to 102 bits. Writing `a = 2^27 a1 + a0` makes it `a1 W1 + a0 W0` modulo `q` with the known
//! `W0 = w` and `W1 = 2^27 w mod q`, both centered, so that the quotient by `q` has 26 bits only, and every constant
//! `c` (`W0`, `W1`, `q`) is cut once more, `c = 2^23 c1 + c0`, so that all products below are exact in 53 bits:
//!
//! ```text
//! high = a1 W11 + a0 W01          low = a1 W10 + a0 W00
//! b = nearest(2^23 high / q)      r = 2^23 (high - b q1) + (low - b q0)
//! ```
//!
//! For `|a| <= 4 u` (`u = 2^50`): `|a1| <= 2^25`, `|a0| <= 2^26`, `|W_1| <= 2^26`, `|W_0| <= 2^22`; so `|high|`
//! and `|b q1|` stay below `1.5 * 2^52` but for a factor of `1 + 2^-20`, `|low| <= 1.5 * 2^48`, and the sums cancel to
//! `r = a w - k q`, an integer, exactly. The estimate leaves `low` out, so `|r| <= q/2 + |low| <= 7/8 u`.

use super::lanes::F2;
use crate::math::Modulus;

/// `2^27`.
const CUT: u64 = 1 << 27;

/// `1.5 * 2^79`: adding and subtracting it rounds to a multiple of `2^27`.
const ROUND_CUT: f64 = 906_694_364_710_971_881_029_632.0;

/// `2^23 c1` and `c0` of a constant.
fn cut(c: i64) -> (f64, f64) {
    let low = ((c + (1 << 22)) & ((1 << 23) - 1)) - (1 << 22);
    ((c - low) as f64, low as f64)
}

/// A factor, cut: `W11`, `W01`, `W10`, `W00`, scaled so that they multiply `2^27 a1` and `a0`.
pub(super) type Factor = [f64; 4];

/// [`Factor`]s of both lanes.
pub(super) type Factor2 = [[f64; 2]; 4];

/// A factor in registers.
pub(super) type Loaded = [F2; 4];

/// The same factor for both lanes.
#[inline(always)]
pub(super) fn both(factor: &Factor) -> Loaded {
    factor.map(F2::splat)
}

/// A factor for each lane.
#[inline(always)]
pub(super) fn each(factor: &Factor2) -> Loaded {
    factor.map(|[a, b]| F2::from_bits([a.to_bits(), b.to_bits()]))
}

/// A prime below `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) modulus: Modulus,
    q: f64,
    inverse: f64,
    high: f64,
    low: f64,
}

impl Field {
    /// None for a larger prime.
    pub(super) fn new(modulus: Modulus) -> Option<Self> {
        let q = modulus.value();
        let (high, low) = cut(q.cast_signed());
        (q < 1 << 50).then(|| Self { modulus, q: q as f64, inverse: 1.0 / q as f64, high, low })
    }

    /// Cuts `w` in `[0, q)`.
    pub(super) fn factor(&self, w: u64) -> Factor {
        let q = &self.modulus;
        let (w01, w00) = cut(q.center(w));
        let (w11, w10) = cut(q.center(q.mul(w, q.reduce(CUT))));
        [w11 / CUT as f64, w01, w10 / CUT as f64, w00]
    }

    /// Into registers.
    #[inline(always)]
    pub(super) fn load(&self) -> Arithmetic {
        Arithmetic {
            q: F2::splat(self.q),
            inverse: F2::splat(self.inverse),
            high: F2::splat(self.high),
            low: F2::splat(self.low),
            cut: F2::splat(ROUND_CUT),
        }
    }
}

/// A [`Field`] in registers. `u` is `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic {
    q: F2,
    inverse: F2,
    high: F2,
    low: F2,
    cut: F2,
}

impl Arithmetic {
    /// `a w` modulo `q`, at most `7/8 u` in size, for integers `|a| <= 4 u`; see the module.
    #[inline(always)]
    pub(super) fn mul(&self, a: F2, w: &Loaded) -> F2 {
        let a1 = a + self.cut - self.cut;
        let a0 = a - a1;
        let high = a1 * w[0] + a0 * w[1];
        let low = a1 * w[2] + a0 * w[3];
        let b = (high * self.inverse).nearest();
        (high - b * self.high) + (low - b * self.low)
    }

    /// `a` modulo `q`, at most `9/16 q` in size, for integers `|a| <= 4 u`. The quotient is off by at most 1/16 before
    /// it is rounded, and its product with `q` is exact.
    #[inline(always)]
    pub(super) fn reduce(&self, a: F2) -> F2 {
        a - (a * self.inverse).nearest() * self.q
    }

    /// `a` modulo `q` in `[0, q)` as words, for integers `|a| <= 4 u`.
    #[inline(always)]
    pub(super) fn finish(&self, a: F2) -> [u64; 2] {
        self.reduce(a).lift(self.q).to_words()
    }
}
