//! Sums of products modulo a prime below `2^30`: products of residues are below `2^60`, so that sixteen of them fit into
//! 64 bits.

use super::field32::{LANES, Small};
use super::lanes32::{U4, Wide};
use super::products::Sums;

/// Terms that are summed before the sum is reduced.
const TERMS: u32 = 16;

/// A sum and the number of its terms, each a residue or a product of two.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    words: Wide,
    terms: u32,
}

impl Sums<LANES> for Small {
    type Values = U4;
    type Sum = Sum;

    #[inline(always)]
    fn values(words: &[u64; LANES]) -> U4 {
        U4::halves(*words)[0]
    }

    #[inline(always)]
    fn zero() -> Sum {
        Sum { words: Wide::zero(), terms: 0 }
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; LANES]) -> Sum {
        Sum { words: Wide::from_words(*left), terms: 1 }
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &U4, b: &U4) {
        if sum.terms == TERMS {
            *sum = Sum { words: self.rest(sum.words).widen(), terms: 1 };
        }
        sum.words = sum.words + a.product(*b);
        sum.terms += 1;
    }

    #[inline(always)]
    fn add_transformed(&self, sum: &mut Sum, a: &[u64; LANES], b: &[u64; LANES]) {
        self.add_product(sum, &Self::values(a), &Self::values(b));
    }

    #[inline(always)]
    fn product(&self, a: &U4, b: &U4) -> [u64; LANES] {
        self.rest_of_products(a.product(*b)).to_words()
    }

    #[inline(always)]
    fn words(&self, sum: Sum) -> [u64; LANES] {
        self.rest(sum.words).to_words()
    }

    /// Sums of few terms, as `limb.tensor` has them, take the short way.
    #[inline(always)]
    fn leave_sum(&self, sum: Sum) -> [u64; LANES] {
        if sum.terms <= 2 { self.rest_of_products(sum.words).to_words() } else { self.words(sum) }
    }
}
