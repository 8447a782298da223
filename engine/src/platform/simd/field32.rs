//! Arithmetic modulo a prime below `2^30` in 32-bit words. Values are kept in `[0, 4q)`, which 32 bits hold, and reduced
//! lazily (D. Harvey, "Faster arithmetic for number-theoretic transforms", 2014). A factor `w` in `[0, q)` comes with
//! `w' = floor(2^32 w / q)` (Shoup): for any 32-bit `a`, `0 <= a w / q - floor(a w' / 2^32) < 1 + a / 2^32 < 2`, so that
//! `a w - floor(a w' / 2^32) q`, computed modulo `2^32`, is the residue of `a w` in `[0, 2q)`.

use super::lanes32::{U4, Wide};
use crate::math::Modulus;

/// Words at a time.
pub(super) const LANES: usize = 4;

/// A factor and its Shoup quotient.
pub(super) type Factor = [u32; 2];

/// A prime below `2^30`.
#[derive(Clone, Copy)]
pub(super) struct Field32 {
    pub(super) modulus: Modulus,
    /// 1 and `2^32`: what the halves of a word count.
    halves: [Factor; 2],
}

impl Field32 {
    /// None for a larger prime, and for an even modulus.
    pub(super) fn new(modulus: Modulus) -> Option<Self> {
        if !(3..1 << 30).contains(&modulus.value()) || modulus.value().is_multiple_of(2) {
            return None;
        }
        let halves = [1, modulus.reduce(1 << 32)].map(|w| factor(&modulus, w));
        Some(Self { modulus, halves })
    }

    /// Prepares `w` in `[0, q)`.
    pub(super) fn factor(&self, w: u64) -> Factor {
        factor(&self.modulus, w)
    }

    /// The prime in registers.
    #[inline(always)]
    pub(super) fn load(&self) -> Small {
        let q = self.modulus.value();
        let shift = q.ilog2();
        Small {
            q: U4::splat(q as u32),
            twice: U4::splat(2 * q as u32),
            halves: self.halves.each_ref().map(all),
            shift,
            reciprocal: U4::splat(((1 << (shift + 32)) / q) as u32),
        }
    }
}

fn factor(modulus: &Modulus, w: u64) -> Factor {
    [w as u32, ((w << 32) / modulus.value()) as u32]
}

/// A factor for all lanes.
#[inline(always)]
pub(super) fn all(factor: &Factor) -> [U4; 2] {
    factor.map(U4::splat)
}

/// A factor for each lane.
#[inline(always)]
pub(super) fn each(factor: &[[u32; 4]; 2]) -> [U4; 2] {
    factor.map(U4::from_array)
}

/// A prime below `2^30`, in registers.
#[derive(Clone, Copy)]
pub(super) struct Small {
    q: U4,
    twice: U4,
    halves: [[U4; 2]; 2],
    shift: u32,
    reciprocal: U4,
}

impl Small {
    /// `a w` in `[0, 2q)`, for any `a`.
    #[inline(always)]
    pub(super) fn mul(&self, a: U4, [w, quotient]: &[U4; 2]) -> U4 {
        a.mul_low(*w) - a.mul_high(*quotient).mul_low(self.q)
    }

    /// Any words in `[0, 4q)`.
    #[inline(always)]
    pub(super) fn fit(&self, words: Wide) -> U4 {
        let [low, high] = words.halves();
        self.mul(low, &self.halves[0]) + self.mul(high, &self.halves[1])
    }

    /// Any words in `[0, q)`.
    #[inline(always)]
    pub(super) fn rest(&self, words: Wide) -> U4 {
        self.finish(self.halve(self.fit(words)))
    }

    /// A product of residues, or the sum of two, in `[0, q)`.
    ///
    /// With `2^k < q < 2^(k+1)` the quotient of `t < 2^(k+32)` is estimated as `floor(floor(t / 2^k) m / 2^32)`,
    /// `m = floor(2^(k+32) / q)` (P. Barrett, 1986). It is not too large, and too small by less than
    /// `1 + 2^k / q + t / 2^(k+32) < 3`, so that the remainder is in `[0, 3q)`.
    #[inline(always)]
    pub(super) fn rest_of_products(&self, words: Wide) -> U4 {
        let quotient = words.shift(self.shift).halves()[0].mul_high(self.reciprocal);
        self.finish(self.halve(words.halves()[0] - quotient.mul_low(self.q)))
    }

