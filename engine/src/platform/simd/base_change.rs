//! Changes of the RNS base, a block of coefficients at a time: the sources are scaled, their quotient is rounded and
//! all targets are summed while the block is in registers and first-level cache.

use super::field::{BLOCK, BlockSums, Field};
use super::lanes::F2;
use super::products::block;
use crate::Result;
use crate::math;
use crate::math::Modulus;
use crate::platform::made::{Change, Piece, Prepared};

/// Most sources: so many blocks lie on the stack, and so many terms fit into a sum.
const MOST_SOURCES: usize = 40;

struct Source<A: BlockSums> {
    limb: usize,
    field: Field,
    c: Option<A::Constant>,
    /// `1 / q` as `math::rns::Quotient` rounds it.
    reciprocal: f64,
}

struct Target<A: BlockSums> {
    field: Field,
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
        let source = |s: &math::Source| {
            let field = Field::new(s.modulus)?;
            // A factor of 1 changes nothing.
            let c = (s.c != 1).then(|| A::constant(&field, s.c));
            Some(Source { limb: s.limb, c, reciprocal: 1.0 / s.modulus.value() as f64, field })
        };
        let target = |t: &math::Target| {
            let field = Field::new(t.modulus)?;
            // Without an own limb the sum is the remainder, with one it is subtracted.
            let sign = |c: u64, q: &Modulus| if t.own.is_some() { q.neg(c) } else { c };
            let terms = t.c.iter().copied().chain([t.modulus.neg(t.w)]);
            let constants = terms.map(|c| A::constant(&field, sign(c, &t.modulus))).collect();
            let own = t.own.map(|(limb, c)| (limb, A::constant(&field, c)));
            Some(Target { field, constants, own })
        };
        let sources: Vec<_> = change.sources.iter().map(source).collect::<Option<_>>()?;
        let targets = change.targets.iter().map(target).collect::<Option<_>>()?;
        (sources.len() <= MOST_SOURCES).then_some(Self { sources, targets })
    }

    /// From limbs of `n` words, a multiple of [`BLOCK`], to the targets, one after the other.
    pub(super) fn run(&self, out: &mut [u64], limbs: &[&[u64]]) {
        let n = out.len() / self.targets.len();
        let mut y = [A::values(&[0; BLOCK]); MOST_SOURCES];
        let y = &mut y[..self.sources.len()];
        for index in 0..n / BLOCK {
            let mut sum = [F2::splat(0.0); BLOCK / 2];
            for (y, source) in y.iter_mut().zip(&self.sources) {
                let x = A::values(block(limbs[source.limb], index));
                *y = source.c.map_or(x, |c| A::prime(&source.field).scale(&x, &c));
                // The order and the roundings of `math::rns::Quotient`.
                for (sum, y) in sum.iter_mut().zip(A::doubles(y)) {
                    *sum = *sum + y * F2::splat(source.reciprocal);
                }
            }
            let v = A::from_doubles(sum.map(|sum| (sum + F2::splat(0.5)).floor()));
            for (target, out) in self.targets.iter().zip(out.chunks_exact_mut(n)) {
                let prime = A::prime(&target.field);
                let mut sum = A::zero();
                for (y, c) in y.iter().zip(&target.constants) {
                    prime.add_scaled(&mut sum, y, c);
                }
                prime.add_scaled(&mut sum, &v, &target.constants[self.sources.len()]);
                if let Some((limb, c)) = &target.own {
                    prime.add_scaled(&mut sum, &A::values(block(limbs[*limb], index)), c);
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
