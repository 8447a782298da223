//! What a ciphertext of reals is off by, told by where it comes from: errors that have nothing to do with each other add up as squares do.
//!
//! To first order an error is linear in what is drawn or rounded while a graph is computed, with factors that are messages, so that in slot j it is the sum over sources s
//! of a_(j,k) e_s(j + k). Given the secret and the keys, each e_s has independent coefficients of one variance, so that its values at different roots are uncorrelated
//! (powers of roots are orthogonal) and close to normal: a sum of such terms, each below its bound but with a negligible probability, is below the root of the sum of
//! the squares of the bounds with no larger one. (Of products with a secret, too: given it, variances are weighted means of those of single terms, and the probability of
//! a normal number to be beyond a bound is convex in its variance.) So bounds of two errors add up as squares where they are of different sources, or of different slots of
//! one; else as they are, as does all that is no such sum: products of errors, scales that are declared, what authors tell.
//!
//! What operators add and what they make of their operands' errors, their rules of noise say ([`crate::ops::OpDef::noise`]): each is a sum of such terms, which are found by
//! asking it with some errors left out. What they draw or round anew, `OpDef::random_noise` says. It is the same where two are given the same uniform half of a
//! ciphertext and the same key, whatever else the two are, so that sources are told by these ([`mask`]).

use crate::ops::Noise;
use std::cmp::Ordering;
use std::sync::Arc;

/// Most slots of one source that are told apart.
const MOST_SLOTS: usize = 64;
/// Most parts that are told apart, and log2 of how much smaller than the whole one that is not is.
const MOST_PARTS: usize = 1024;
const NEGLIGIBLE: f64 = 24.0;

/// What is known of a node.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Message, and all that is off.
    pub noise: Noise,
    errors: Errors,
}

impl Bounds {
    /// Of whose error nothing is known but how large it is.
    pub fn certain(noise: Noise) -> Self {
        Self { noise, errors: Errors { certain: noise.error, parts: [].into() } }
    }

    /// Whose error is drawn anew, by that source.
    pub fn drawn(noise: Noise, source: u64) -> Self {
        Self::of(noise.message, Errors::drawn(source, false, noise.error))
    }

    fn of(message: f64, errors: Errors) -> Self {
        Self { noise: Noise { message, error: errors.total() }, errors }
    }

    /// The same, off by 2^log more.
    #[must_use]
    pub fn off_by(&self, log: f64) -> Self {
        let errors = Errors { certain: sum(self.errors.certain, log), ..self.errors.clone() };
        Self::of(self.noise.message, errors)
    }

    /// With the errors of `other` times 2^gain on top of these.
    #[must_use]
    pub fn carrying(&self, other: &Self, gain: f64) -> Self {
        Self::of(self.noise.message, self.errors.plus(&other.errors.times(gain)))
    }

    /// The same of another message.
    #[must_use]
    pub fn with_message(&self, message: f64) -> Self {
        Self { noise: Noise { message, ..self.noise }, errors: self.errors.clone() }
    }

    /// Of what an operator makes of such operands, by its rule. `own`: what it draws or rounds anew, 2^log at most, by which source, and whether from numbers that are not
    /// encrypted; `slots`: which ones of its operands its slots are made of.
    ///
    /// # Errors
    /// What the rule says.
    pub fn made<E>(
        operands: &[&Self],
        own: Option<(u64, bool, f64)>,
        slots: Moved,
        mut rule: impl FnMut(&[Noise]) -> Result<Noise, E>,
    ) -> Result<Self, E> {
        let noises: Vec<Noise> = operands.iter().map(|operand| operand.noise).collect();
        let all = rule(&noises)?;
        if own.is_none() && operands.iter().all(|operand| operand.errors.parts.is_empty()) {
            return Ok(Self::certain(all));
        }
        let mut given: Vec<Noise> =
            noises.iter().map(|noise| Noise { error: f64::NEG_INFINITY, ..*noise }).collect();
        let alone = rule(&given)?.error;
        let mut rest = difference(all.error, alone);
        let mut errors = match own {
            Some((source, clear, log)) => {
                let drawn = Errors::drawn(source, clear, log.min(alone));
                Errors { certain: difference(alone, log), ..drawn }
            }
            None => Errors { certain: alone, parts: [].into() },
        };
        for (index, operand) in operands.iter().enumerate() {
            if operand.noise.error == f64::NEG_INFINITY {
                continue;
            }
            given[index].error = operand.noise.error;
            let with = difference(rule(&given)?.error, alone);
            given[index].error = f64::NEG_INFINITY;
            errors = errors.plus(&operand.errors.times(with - operand.noise.error).moved(slots));
            rest = difference(rest, with);
        }
        errors.certain = sum(errors.certain, rest);
        // No rule is wrong: what is known of sources makes bounds smaller, never larger.
        let error = errors.total().min(all.error);
        Ok(Self { noise: Noise { message: all.message, error }, errors })
    }
}

