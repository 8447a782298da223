//! Sums of products modulo a prime below `2^30`: products of residues are below `2^60`, so that sixteen of them fit into
//! 64 bits.

use super::field32::{LANES, Small};
use super::lanes32::{U4, Wide};
use super::products::Sums;

/// Products that are summed onto a residue before the sum is reduced.
const TERMS: usize = 15;

/// A sum and the number of its terms, each a residue or a product of two.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    words: Wide,
    terms: u32,
}

impl Sums<LANES> for Small {
    type Values = U4;
    type Sum = Sum;

    fn room(&self) -> usize {
        TERMS
    }

    #[inline(always)]
    fn values(&self, words: &[u64; LANES]) -> U4 {
        U4::halves(*words)[0]
    }

    #[inline(always)]
    fn opened(&self, left: &[u64; LANES]) -> U4 {
        self.values(left)
    }

    #[inline(always)]
    fn first_product(&self, a: &U4, b: &U4) -> Sum {
        Sum { words: a.product(*b), terms: 1 }
    }

    #[inline(always)]
    fn taken(&self, left: &[u64; LANES]) -> Sum {
        Sum { words: Wide::from_words(*left), terms: 1 }
    }

    #[inline(always)]
    fn add_product(&self, sum: &mut Sum, a: &U4, b: &U4) {
        sum.words = sum.words + a.product(*b);
        sum.terms += 1;
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
