//! Arithmetic modulo a prime below `2^50` in doubles. `u` is `2^50`; values are integers, at most [`LIMIT`] in size where they are
//! multiplied; what has to be exact is so up to `5 u`. There are two ways to multiply: [`super::split::Split`] and [`super::fused::Fused`].

use super::lanes::{Bits, LANES, Lanes};
use super::products::Sums;
use crate::math::Modulus;

/// How large values may be that are multiplied: `4 u`.
pub(super) const LIMIT: f64 = (1u64 << 52) as f64;

/// What roundings of quotients add to bounds at most, and more.
pub(super) const ROUNDINGS: f64 = 1.0 + 1.0 / (1u64 << 20) as f64;

/// What [`Arithmetic::reduce`] leaves.
pub(super) fn reduced(field: &Field) -> f64 {
    field.q / 2.0 + 2.0
}

/// The same factor for all lanes.
#[inline(always)]
pub(super) fn all<const K: usize>(factor: &[f64; K]) -> [Lanes; K] {
    factor.map(Lanes::splat)
}

/// A factor for each lane.
#[inline(always)]
pub(super) fn each<const K: usize>(factor: &[[f64; LANES]; K]) -> [Lanes; K] {
    factor.map(|lanes| Lanes::from_bits(lanes.map(f64::to_bits)))
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

    /// Of the prime.
    pub(super) fn bits(&self) -> u32 {
        u64::BITS - self.modulus.value().leading_zeros()
    }
}

/// A way to multiply; a factor is kept as `K` doubles.
pub(super) trait Arithmetic<const K: usize>: Copy + Send + Sync + 'static {
    /// Whether kernels made at run time compute in it: a factor is then `w`, centered, and `w / q`.
    const MADE: bool = false;

    /// Whether [`Self::leave`] and [`Self::take`] are other than words.
    const OPEN: bool;

    /// Up to which size [`Self::finish_small`] is right; 0 where it is of no use.
    const SMALL: f64;

    /// How large the product with a value of at most `bound`, at most [`LIMIT`], can be.
    fn product_bound(field: &Field, bound: f64) -> f64;

    /// A prime in registers.
    fn load(field: &Field) -> Self;

    /// Words below `2^52`.
    fn read(&self, words: Bits) -> Lanes;

    /// Prepares `w` in `[0, q)`.
    fn factor(field: &Field, w: u64) -> [f64; K];

    /// `a w` modulo `q`.
    fn mul(&self, a: Lanes, w: &[Lanes; K]) -> Lanes;

    /// `a` modulo `q`, at most [`reduced`] in size, for `|a| <= 5 u` ([`super::fused::Fused`]: `8 u`). The quotient's errors before it is rounded are at most twice
    /// `2^-53 |a| / q`, and its product with `q` is exact.
    fn reduce(&self, a: Lanes) -> Lanes;

    /// `a` modulo `q` in `[0, q)` as words, for as large `a` as [`Self::reduce`] takes.
    fn finish(&self, a: Lanes) -> Bits;

    /// As [`Self::finish`], for `|a| <= SMALL`.
    fn finish_small(&self, a: Lanes) -> Bits {
        self.finish(a)
    }

    /// As [`Self::finish`], for what [`Self::mul`] gave.
    fn finish_product(&self, a: Lanes) -> Bits {
        self.finish(a)
    }

    /// What a transform leaves for sums of products, and takes from them: at most `9/16 q` before, as `BlockSums` likes it.
    fn leave(&self, a: Lanes) -> Bits;

    /// What [`Self::leave`] left.
    fn take(&self, a: Bits) -> Lanes;
}

/// Most terms of a sum: so many errors of quotients stay harmless.
pub(super) const MOST_TERMS: usize = 128;

/// Registers of values at a time; their sums stay in such.
pub(super) const REGISTERS: usize = 4;

/// So many values.
pub(super) const BLOCK: usize = REGISTERS * LANES;

/// Sums of products whose factors may also be known ones, as changes of the base need them.
pub(super) trait BlockSums: Sums<BLOCK> {
    /// A known factor.
    type Constant: Copy + Send + Sync;

    /// A prime, for sums of products of values below `2^bits`, its own residues among them.
    fn prime(field: &Field, bits: u32) -> Self;

    /// Prepares `c` in `[0, q)`.
    fn constant(field: &Field, c: u64) -> Self::Constant;

    /// As doubles.
    fn doubles(values: &Self::Values) -> [Lanes; REGISTERS];

    /// From doubles.
    fn of_doubles(&self, doubles: [Lanes; REGISTERS]) -> Self::Values;

    /// `c x` modulo `q`, in `[0, q)`.
    fn scale(&self, x: &Self::Values, c: &Self::Constant) -> Self::Values;

    /// The sum `c y`.
    fn first_scaled(&self, y: &Self::Values, c: &Self::Constant) -> Self::Sum;

    /// Adds `c y`.
    fn add_scaled(&self, sum: &mut Self::Sum, y: &Self::Values, c: &Self::Constant);
}

/// A block, as doubles; `unit` as in [`Lanes::from_words`].
#[inline(always)]
pub(super) fn doubles(a: &[u64; BLOCK], unit: Lanes) -> [Lanes; REGISTERS] {
    std::array::from_fn(|i| Lanes::from_words(a.as_chunks().0[i], unit))
}

/// Registers as one block.
#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
#[inline(always)]
pub(super) fn joined(registers: [Bits; REGISTERS]) -> [u64; BLOCK] {
    bytemuck::cast(registers)
}

#[cfg(test)]
mod tests {
    use super::super::fused::Fused;
    use super::super::split::Split;
    use super::*;
    use proptest::prelude::*;

    const U: i64 = 1 << 50;

    /// The product is right, and no larger than it says.
    fn check<A: Arithmetic<K>, const K: usize>(q: u64, w: u64, [a, b]: [i64; 2]) {
        let field = Field::new(Modulus::new(q).unwrap()).unwrap();
        let f = A::load(&field);
        let a: [i64; LANES] = std::array::from_fn(|lane| if lane % 2 == 0 { a } else { b });
        let lanes = Lanes::from_bits(a.map(|a| (a as f64).to_bits()));
        let product = f.mul(lanes, &all(&A::factor(&field, w)));
        let expected = a.map(|a| (i128::from(a) * i128::from(w)).rem_euclid(q.into()) as u64);
        assert_eq!(f.finish(product), expected, "{a:?} times {w} mod {q}");
        assert_eq!(
            f.finish(lanes),
            a.map(|a| a.rem_euclid(q.cast_signed()).cast_unsigned()),
            "{a:?} mod {q}"
        );
        let largest = a.iter().map(|a| a.unsigned_abs()).max().unwrap_or(0);
        let within = |x: Lanes, limit: f64| x.to_bits().iter().all(|&r| f64::from_bits(r).abs() <= limit);
        assert!(within(product, A::product_bound(&field, largest as f64)), "{a:?} times {w} mod {q}");
        assert!(within(f.reduce(lanes), reduced(&field)), "{a:?} mod {q}");
        assert_eq!(f.finish_product(product), expected, "{a:?} times {w} mod {q}");
        if largest as f64 <= A::SMALL {
            assert_eq!(f.finish_small(lanes), f.finish(lanes), "{a:?} mod {q}");
        }
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
        let ends = prop_oneof![near(4 * U), near(-4 * U), near(2 * U), near(-2 * U), near(0)];
        prop_oneof![2 => -4 * U..=4 * U, 2 => -2 * U..=2 * U, 3 => ends, 2 => turn]
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
