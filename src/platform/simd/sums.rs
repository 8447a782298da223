//! Inner products modulo a prime below `2^50`: sums of products modulo `2^64`, and beside them in doubles the quotient
//! by the prime, subtracted at the end, once.

use super::lanes::F2;
use super::pointwise::Words;

/// Most terms of a sum: so many estimates add up to an error that 64 bits still hold.
pub(super) const TERMS: usize = 128;

/// Indices at a time; their sums stay in registers.
pub(super) const BLOCK: usize = 8;

/// `1.5 * 2^60`: adding it to `|x| <= 2^59` leaves the nearest multiple of `2^8` in the low bits, counted in `2^8`.
const ROUND: f64 = 1_729_382_256_910_270_464.0;

/// Sums of one block.
pub(super) struct Sums {
    words: [u64; BLOCK],
    quotients: [F2; BLOCK / 2],
}

/// Block number `index` of a limb.
#[inline(always)]
pub(super) fn block(limb: &[u64], index: usize) -> &[u64; BLOCK] {
    &limb.as_chunks().0[index]
}

/// The pairs of a block, as doubles.
#[inline(always)]
pub(super) fn doubles(a: &[u64; BLOCK]) -> [F2; BLOCK / 2] {
    std::array::from_fn(|i| F2::from_words([a[2 * i], a[2 * i + 1]]))
}

impl Sums {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { words: [0; BLOCK], quotients: [F2::splat(0.0); BLOCK / 2] }
    }

    /// Adds `c y`, `y` below `2^50` given also as doubles, `c` in `[0, q)` with `c / q`.
    #[inline(always)]
    pub(super) fn add_scaled(&mut self, y: &[u64; BLOCK], doubles: &[F2; BLOCK / 2], (c, ratio): (u64, f64)) {
        for (sum, &y) in self.words.iter_mut().zip(y) {
            *sum = sum.wrapping_add(y.wrapping_mul(c));
        }
        let ratio = F2::splat(ratio);
        for (sum, &y) in self.quotients.iter_mut().zip(doubles) {
            *sum = *sum + y * ratio;
        }
    }

    /// The sums modulo `q`, in `[0, q)`. With at most [`TERMS`] terms below `2^100`, each quotient off by at most
    /// `2^-51` of `2^50`, the sum of quotients is off by less than `2^11`; less that multiple of `q`, the words
    /// are at most `2^12 q` in size, and their own quotient is right.
    #[inline(always)]
    pub(super) fn finish(self, out: &mut [u64; BLOCK], words: &Words, scale: F2) {
        for (i, quotient) in self.quotients.into_iter().enumerate() {
            let counts = (quotient * scale + F2::splat(ROUND)).to_bits();
            for (lane, count) in counts.into_iter().enumerate() {
                let at = 2 * i + lane;
                out[at] = words.reduce(self.words[at], count.wrapping_sub(ROUND.to_bits()) << 8);
            }
        }
    }
}

/// `out = sum of a b` over `terms` pairs of limbs `a, b`, all in `[0, q)`; with `ONTO`, `out`, also in `[0, q)`, is a term
/// of the sum. At most [`TERMS`] in all.
pub(super) fn dot<'a, const ONTO: bool>(
    words: &Words,
    out: &mut [u64],
    terms: usize,
    pair: impl Fn(usize) -> (&'a [u64], &'a [u64]),
) {
    let inverse = F2::splat(words.inverse());
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let mut sums = Sums::new();
        if ONTO {
            sums = Sums { words: *out, quotients: doubles(out) };
        }
        for term in 0..terms {
            let (a, b) = pair(term);
            let (a, b) = (block(a, index), block(b, index));
            for (sum, (&a, &b)) in sums.words.iter_mut().zip(a.iter().zip(b)) {
                *sum = sum.wrapping_add(a.wrapping_mul(b));
            }
            for (sum, (a, b)) in sums.quotients.iter_mut().zip(doubles(a).into_iter().zip(doubles(b))) {
                *sum = *sum + a * b;
            }
        }
        sums.finish(out, words, inverse);
    }
}

/// `out = sum of c y` over limbs `y` of words below `2^50`, at most [`TERMS`], with constants `c` in `[0, q)` that come
/// with `c / q`.
pub(super) fn combine(words: &Words, out: &mut [u64], limbs: &[&[u64]], constants: &[(u64, f64)]) {
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let mut sums = Sums::new();
        for (limb, &constant) in limbs.iter().zip(constants) {
            let y = block(limb, index);
            sums.add_scaled(y, &doubles(y), constant);
        }
        sums.finish(out, words, F2::splat(1.0));
    }
}