/// Which slots of an operand a slot is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The same one.
    Not,
    /// The one so many further on, of so many.
    By { steps: u32, of: u32 },
    /// The mean of all that are a multiple of 2^`low` further on, of so many.
    Mean { low: u32, of: u32 },
    /// Any.
    Anyhow,
}

/// Errors by where they come from; log2, as all here.
#[derive(Clone, Debug)]
struct Errors {
    /// What adds up as it is.
    certain: f64,
    /// By source.
    parts: Arc<[Part]>,
}

/// What comes of one source.
#[derive(Clone, Debug)]
struct Part {
    source: u64,
    /// Rounded from numbers that are not encrypted: others may be the same, so that nothing is known of two such sources together.
    clear: bool,
    log: f64,
    slots: Slots,
}

impl Errors {
    fn drawn(source: u64, clear: bool, log: f64) -> Self {
        let slots = Slots::Of { offsets: [0].into(), along: 0, of: 1 };
        Self { certain: f64::NEG_INFINITY, parts: [Part { source, clear, log, slots }].into() }
    }

    fn total(&self) -> f64 {
        let clear = |clear| move |part: &&Part| part.clear == clear;
        let drawn =
            self.parts.iter().filter(clear(false)).fold(f64::NEG_INFINITY, |all, part| root(all, part.log));
        let rounded = self.parts.iter().filter(clear(true)).map(|part| part.log);
        rounded.chain([self.certain]).fold(drawn, sum)
    }

    fn times(&self, gain: f64) -> Self {
        let parts = self.parts.iter().map(|part| Part { log: part.log + gain, ..part.clone() });
        Self { certain: self.certain + gain, parts: parts.collect() }
    }

    fn moved(&self, by: Moved) -> Self {
        if by == Moved::Not {
            return self.clone();
        }
        let parts = self.parts.iter().map(|part| {
            let (slots, gain) = part.slots.moved(by);
            Part { log: part.log + gain, slots, ..part.clone() }
        });
        Self { certain: self.certain, parts: parts.collect() }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut certain = sum(self.certain, other.certain);
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some(a), Some(b)) => a.source.cmp(&b.source),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => parts.extend(a.next().cloned()),
                Ordering::Greater => parts.extend(b.next().cloned()),
                Ordering::Equal => {
                    parts.extend(a.next().zip(b.next()).map(|(a, b)| {
                        let (apart, slots) = a.slots.with(&b.slots);
                        let log = if apart { root(a.log, b.log) } else { sum(a.log, b.log) };
                        Part { log, slots, ..a.clone() }
                    }));
                }
            }
        }
        let mut least = parts.iter().map(|part| part.log).fold(certain, f64::max) - NEGLIGIBLE;
        if parts.len() > MOST_PARTS {
            let mut logs: Vec<f64> = parts.iter().map(|part| part.log).collect();
            logs.sort_by(|a, b| b.total_cmp(a));
            least = least.max(logs[MOST_PARTS]);
        }
        parts.retain(|part| {
            let told = part.log > least;
            if !told {
                certain = sum(certain, part.log);
            }
            told
        });
        Self { certain, parts: parts.into() }
    }
}

/// Slots of a source, from the one on in which its error is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Slots {
    /// So far on, each with all sums of some of the powers of two of `along`, around a ring of so many: none that was turned yet is in one of 1.
    Of { offsets: Arc<[u32]>, along: u32, of: u32 },
    /// Nobody knows which.
    Any,
}

impl Slots {
    /// After they moved, and log2 of what that makes of the error.
    fn moved(&self, by: Moved) -> (Self, f64) {
        let Self::Of { offsets, along, .. } = self else { return (Self::Any, 0.0) };
        match by {
            Moved::Not => (self.clone(), 0.0),
            Moved::By { steps, of } => {
                let mut offsets: Vec<u32> = offsets.iter().map(|offset| (offset + steps) % of).collect();
                offsets.sort_unstable();
                (Self::Of { offsets: offsets.into(), along: *along, of }, 0.0)
            }
            // Of what is in one slot of each class alone, none meets itself.
            Moved::Mean { low, of } if offsets.len() == 1 && along >> low == 0 => {
                (Self::Any, -0.5 * f64::from(of.ilog2() - low))
            }
            Moved::Mean { .. } | Moved::Anyhow => (Self::Any, 0.0),
        }
    }

