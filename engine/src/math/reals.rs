//! Between residues and doubles that hold integers: coefficients of scaled reals.

use super::rns::MixedRadix;
use super::{MathError, Modulus};

/// `x` modulo `q`, in `[0, q)`, for a double that is an integer, exactly; 0 for what is not finite.
#[derive(Clone, Debug)]
pub struct FromReal {
    q: Modulus,
}

impl FromReal {
    /// For that modulus.
    pub fn new(q: Modulus) -> Self {
        Self { q }
    }

    /// `out[j] = x[j] mod q`, the doubles given by their bits.
    pub fn reduce_into(&self, out: &mut [u64], x: &[u64]) {
        for (out, &bits) in out.iter_mut().zip(x) {
            let x = f64::from_bits(bits);
            *out = if x.abs() < SMALL { self.q.reduce_i64(x as i64) } else { self.large(x) };
        }
    }

    /// A mantissa and a power of two.
    #[cold]
    fn large(&self, x: f64) -> u64 {
        if !x.is_finite() {
            return 0;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) - 1075;
        let mantissa = self.q.reduce(bits & ((1 << 52) - 1) | 1 << 52);
        let value = self.q.mul(mantissa, self.q.pow(self.q.reduce(2), exponent));
        if x < 0.0 { self.q.neg(value) } else { value }
    }
}

/// 2^63: below, a double that is an integer is an `i64`.
const SMALL: f64 = 9_223_372_036_854_775_808.0;

/// Integers, centered modulo `Q`, as doubles.
#[derive(Clone, Debug)]
pub struct ToReal {
    radix: MixedRadix,
}

impl ToReal {
    /// For residues modulo `from`, in this order.
    ///
    /// # Errors
    /// [`MathError::NoModuli`] without a modulus, [`MathError::NotInvertible`] when two share a factor.
    pub fn new(from: &[Modulus]) -> Result<Self, MathError> {
        Ok(Self { radix: MixedRadix::new(from)? })
    }

    /// `out[j]`: the bits of the double next to the `x` in `(-Q/2, Q/2]` with residues `limbs[i][j]`, but for two units in the last place for
    /// each limb: the digits `d_i` of |x| to the bases `q_0`, `q_1`, ... by Horner's rule from the highest, `value q_i + d_i`, each step rounded. Takes
    /// the same steps for every coefficient.
    pub fn round_into(&self, out: &mut [u64], limbs: &[&[u64]]) {
        let mut scratch = self.radix.scratch();
        for (j, out) in out.iter_mut().enumerate() {
            let (digits, negative) = self.radix.magnitude(&mut scratch, |i| limbs[i][j]);
            let steps = digits.iter().zip(self.radix.moduli()).rev();
            let value = steps.fold(0.0, |value, (&digit, q)| value * q.value() as f64 + digit as f64);
            *out = value.to_bits() | negative << 63;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::prime::ntt_primes;
    use num_bigint::{BigInt, BigUint, Sign};
    use proptest::prelude::*;

    fn moduli(count: usize) -> Vec<Modulus> {
        ntt_primes(50, 16, count, &[]).unwrap().into_iter().map(|q| Modulus::new(q).unwrap()).collect()
    }

    fn exact(x: f64) -> BigInt {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64 - 1075;
        let mantissa = BigInt::from(bits & ((1 << 52) - 1) | 1 << 52);
        let value = if exponent < 0 { mantissa >> -exponent } else { mantissa << exponent };
        if x == 0.0 {
            BigInt::ZERO
        } else if x < 0.0 {
            -value
        } else {
            value
        }
    }

    proptest! {
        #[test]
        fn there_and_back(mantissa in -(1i64 << 53)..1 << 53, shift in 0u32..140, limbs in 4usize..8) {
            let x = mantissa as f64 * 2f64.powi(shift as i32);
            let from = moduli(limbs);
            let residues: Vec<[u64; 1]> = from.iter().map(|&q| {
                let mut out = [u64::MAX];
                FromReal::new(q).reduce_into(&mut out, &[x.to_bits()]);
                out
            }).collect();
            for (q, residue) in from.iter().zip(&residues) {
                let q = BigInt::from(q.value());
                let expected = ((exact(x) % &q) + &q) % &q;
                prop_assert_eq!(BigInt::from(residue[0]), expected);
            }
            let mut out = [0];
            let limbs: Vec<&[u64]> = residues.iter().map(|r| &r[..]).collect();
            ToReal::new(&from).unwrap().round_into(&mut out, &limbs);
            let found = f64::from_bits(out[0]);
            prop_assert!((found - x).abs() <= x.abs() * limbs.len() as f64 * 2f64.powi(-52), "{} is not {}", found, x);
        }

        #[test]
        fn any_residues(words in prop::collection::vec(any::<u64>(), 1..9)) {
            let from = moduli(words.len());
            let residues: Vec<[u64; 1]> = from.iter().zip(&words).map(|(q, &w)| [q.reduce(w)]).collect();
            let q: BigUint = from.iter().map(|q| BigUint::from(q.value())).product();
            let mut x = BigUint::ZERO;
            for (modulus, residue) in from.iter().zip(&residues) {
                let hat = &q / modulus.value();
                let inverse = modulus.inv(u64::try_from(&hat % modulus.value()).unwrap()).unwrap();
                x += hat * modulus.mul(residue[0], inverse);
            }
            x %= &q;
            let centered = if &x * 2u32 <= q { BigInt::from(x) } else { BigInt::from_biguint(Sign::Minus, &q - x) };
            let mut out = [0];
            let limbs: Vec<&[u64]> = residues.iter().map(|r| &r[..]).collect();
            ToReal::new(&from).unwrap().round_into(&mut out, &limbs);
            let error = (exact(f64::from_bits(out[0]).round()) - &centered).magnitude().clone();
            let allowed = (centered.magnitude() * limbs.len()) >> 52u32;
            prop_assert!(error <= allowed + 1u32, "{} is not {}", f64::from_bits(out[0]), centered);
        }
    }

    #[test]
    fn what_is_not_finite_is_zero() {
        let mut out = [7; 3];
        let x = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(f64::to_bits);
        FromReal::new(moduli(1)[0]).reduce_into(&mut out, &x);
        assert_eq!(out, [0; 3]);
    }
}
