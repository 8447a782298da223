//! Chooses parameters: the cheapest that are secure, hold the values and survive the noise.

use super::bounds;
use super::compile::Builder;
use super::literal::{Layout, TaskLiteral};
use super::parameters::{ParameterLiteral, Parameters, SchemeName};
use super::range::least_modulus;
use crate::expand::{CostModel, Expander};
use crate::math::prime::{ntt_primes, ntt_primes_from};
use crate::schemes::bfv::auxiliary_primes;
use crate::schemes::columns::statistic_sums;
use crate::schemes::security::SecurityTable;
use crate::watch::pause;
use crate::{Error, Result};

/// Bits of noise budget that the bound must leave.
pub const MARGIN: f64 = 2.0;

/// True for a budget that leaves the margin; false also for one that is no number.
pub fn enough(budget: f64) -> bool {
    budget >= MARGIN
}

/// Largest primes that are chosen: those that double-precision kernels can serve.
const PRIME_BITS: u32 = 50;
/// Most primes of a digit of key switching.
const MOST_DIGIT: usize = 4;
/// Most plaintext moduli that are combined.
const MAX_PLAIN_MODULI: u32 = 4;

/// What the caller fixed.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    pub table: SecurityTable,
    pub n: Option<usize>,
    pub t: Option<Vec<u64>>,
    pub q: Option<Vec<u64>>,
    /// Bytes that a run may take.
    pub memory: u64,
}

/// Finds the cheapest parameters for the builder's task.
///
/// # Errors
/// `RangeOverflow`, `TooLarge`, `NoParameters`, or what the task itself is refused for.
pub fn choose(builder: &Builder<'_>, wishes: &Wishes) -> Result<Parameters> {
    let least = least_modulus(builder.task())?;
    let rings = builder.task().inputs.iter().filter(|i| i.layout == Layout::Slots);
    let slots = rings.map(|i| 2 * (i.rows / i.rings).next_power_of_two()).max();
    // Keys and inputs that do not fit into memory last, then by cost.
    let mut best: Option<(bool, f64, Parameters)> = None;
    let mut reason = String::from("no ring dimension has that many slots");
    let mut max_n = 0;
    // Why the last ring was left out, if the task becomes too much there.
    let mut too_large = None;
    let mut costs = CostModel::default();
    for &(n, max_bits) in wishes.table.rows() {
        if wishes.n.is_some_and(|w| w != n) || slots.is_some_and(|s| s > n) {
            continue;
        }
        max_n = n;
        reason = format!("n = {n}: no prime plain moduli hold values up to {}", least / 2);
        let sets = plain_moduli(n, least, wishes.t.as_ref());
        let packed = sets.iter().map(|t| (t, true));
        // Many sums in one ciphertext bring noise: then it may be cheaper not to pack.
        let apart = sets.iter().filter(|_| many_sums(builder.task())).map(|t| (t, false));
        for (t, pack) in packed.chain(apart) {
            too_large = bounds::check_ring(builder.task(), n, t.len()).err();
            if too_large.is_some() {
                continue;
            }
            let candidate = Candidate { builder, wishes, n, max_bits, t, pack };
            for parameters in candidate.smallest(&mut reason)? {
                let mut expander = Expander::new(builder.registry());
                let scheme = builder.scheme(&parameters, &mut expander)?;
                let cost = costs.cost(&mut expander, &scheme.graph)?;
                let held: u64 =
                    scheme.graph.inputs().iter().map(|port| scheme.graph.ty(port.operand).size).sum();
                let too_large = held.saturating_mul(8) > wishes.memory;
                if best.as_ref().is_none_or(|b| (too_large, cost) < (b.0, b.1)) {
                    best = Some((too_large, cost, parameters));
                }
            }
        }
        // A larger ring pays off at most one step beyond the first that works.
        if best.as_ref().is_some_and(|b| b.2.literal().n * 2 <= n) {
            break;
        }
    }
    let best = best.map(|b| b.2);
    let none = Error::NoParameters { max_n, table: wishes.table.name(), reason };
    best.ok_or(too_large.unwrap_or(none))
}

/// Sums from which packing them is weighed: a few never cost more than they save.
const MANY_SUMS: usize = 32;

/// True for a task of many sums.
fn many_sums(task: &TaskLiteral) -> bool {
    let sums = |op: &str| statistic_sums(op).map_or(usize::from(op == "column.sum"), |sums| sums.len());
    task.nodes.iter().map(|node| sums(&node.op)).sum::<usize>() > MANY_SUMS
}