    /// Whether none is in both, and all of them.
    fn with(&self, other: &Self) -> (bool, Self) {
        if self == other {
            return (false, self.clone());
        }
        let (Self::Of { offsets, along, of }, Self::Of { offsets: more, along: other, of: ring }) =
            (self, other)
        else {
            return (false, Self::Any);
        };
        let of = *of.max(ring);
        let meet = |a: u32| more.iter().any(|&b| is_difference(a.wrapping_sub(b), *along, of));
        if along != other || offsets.iter().any(|&a| meet(a)) {
            return (false, Self::Any);
        }
        let mut all: Vec<u32> = offsets.iter().chain(more.iter()).copied().collect();
        all.sort_unstable();
        (true, folded(all, *along, of))
    }
}

/// Sorted offsets, as few as they can be told by.
fn folded(mut offsets: Vec<u32>, mut along: u32, of: u32) -> Slots {
    while offsets.len() > 1 && offsets.len().is_multiple_of(2) {
        // A power of two that leads from the lower ones to all others.
        let bits = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| along & bit == 0);
        let lower = |bit: u32| -> Option<Vec<u32>> {
            let lower: Vec<u32> = offsets.iter().copied().filter(|offset| offset & bit == 0).collect();
            let upper = lower.iter().map(|offset| offset | bit);
            (2 * lower.len() == offsets.len() && upper.eq(offsets.iter().copied().filter(|o| o & bit != 0)))
                .then_some(lower)
        };
        let Some((bit, lower)) = bits.into_iter().find_map(|bit| Some((bit, lower(bit)?))) else { break };
        (offsets, along) = (lower, along | bit);
    }
    if offsets.len() > MOST_SLOTS { Slots::Any } else { Slots::Of { offsets: offsets.into(), along, of } }
}

/// Whether that, modulo a power of two, is a sum of some of the powers of two of `along`, each with either sign.
fn is_difference(d: u32, along: u32, modulus: u32) -> bool {
    // Whether it can be so up to a bit, with nothing left over, and with one of the next bit.
    let mut can = [true, false];
    for bit in 0..modulus.ilog2() {
        let (own, one) = (d >> bit & 1 == 1, along >> bit & 1 == 1);
        can = match own {
            // 0; 1 more is 1, which is either sign of it.
            false => [can[0] || (can[1] && one), can[1] && one],
            true => [can[0] && one, (can[0] && one) || can[1]],
        };
    }
    can[0] || can[1]
}

/// log2(2^a + 2^b).
fn sum(a: f64, b: f64) -> f64 {
    crate::schemes::noise::sum(&[a, b])
}

/// log2 of the root of 2^(2 a) + 2^(2 b).
fn root(a: f64, b: f64) -> f64 {
    sum(2.0 * a, 2.0 * b) / 2.0
}

/// log2(2^a - 2^b), or of what cannot be told from 0.
fn difference(a: f64, b: f64) -> f64 {
    if b == f64::NEG_INFINITY || a == f64::INFINITY {
        return a;
    }
    let left = 1.0 - libm::exp2(b - a);
    a + libm::log2(left.max(libm::exp2(-40.0)))
}

/// What stands for the uniform half of what an operator makes, and for what it draws: of its name, and of what stands for those of its operands and keys. Signs and order do not
/// matter, so that what differs in these alone counts as the same.
pub fn mask(name: &str, of: u64) -> u64 {
    name.bytes().fold(mixed(of), |all, byte| mixed(all ^ u64::from(byte)))
}

