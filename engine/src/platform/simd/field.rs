//! Arithmetic modulo a prime below `2^50` in doubles. `u` is `2^50`; values are integers, at most [`LIMIT`] in size. Bounds
//! here and in the transforms leave out a factor of `1 + 2^-20` for roundings of quotients; what has to be exact is so up
//! to `5 u`. There are two ways to multiply: [`super::split::Split`] and [`super::fused::Fused`].

use super::lanes::F2;
use super::products::Sums;
use crate::math::Modulus;

/// Bounds are counted in `u/64`.
pub(super) const UNIT: u32 = 64;

/// How large values may be: `4 u`.
pub(super) const LIMIT: u32 = 4 * UNIT;

/// What [`Arithmetic::reduce`] leaves: `9/16 u`.
pub(super) const REDUCED: u32 = 36;

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
    pub(super) q: f64,
    pub(super) inverse: f64,
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
    /// Whether kernels made at run time compute in it: a factor is then `w`, centered, and `w / q`.
    const MADE: bool = false;

    /// How large the product with a value of at most `bound`, at most [`LIMIT`], can be; at most [`UNIT`].
    fn product_bound(bound: u32) -> u32;

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

    /// What a transform leaves for sums of products, and takes from them: at most `9/16 q` before, as `BlockSums` likes it.
    fn leave(&self, a: F2) -> [u64; 2];

    /// What [`Self::leave`] left.
    fn take(&self, a: [u64; 2]) -> F2;
}

/// Most terms of a sum: so many errors of quotients stay harmless.
pub(super) const MOST_TERMS: usize = 128;

/// Values at a time; their sums stay in registers.
pub(super) const BLOCK: usize = 8;

/// Sums of products whose factors may also be known ones, as changes of the base need them.
pub(super) trait BlockSums: Sums<BLOCK> {
    /// A known factor.
    type Constant: Copy + Send + Sync;

    /// A prime in registers.
    fn prime(field: &Field) -> Self;

    /// Prepares `c` in `[0, q)`.
    fn constant(field: &Field, c: u64) -> Self::Constant;

    /// As doubles.
    fn doubles(values: &Self::Values) -> [F2; BLOCK / 2];

    /// From doubles.
    fn from_doubles(doubles: [F2; BLOCK / 2]) -> Self::Values;

    /// `c x` modulo `q`, in `[0, q)`.
    fn scale(&self, x: &Self::Values, c: &Self::Constant) -> Self::Values;

    /// Adds `c y`.
    fn add_scaled(&self, sum: &mut Self::Sum, y: &Self::Values, c: &Self::Constant);
}

/// The pairs of a block, as doubles.
#[inline(always)]
pub(super) fn doubles(a: &[u64; BLOCK]) -> [F2; BLOCK / 2] {
    std::array::from_fn(|i| F2::from_words([a[2 * i], a[2 * i + 1]]))
}

/// Pairs as one block.
#[cfg(any(test, target_feature = "relaxed-simd"))]
#[inline(always)]
pub(super) fn joined(pairs: [[u64; 2]; BLOCK / 2]) -> [u64; BLOCK] {
    std::array::from_fn(|i| pairs[i / 2][i % 2])
}

#[cfg(test)]
mod tests {
    use super::super::fused::Fused;
    use super::super::split::Split;
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
        let largest = a.iter().map(|a| a.unsigned_abs()).max().unwrap_or(0);
        let bound = A::product_bound(largest.div_ceil(1 << 44) as u32);
        let limit = f64::from(bound) / 64.0 * (U as f64) * (1.0 + 1.0 / f64::from(1 << 20));
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