    /// From `[0, 4q)` to `[0, 2q)`.
    #[inline(always)]
    pub(super) fn halve(&self, a: U4) -> U4 {
        // Where a < 2q the difference wraps to a large number.
        a.min(a - self.twice)
    }

    /// From `[0, 2q)` to `[0, q)`.
    #[inline(always)]
    pub(super) fn finish(&self, a: U4) -> U4 {
        a.min(a - self.q)
    }

    /// `a - b + 2q`: in `(0, 4q)` for `a, b` in `[0, 2q)`.
    #[inline(always)]
    pub(super) fn difference(&self, a: U4, b: U4) -> U4 {
        a + self.twice - b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lanes(words: [u64; 4]) -> U4 {
        U4::from_array(words.map(|x| x as u32))
    }

    /// Odd moduli of all sizes, often right below a power of two.
    fn modulus() -> impl Strategy<Value = u64> {
        (2u32..=30, any::<u64>(), any::<bool>()).prop_map(|(bits, random, top)| {
            let half = 1u64 << (bits - 1);
            if top { 2 * half - 1 - random % half.min(64) } else { half + random % half }.max(3) | 1
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn products_and_ranges((q, w) in modulus().prop_flat_map(|q| {
            (Just(q), prop_oneof![3 => 0..q, 1 => Just(0), 1 => Just(q - 1), 1 => Just(q / 2)])
        }), any in any::<[u32; 4]>()) {
            let field = Field32::new(Modulus::new(q).unwrap()).unwrap();
            let f = field.load();
            let w4 = all(&field.factor(w));
            let edges = [0, u64::from(u32::MAX), q - 1, 4 * q - 1];
            for a in [any.map(u64::from), edges] {
                let product = f.mul(lanes(a), &w4);
                prop_assert!(product.to_words().iter().all(|&x| x < 2 * q));
                prop_assert_eq!(f.finish(product).to_words(), a.map(|a| a * w % q));
            }
            let b = [edges[3], 2 * q, 2 * q - 1, u64::from(any[0]) % (4 * q)];
            let halved = f.halve(lanes(b)).to_words();
            prop_assert!(halved.iter().zip(b).all(|(&x, b)| x < 2 * q && x % q == b % q));
            let factors = [any.map(|x| u64::from(x) % q), [q - 1, q - 1, 0, 1]];
            for [a, b] in [factors, [factors[1]; 2], [factors[0]; 2]] {
                let product = lanes(a).product(lanes(b));
                let expected = std::array::from_fn(|i| a[i] * b[i] % q);
                prop_assert_eq!(f.rest_of_products(product).to_words(), expected);
                let largest = lanes([q - 1; 4]);
                let expected = std::array::from_fn(|i| (a[i] * b[i] + (q - 1) * (q - 1)) % q);
                prop_assert_eq!(f.rest_of_products(product + largest.product(largest)).to_words(), expected);
            }
            let wide = lanes(any.map(u64::from)).product(lanes(edges));
            let expected = std::array::from_fn(|i| u64::from(any[i]) * u64::from(edges[i] as u32) % q);
            prop_assert_eq!(f.rest(wide).to_words(), expected);
            prop_assert!(f.fit(wide).to_words().iter().all(|&x| x < 4 * q));
            let [x, y] = [[0, 2 * q - 1, 0, 2 * q - 1], [2 * q - 1, 0, 0, 2 * q - 1]];
            let z = f.difference(lanes(x), lanes(y)).to_words();
            prop_assert!((0..4).all(|i| z[i] == x[i] + 2 * q - y[i] && z[i] < 4 * q));
        }
    }

    #[test]
    fn odd_primes_below_2_to_the_30_are_served() {
        let new = |q| Field32::new(Modulus::new(q).unwrap()).is_some();
        assert!(new(3) && new((1 << 30) - 35) && !new((1 << 30) + 3) && !new(2));
    }
}