/// As random as numbers are (Steele, Lea, Flood, OOPSLA 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// All slots, one by one.
    fn listed(slots: &Slots) -> BTreeSet<u32> {
        let Slots::Of { offsets, along, of } = slots else { panic!("slots are known") };
        let bits = (0..u32::BITS).map(|bit| 1u32 << bit).filter(|bit| along & bit != 0);
        bits.fold(offsets.iter().copied().collect(), |all: BTreeSet<u32>, bit| {
            all.iter().flat_map(|&at| [at, (at + bit) % of]).collect()
        })
    }

    /// Some slots of a ring of 64: offsets, and bits along which they are summed, such that none is met twice.
    fn slots() -> impl Strategy<Value = Slots> {
        (prop::collection::btree_set(0u32..64, 1..5), 0u32..64)
            .prop_map(|(offsets, along)| Slots::Of {
                offsets: offsets.into_iter().collect(),
                along: along & (along << 1),
                of: 64,
            })
            .prop_filter("none is met twice", |slots| match slots {
                Slots::Of { offsets, along, .. } => {
                    listed(slots).len() == offsets.len() << along.count_ones()
                }
                Slots::Any => false,
            })
    }

    proptest! {
        #[test]
        fn slots_that_are_told_apart_are_apart(a in slots(), b in slots(), steps in 0u32..64) {
            let (moved, gain) = a.moved(Moved::By { steps, of: 64 });
            prop_assert_eq!(gain, 0.0);
            let all: BTreeSet<u32> = listed(&a).into_iter().map(|slot| (slot + steps) % 64).collect();
            prop_assert_eq!(&listed(&moved), &all);
            let (apart, both) = moved.with(&b);
            let meet = !listed(&b).is_disjoint(&all);
            prop_assert!(!(apart && meet));
            if apart {
                prop_assert_eq!(listed(&both), listed(&b).into_iter().chain(all).collect::<BTreeSet<u32>>());
            }
            // And where bits are the same ones nothing that is apart is missed.
            let along = |slots: &Slots| matches!(slots, Slots::Of { along, .. } if *along == 0);
            prop_assert!(apart || meet || !along(&a) || !along(&b));
        }

        #[test]
        fn differences_are_sums_with_signs(d in 0u32..256, along in 0u32..256) {
            let mut sums = BTreeSet::from([0u32]);
            for bit in (0..8).map(|bit| 1u32 << bit).filter(|bit| along & bit != 0) {
                sums = sums.iter().flat_map(|&s| [s, s.wrapping_add(bit) % 256, s.wrapping_sub(bit) % 256]).collect();
            }
            prop_assert_eq!(is_difference(d, along, 256), sums.contains(&d));
        }
    }

    fn noise(message: f64, error: f64) -> Noise {
        Noise { message, error }
    }

    /// A sum, as its rule bounds it.
    fn added(x: &Bounds, y: &Bounds) -> Bounds {
        let rule = |inputs: &[Noise]| Ok::<_, ()>(crate::schemes::noise::sums(inputs));
        Bounds::made(&[x, y], None, Moved::Not, rule).unwrap()
    }

    fn turned(x: &Bounds, steps: u32) -> Bounds {
        Bounds::made(&[x], None, Moved::By { steps, of: 4096 }, |inputs| Ok::<_, ()>(inputs[0])).unwrap()
    }

    #[test]
    fn errors_add_up_by_where_they_come_from() {
        let near = |bounds: &Bounds, error: f64| (bounds.noise.error - error).abs() < 1e-6;
        let (x, y) = (Bounds::drawn(noise(40.0, 10.0), 1), Bounds::drawn(noise(40.0, 10.0), 2));
        assert!(near(&added(&x, &y), 10.5));
        assert!(near(&added(&x, &x), 11.0));
        // A sum of all slots is that of as many independent errors; once more it is the same in each.
        let mut sum = x.clone();
        for bit in 0..12 {
            sum = added(&sum, &turned(&sum, 1 << bit));
            assert!(near(&sum, 10.0 + 0.5 * f64::from(bit + 1)), "{bit}: {:?}", sum.noise);
        }
        assert!(near(&added(&sum, &turned(&sum, 1)), 17.0));
        // Diagonals.
        let rows =
            (1..64).map(|steps| turned(&x, 4096 - steps)).fold(x.clone(), |all, row| added(&all, &row));
        assert!(near(&rows, 13.0));
        // Of what nobody knows nothing is won.
        let known = Bounds::certain(noise(40.0, 10.0));
        assert!(near(&added(&known, &known), 11.0) && near(&added(&x, &known), 11.0));
        // The rounding of clear numbers may be the same in both.
        let round = |source| {
            let rule = |_: &[Noise]| Ok::<_, ()>(noise(40.0, 10.0));
            Bounds::made(&[], Some((source, true, 10.0)), Moved::Not, rule).unwrap()
        };
        assert!(near(&added(&round(1), &round(2)), 11.0));
    }

    #[test]
    fn products_scale_errors_and_add_theirs() {
        let (x, y) = (Bounds::drawn(noise(40.0, 10.0), 1), Bounds::drawn(noise(42.0, 12.0), 2));
        let rule = |inputs: &[Noise]| Ok::<_, ()>(crate::schemes::canonical::product(inputs[0], inputs[1]));
        let product = Bounds::made(&[&x, &y], None, Moved::Not, rule).unwrap();
        let off = |error: f64| (product.noise.error - error).abs();
        // Two of 2^52, and 2^22.
        assert!(off(52.5) < 1e-6, "{:?}", product.noise);
        // A mean of 16 is off by a fourth.
        let mean =
            Bounds::made(&[&x], None, Moved::Mean { low: 8, of: 4096 }, |inputs| Ok::<_, ()>(inputs[0]));
        assert!((mean.unwrap().noise.error - 8.0).abs() < 1e-6);
    }
}
