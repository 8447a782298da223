//! Changes of the RNS base, a block of coefficients at a time: the sources are scaled, their quotient is rounded and
//! all targets are summed while the block is in registers and first-level cache.

use super::field::{BLOCK, BlockSums, Field, REGISTERS};
use super::lanes::Lanes;
use super::products::{Sums, block};
use crate::Result;
use crate::math;
use crate::math::Modulus;
use crate::platform::made::{Change, Piece, Prepared};

/// Most sources: so many blocks lie on the stack.
const MOST_SOURCES: usize = 40;

struct Source<A: BlockSums> {
    limb: usize,
    prime: A,
    c: Option<A::Constant>,
    /// `1 / q` as `math::rns::Quotient` rounds it.
    reciprocal: f64,
}

struct Target<A: BlockSums> {
    prime: A,
    /// Factors of the sources, then that of the quotient.
    constants: Vec<A::Constant>,
    own: Option<(usize, A::Constant)>,
}

/// A prepared change of base; all primes are below `2^50`.
pub(super) struct BaseChange<A: BlockSums> {
    sources: Vec<Source<A>>,
    targets: Vec<Target<A>>,
}

impl<A: BlockSums> BaseChange<A> {
    /// None for larger primes or too many of them.
    pub(super) fn new(change: &math::BaseChange) -> Option<Self> {
        let moduli = || {
            let sources = change.sources.iter().map(|source| source.modulus);
            sources.chain(change.targets.iter().map(|target| target.modulus))
        };
        let fields: Vec<Field> = moduli().map(Field::new).collect::<Option<_>>()?;
        // What targets sum are residues of all primes.
        let bits = fields.iter().map(Field::bits).max()?;
        let (own, others) = fields.split_at(change.sources.len());
        let sources = change.sources.iter().zip(own).map(|(source, field)| {
            // A factor of 1 changes nothing.
            let c = (source.c != 1).then(|| A::constant(field, source.c));
            let reciprocal = 1.0 / source.modulus.value() as f64;
            Source { limb: source.limb, prime: A::prime(field, bits), c, reciprocal }
        });
        let targets = change.targets.iter().zip(others).map(|(target, field)| {
            // Without an own limb the sum is the remainder, with one it is subtracted.
            let sign = |c: u64, q: &Modulus| if target.own.is_some() { q.neg(c) } else { c };
            let terms = target.c.iter().copied().chain([target.modulus.neg(target.w)]);
            let constants = terms.map(|c| A::constant(field, sign(c, &target.modulus))).collect();
            let own = target.own.map(|(limb, c)| (limb, A::constant(field, c)));
            Target { prime: A::prime(field, bits), constants, own }
        });
        (change.sources.len() <= MOST_SOURCES)
            .then(|| Self { sources: sources.collect(), targets: targets.collect() })
    }

    /// From limbs of `n` words, a multiple of [`BLOCK`], to the targets, one after the other.
    pub(super) fn run(&self, out: &mut [u64], limbs: &[&[u64]]) {
        let none = self.sources[0].prime.values(&[0; BLOCK]);
        // Of few sources the loops over them are unrolled.
        match self.sources.len() {
            1 => self.run_through(&mut [none; 1], out, limbs),
            2 => self.run_through(&mut [none; 2], out, limbs),
            3 => self.run_through(&mut [none; 3], out, limbs),
            4 => self.run_through(&mut [none; 4], out, limbs),
            many => self.run_through(&mut [none; MOST_SOURCES][..many], out, limbs),
        }
    }

