//! The rings, primes, bases and residues that cases are made of.

/// Primes of 17, 30, 36, 43, 50, 59 and 61 bits, 1 modulo `2 * LARGEST`.
pub(super) const PRIMES: [u64; 7] = [
    0x1_0001,
    0x3ffc_0001,
    0xf_fff0_0001,
    0x7ff_ffdb_0001,
    0x3_ffff_ffdf_0001,
    0x7ff_ffff_ffe7_0001,
    0x1fff_ffff_ffe1_0001,
];

/// Ring dimensions: below, at and above the width of vector units, and real ones.
pub(super) const SIZES: [usize; 5] = [2, 8, 64, 1024, 8192];

/// For each ring dimension its smallest prime, and its largest one below `2^30`.
const EXTREMES: [[u64; 2]; SIZES.len()] = [
    [0x5, 0x3fff_ffdd],
    [0x11, 0x3fff_fe81],
    [0x101, 0x3fff_fe81],
    [0x3001, 0x3fff_7801],
    [0x1_0001, 0x3fff_4001],
];

/// One ring dimension more, for the largest prime only.
pub(super) const LARGEST: usize = 32768;

/// Words that an operator of many inputs reads at most.
pub(super) const MOST_WORDS: usize = 16384;

/// Numbers that look random and are the same everywhere (SplitMix64, G. Steele et al., 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
    pub(super) fn words(&mut self, n: usize, limit: u64) -> Vec<u64> {
        (0..n).map(|_| self.below(limit)).collect()
    }
}

/// How residues are chosen.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    Zero,
    One,
    Largest,
    Alternating,
    Random,
}

impl Pattern {
    /// All for small rings, two for large ones.
    pub(super) fn of(n: usize) -> &'static [Self] {
        let all = &[Self::Largest, Self::Random, Self::Zero, Self::One, Self::Alternating];
        if n < 1024 { all } else { &all[..2] }
    }
    /// Once in a build: there are many callers, and none is in a hurry.
    #[inline(never)]
    pub(super) fn words(self, n: usize, q: u64, random: &mut Random) -> Vec<u64> {
        match self {
            Self::Zero => vec![0; n],
            Self::One => vec![1; n],
            Self::Largest => vec![q - 1; n],
            Self::Alternating => (0..n).map(|i| if i.is_multiple_of(2) { 0 } else { q - 1 }).collect(),
            Self::Random => random.words(n, q),
        }
    }
}

/// All ring dimensions with all primes, and with those of their own.
pub(super) fn rings() -> impl Iterator<Item = (usize, u64)> {
    SIZES.into_iter().zip(EXTREMES).flat_map(|(n, own)| PRIMES.into_iter().chain(own).map(move |q| (n, q)))
}

/// Residue number systems, up to more limbs than a sum in 128 bits holds unreduced.
pub(super) fn bases() -> [Vec<u64>; 4] {
    let last = PRIMES[PRIMES.len() - 1];
    [vec![last], vec![PRIMES[0], last], PRIMES.to_vec(), PRIMES.repeat(10)]
}

/// Sizes for operators on all limbs of a base.
pub(super) fn sizes(base: &[u64]) -> impl Iterator<Item = usize> {
    let limbs = base.len();
    SIZES.into_iter().filter(move |n| n * limbs <= MOST_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::prime::is_prime;

    #[test]
    fn primes_are_what_they_say() {
        assert!(PRIMES.iter().all(|&q| is_prime(q) && q % (2 * LARGEST as u64) == 1));
        assert_eq!(PRIMES.map(|q| q.ilog2() + 1), [17, 30, 36, 43, 50, 59, 61]);
        for (n, own) in SIZES.into_iter().zip(EXTREMES) {
            let prime = |k: &u64| is_prime(2 * n as u64 * k + 1);
            let ends = [(1..).find(prime), (1..(1 << 30) / (2 * n as u64)).rev().find(prime)];
            assert_eq!(own.map(|q| Some(q / (2 * n as u64))), ends);
        }
    }
}