/// Sets of plaintext moduli of product `least` or more: one, or several smaller ones; the smallest there are, since noise
/// grows with them.
pub(crate) fn plain_moduli(n: usize, least: u128, wished: Option<&Vec<u64>>) -> Vec<Vec<u64>> {
    if let Some(t) = wished {
        return vec![t.clone()];
    }
    let mut sets: Vec<Vec<u64>> = Vec::new();
    for count in 1..=MAX_PLAIN_MODULI {
        // Rounded up: the product must not be smaller.
        let each = libm::exp2(libm::log2(least as f64) / f64::from(count)) * (1.0 + 1e-12) + 1.0;
        let found = ntt_primes_from(each as u64, PRIME_BITS, n, count as usize).unwrap_or_default();
        if found.iter().map(|&t| u128::from(t)).product::<u128>() >= least && sets.last() != Some(&found) {
            sets.push(found);
        }
        // With the smallest primes more of them are of no use.
        if each < 2.0 * n as f64 {
            break;
        }
    }
    sets
}

struct Candidate<'a> {
    builder: &'a Builder<'a>,
    wishes: &'a Wishes,
    n: usize,
    max_bits: u32,
    t: &'a [u64],
    pack: bool,
}

impl Candidate<'_> {
    /// The fewest primes that survive the noise, and the fewest to sum slots with, for each size of digits that may pay;
    /// empty when none do.
    fn smallest(&self, reason: &mut String) -> Result<Vec<Parameters>> {
        if let Some(found) = self.fewest(1, 0, reason)? {
            return Ok(vec![found]);
        }
        let Some(found) = self.fewest(1, 1, reason)? else { return Ok(Vec::new()) };
        let count = found.literal().q.len();
        let mut all = vec![found];
        // Larger digits are fewer, which makes keys smaller and mostly faster, but take more special primes.
        for digit in 2..=MOST_DIGIT.min(count.saturating_sub(1)) {
            // Whoever gives the primes gives one that is special.
            if self.wishes.q.is_none() {
                all.extend(self.fewest(count, digit, &mut String::new())?);
            }
        }
        Ok(all)
    }

    /// The same for so many special primes, from `least` data primes on; none, too, where keys are needed and there are no
    /// special primes.
    fn fewest(&self, least: usize, special: usize, reason: &mut String) -> Result<Option<Parameters>> {
        for count in least..=self.max_bits as usize / 20 {
            pause()?;
            let Some(parameters) = self.parameters(count, special, count)? else { continue };
            if special == 0 && self.builder.needs_keys(&parameters)? {
                return Ok(None);
            }
            let budget = self.budget(&parameters)?;
            if !enough(budget) {
                *reason = format!("n = {}: noise bound leaves {budget:.1} bits of budget", self.n);
                continue;
            }
            for low in 1..count {
                if let Some(lower) = self.parameters(count, special, low)?
                    && enough(self.budget(&lower)?)
                {
                    return Ok(Some(lower));
                }
            }
            return Ok(Some(parameters));
        }
        Ok(None)
    }

    fn budget(&self, parameters: &Parameters) -> Result<f64> {
        self.builder.budget(parameters, &mut Expander::new(self.builder.registry()))
    }

    /// Parameters with that many primes; `None` when there are no such primes.
    fn parameters(&self, count: usize, special: usize, low: usize) -> Result<Option<Parameters>> {
        let (mut q, mut specials) = (Vec::new(), Vec::new());
        if let Some(wish) = &self.wishes.q {
            // The caller's list: data primes, then the special one where keys are needed.
            if wish.len() != count + special {
                return Ok(None);
            }
            q.extend_from_slice(&wish[..count]);
            specials.extend_from_slice(&wish[count..]);
        } else {
            let bits = PRIME_BITS.min(self.max_bits / (count + special) as u32);
            let Ok(primes) = ntt_primes(bits, self.n, count + special, self.t) else { return Ok(None) };
            specials.extend_from_slice(&primes[..special]);
            q.extend_from_slice(&primes[special..]);
        }
        let taken = [self.t, &q, &specials].concat();
        let Ok(aux) = auxiliary_primes(self.n, &q, &taken) else { return Ok(None) };
        let table = self.wishes.table.name().to_owned();
        let literal = ParameterLiteral {
            scheme: SchemeName::Bfv,
            scale: None,
            n: self.n,
            t: self.t.to_vec(),
            q,
            special: specials,
            aux,
            low,
            pack: self.pack,
            table,
        };
        match Parameters::new(literal) {
            // The caller's primes may fit another ring dimension.
            Err(Error::Parameters { .. }) if self.wishes.q.is_some() && self.wishes.n.is_none() => Ok(None),
            checked => checked.map(Some),
        }
    }
}