    /// [`Self::run`], with room for a block of each source.
    #[inline(always)]
    fn run_through(&self, y: &mut [A::Values], out: &mut [u64], limbs: &[&[u64]]) {
        let n = out.len() / self.targets.len();
        let (sources, half) = (&self.sources[..y.len()], Lanes::held(0.5));
        for index in 0..n / BLOCK {
            let mut sum = [Lanes::splat(0.0); REGISTERS];
            for (y, source) in y.iter_mut().zip(sources) {
                let x = source.prime.values(block(limbs[source.limb], index));
                *y = source.c.map_or(x, |c| source.prime.scale(&x, &c));
                // The order and the roundings of `math::rns::Quotient`.
                for (sum, y) in sum.iter_mut().zip(A::doubles(y)) {
                    *sum = *sum + y * Lanes::splat(source.reciprocal);
                }
            }
            let v = sources[0].prime.of_doubles(sum.map(|sum| (sum + half).floor()));
            for (target, out) in self.targets.iter().zip(out.chunks_exact_mut(n)) {
                let Target { prime, constants, own } = target;
                let (c, last) = (&constants[..y.len()], &constants[y.len()]);
                let mut sum = prime.first_scaled(&v, last);
                let mut room = prime.room() - 1;
                let mut add = |y: &<A as Sums<BLOCK>>::Values, c: &A::Constant| {
                    if room == 0 {
                        (sum, room) = (prime.taken(&prime.leave_sum(sum)), prime.room());
                    }
                    prime.add_scaled(&mut sum, y, c);
                    room -= 1;
                };
                for (y, c) in y.iter().zip(c) {
                    add(y, c);
                }
                if let Some((limb, c)) = own {
                    add(&prime.values(block(limbs[*limb], index)), c);
                }
                out.as_chunks_mut().0[index] = prime.words(sum);
            }
        }
    }
}

/// A change of base by a kernel made at run time.
pub(super) struct MadeChange {
    kernel: Prepared,
    /// Numbers of the limbs that it reads: of the sources, then of the targets' own.
    limbs: Vec<usize>,
}

impl MadeChange {
    /// What was offered for it; none for larger primes, and where targets differ in kind.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn find(change: &math::BaseChange, n: usize) -> Result<Option<Self>> {
        let (sources, targets) = (&change.sources, &change.targets);
        let own = targets.iter().filter(|target| target.own.is_some()).count();
        let moduli = || sources.iter().map(|s| s.modulus).chain(targets.iter().map(|t| t.modulus));
        let largest = moduli().map(|modulus| modulus.value()).max().unwrap_or(0);
        if moduli().any(|modulus| Field::new(modulus).is_none()) || (own > 0 && own < targets.len()) {
            return Ok(None);
        }
        let shape = Change {
            sources: sources.len(),
            targets: targets.len(),
            scaled: sources.iter().any(|source| source.c != 1),
            own: own > 0,
        };
        let piece = Piece::Change(shape);
        let Some(kernel) = Prepared::find(piece, (n, largest), || doubles(change))? else { return Ok(None) };
        let own = targets.iter().filter_map(|target| target.own.map(|(limb, _)| limb));
        let limbs = sources.iter().map(|source| source.limb).chain(own).collect();
        Ok(Some(Self { kernel, limbs }))
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        self.kernel.name()
    }

    /// As [`BaseChange::run`].
    pub(super) fn run(&self, out: &mut [u64], limbs: &[&[u64]]) {
        self.kernel.gather(false, out, self.limbs.iter().map(|&limb| limbs[limb]));
    }
}

/// The doubles that a kernel of a change of base reads: of each source the prime `q`, `1/q`, its factor centered, that by `q`, and `1/q` again, as the quotient is summed
/// by; of each target the prime, one by it, the factors of all sources, that of the quotient, and that of the own limb, if there are such, centered.
fn doubles(change: &math::BaseChange) -> Vec<f64> {
    let by = |modulus: &Modulus| (modulus.value() as f64, 1.0 / modulus.value() as f64);
    let sources = change.sources.iter().flat_map(|source| {
        let ((q, inverse), c) = (by(&source.modulus), source.modulus.center(source.c) as f64);
        [q, inverse, c, c / q, inverse]
    });
    let targets = change.targets.iter().flat_map(|target| {
        let modulus = &target.modulus;
        // Without an own limb the sum is the remainder, with one it is subtracted.
        let signed = |c: u64| if target.own.is_some() { modulus.neg(c) } else { c };
        let terms = target.c.iter().copied().chain([modulus.neg(target.w)]).map(signed);
        let own = target.own.map(|(_, c)| c);
        let factors = terms.chain(own).map(|c| modulus.center(c) as f64).collect::<Vec<_>>();
        let (q, inverse) = by(modulus);
        [q, inverse].into_iter().chain(factors)
    });
    sources.chain(targets).collect()
}
