//! Changes of the RNS base, a block of coefficients at a time: the sources are scaled, their quotient is rounded and
//! all targets are summed while the block is in registers and first-level cache.

use super::lanes::F2;
use super::pointwise::Words;
use super::sums::{BLOCK, Sums, TERMS, block, doubles};
use crate::math::{self, Modulus};

/// Most sources: so many blocks lie on the stack.
const MOST_SOURCES: usize = 40;

struct Source {
    limb: usize,
    words: Words,
    c: (u64, f64),
    /// `1 / q` as `math::rns::Quotient` rounds it.
    reciprocal: f64,
}

struct Target {
    words: Words,
    /// Factors of the sources, then that of the quotient, each with its ratio to the prime.
    constants: Vec<(u64, f64)>,
    own: Option<(usize, (u64, f64))>,
}

/// A prepared change of base; all primes are below `2^50`.
pub(super) struct BaseChange {
    sources: Vec<Source>,
    targets: Vec<Target>,
}

/// A constant with its ratio to the prime.
fn constant(words: &Words, c: u64) -> (u64, f64) {
    (c, words.ratio(c))
}

impl BaseChange {
    /// None for larger primes or too many of them.
    pub(super) fn new(change: &math::BaseChange) -> Option<Self> {
        let source = |s: &math::Source| {
            let words = Words::new(s.modulus)?;
            let reciprocal = 1.0 / s.modulus.value() as f64;
            Some(Source { limb: s.limb, words, c: constant(&words, s.c), reciprocal })
        };
        let target = |t: &math::Target| {
            let words = Words::new(t.modulus)?;
            // Without an own limb the sum is the remainder, with one it is subtracted.
            let sign = |c: u64, q: &Modulus| if t.own.is_some() { q.neg(c) } else { c };
            let mut constants: Vec<_> = t.c.iter().map(|&c| constant(&words, sign(c, &t.modulus))).collect();
            constants.push(constant(&words, sign(t.modulus.neg(t.w), &t.modulus)));
            Some(Target { words, constants, own: t.own.map(|(limb, c)| (limb, constant(&words, c))) })
        };
        let sources: Vec<Source> = change.sources.iter().map(source).collect::<Option<_>>()?;
        let targets = change.targets.iter().map(target).collect::<Option<_>>()?;
        (sources.len() <= MOST_SOURCES.min(TERMS - 2)).then_some(Self { sources, targets })
    }

    /// From limbs of `n` words, a multiple of [`BLOCK`], to the targets, one after the other.
    pub(super) fn run(&self, out: &mut [u64], limbs: &[&[u64]]) {
        let n = out.len() / self.targets.len();
        let mut y = [([0; BLOCK], [F2::splat(0.0); BLOCK / 2]); MOST_SOURCES];
        let y = &mut y[..self.sources.len()];
        for index in 0..n / BLOCK {
            let mut sum = [F2::splat(0.0); BLOCK / 2];
            for (y, source) in y.iter_mut().zip(&self.sources) {
                let x = block(limbs[source.limb], index);
                if source.c.0 == 1 {
                    y.0 = *x;
                } else {
                    source.words.mul_block(&mut y.0, x, source.c);
                }
                y.1 = doubles(&y.0);
                // The order and the roundings of `math::rns::Quotient`.
                for (sum, &y) in sum.iter_mut().zip(&y.1) {
                    *sum = *sum + y * F2::splat(source.reciprocal);
                }
            }
            let v = sum.map(|sum| (sum + F2::splat(0.5)).floor());
            let mut v_words = [0; BLOCK];
            for (words, v) in v_words.as_chunks_mut().0.iter_mut().zip(v) {
                *words = v.to_words();
            }
            for (target, out) in self.targets.iter().zip(out.chunks_exact_mut(n)) {
                let mut sums = Sums::new();
                for ((words, doubles), &c) in y.iter().zip(&target.constants) {
                    sums.add_scaled(words, doubles, c);
                }
                sums.add_scaled(&v_words, &v, target.constants[self.sources.len()]);
                if let Some((limb, c)) = target.own {
                    let x = block(limbs[limb], index);
                    sums.add_scaled(x, &doubles(x), c);
                }
                sums.finish(&mut out.as_chunks_mut().0[index], &target.words, F2::splat(1.0));
            }
        }
    }
}
