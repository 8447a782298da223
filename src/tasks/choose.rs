//! Chooses parameters: the cheapest that are secure, hold the values, survive the noise and are precise enough.

use super::body::Limbs;
use super::build::{self, Asked, Built, ClosedTask, How, build};
use super::halves::Halves;
use super::onward::{Known, Member, Placed, placed};
use super::travel::ports;
use crate::expand::{CostModel, Expander};
use crate::math::prime::{ntt_prime_near, ntt_primes, ntt_primes_from};
use crate::ops::Registry;
use crate::ops::types::Scheme;
use crate::schemes::close::{Closed, MARGIN};
use crate::schemes::security::{SecurityBits, SecurityLevel};
use crate::schemes::{ParameterLiteral, Parameters, Releases, SchemeName};
use crate::sorted::{SortedMap, SortedSet};
use crate::values::types::Kind;
use crate::values::{PackedValue, Packing};
use crate::watch::pause;
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Largest primes that are chosen: those that double-precision kernels can serve.
const PRIME_BITS: u32 = 50;
/// Smallest primes that are tried.
const LEAST_BITS: u32 = 24;
/// Most plaintext moduli that are combined.
const MOST_PLAIN_MODULI: u32 = 4;
/// Most primes of a digit of key switching.
const MOST_DIGIT: usize = 3;
/// log2 of the scales that are tried.
const SCALES: [u32; 7] = [30, 33, 36, 39, 42, 45, 48];
/// The same, of levels of two primes, where no smaller one is precise enough, as where results may be published: encoding on doubles leaves errors of 47 bits below what is encoded, which few
/// results come near to, but beneath the noise that hides them they are worth their bits.
const WIDE_SCALES: [u32; 4] = [52, 56, 60, 64];
/// Bits that the lowest prime, and special ones, have beyond a scale, at least.
const BEYOND: u32 = 2;

/// How many times the words of the candidate with the fewest one may read and write to be looked at closely.
const MOST_WORDS: f64 = 1.2;

/// How many times the words of one plaintext modulus another one may have.
const SAME_WORDS: f64 = 1.1;

/// Bits of results with which small rings mostly do.
const FEW_BITS: u32 = 24;

/// Ring dimensions that are chosen where none is asked for. Smaller ones hold too little, and of larger ones keys are too large for most devices.
const CHOSEN: std::ops::RangeInclusive<usize> = 2048..=32768;

/// What the caller fixed.
#[derive(Clone)]
pub struct Wishes {
    pub scheme: Option<SchemeName>,
    pub level: SecurityLevel,
    pub n: Option<usize>,
    /// Whether parameters below the level may be taken, if `n` leaves no others.
    pub insecure: bool,
    pub asked: Asked,
    pub memory: u64,
    pub public_key: bool,
    pub releases: Option<Releases>,
    pub parties: usize,
    /// Whether results are kept for programs that are not known yet.
    pub onward: bool,
}

/// Finds the cheapest parameters for tasks of which results are inputs of others, of which each ring takes the cheapest way.
///
/// # Errors
/// `NoParameters`, or what a task itself is refused for; `Insecure` for a ring dimension that the level lacks.
pub fn choose(all: &[Member], wishes: &Wishes, registry: &Registry) -> Result<Parameters> {
    let found = among(&rings(wishes)?, all, wishes, registry);
    match (found, wishes.n) {
        (Err(Error::NoParameters { .. }), Some(n)) if wishes.insecure => {
            among(&[Ring::unbounded(n, wishes.level)], all, wishes, registry)
        }
        (Err(Error::NoParameters { max_n, level, reason }), _) => {
            let reason = reason + &help(all, wishes, registry)?;
            Err(Error::NoParameters { max_n, level, reason })
        }
        (found, _) => found,
    }
}

/// What is tried.
fn rings(wishes: &Wishes) -> Result<Vec<Ring>> {
    let rows = wishes.level.rows().iter().map(|&(n, max_bits)| Ring { n, max_bits, insecure: false });
    let Some(wished) = wishes.n else { return Ok(rows.filter(|ring| CHOSEN.contains(&ring.n)).collect()) };
    let found: Vec<Ring> = rows.filter(|ring| ring.n == wished).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let (what, found, level) = ("n".to_owned(), wished.to_string(), wishes.level);
    let expected = format!("one of {} for {level}", level.rings());
    match (level.has_ring(wished), wishes.insecure) {
        (true, true) => Ok(vec![Ring::unbounded(wished, level)]),
        (true, false) => Err(Error::Insecure { what, found, expected }),
        (false, _) => Err(Error::Parameters { what, found, expected }),
    }
}

/// What would help a task for which there are no parameters: a lower level.
fn help(all: &[Member], wishes: &Wishes, registry: &Registry) -> Result<String> {
    let SecurityLevel { table, quantum, .. } = wishes.level;
    let lower =
        [quantum, false].map(|quantum| SecurityLevel { table, bits: SecurityBits::default(), quantum });
    for level in lower.into_iter().filter(|level| *level != wishes.level) {
        let wishes = Wishes { level, ..wishes.clone() };
        match rings(&wishes).and_then(|rings| among(&rings, all, &wishes, registry)) {
            Ok(found) => return Ok(format!("; {level} would do, at n = {}", found.literal().n)),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => {}
        }
    }
    Ok(String::new())
}

/// The same of some rings, smallest first: of the smallest that does, and the next one, since a larger one pays off at most one step beyond.
fn among(rings: &[Ring], all: &[Member], wishes: &Wishes, registry: &Registry) -> Result<Parameters> {
    let mut search = Search {
        tasks: [Arc::default(), Arc::default()],
        wishes,
        registry,
        costs: CostModel::default(),
        primes: HashMap::new(),
        reason: (0, String::new()),
        nearest: None,
        keys: None,
        most_words: [u64::MAX; 2],
    };
    let mut found: SortedMap<usize, Vec<Cheapest>> = SortedMap::new();
    let mut does = |index: usize| -> Result<bool> {
        let Some(ring) = rings.get(index) else { return Ok(false) };
        search.tasks = [Arc::new(placed(all, ring.n, false)?), Arc::new(placed(all, ring.n, true)?)];
        let best = search.cheapest(ring)?;
        let does = !best.is_empty();
        if does {
            found.insert(index, best);
        }
        Ok(does)
    };
    // Integers that are too much for a ring are too much for all smaller ones, but for bytes of keys. Where to begin is a guess.
    let exact = all.iter().flat_map(|task| &task.ways).all(|halves| halves.exact);
    let mut middle = rings.len() / 2;
    if wishes.asked.key_bytes.is_some() {
        middle = 0;
    } else if exact && all.iter().flat_map(|task| &task.ways).all(few_bits) {
        middle = middle.saturating_sub(1);
    }
    if does(middle)? {
        let first = (0..middle).rev().map(&mut does).take_while(|does| !matches!(does, Ok(false)));
        // Those above the smallest one were tried on the way.
        if first.collect::<Result<Vec<_>>>()?.is_empty() {
            does(middle + 1)?;
        }
    } else {
        let above = (middle + 1..rings.len()).map(|index| (index, index + 1));
        // Of reals errors are smaller in smaller rings.
        let below = (0..if exact { 0 } else { middle }).rev().map(|index| (index, rings.len()));
        for (index, next) in above.chain(below) {
            if does(index)? {
                does(next)?;
                break;
            }
        }
    }
    let Search { reason: (_, reason), nearest, keys, .. } = search;
    let smallest = found.keys().next().copied().unwrap_or(0);
    let near = found.into_iter().take_while(|(index, _)| index - smallest <= 1);
    let [keyed, open] = best_of_each(near.flat_map(|(_, best)| best));
    let best = match (keyed, open) {
        // Results of three parts are larger: they pay where that is less than keys are, and what else gets smaller without these.
        (Some(keyed), Some(open)) => {
            let pays = (open.too_large, open.bytes) <= (keyed.too_large, keyed.bytes);
            Some(if pays { open } else { keyed })
        }
        (keyed, open) => keyed.or(open),
    };
    // What was deep enough says more than that others were not.
    let reason = nearest.map_or(reason, |(_, nearest)| nearest);
    let reason = keys.map_or(reason, |(_, keys)| keys);
    let max_n = rings.last().map_or(0, |ring| ring.n);
    let none = Error::NoParameters { max_n, level: wishes.level.to_string(), reason };
    best.map(|best| best.parameters).ok_or(none)
}

/// The cheapest that has no results of three parts, and that which has.
fn best_of_each(all: impl Iterator<Item = Cheapest>) -> [Option<Cheapest>; 2] {
    let mut best = [None, None];
    for other in all {
        let best: &mut Option<Cheapest> = &mut best[usize::from(other.open)];
        if best.as_ref().is_none_or(|best| (other.too_large, other.cost) < (best.too_large, best.cost)) {
            *best = Some(other);
        }
    }
    best
}

/// Whether results are integers of few bits.
fn few_bits(halves: &Halves) -> bool {
    halves.least_modulus().is_ok_and(|least| least < 1 << FEW_BITS)
}

/// A ring dimension that is tried.
struct Ring {
    n: usize,
    max_bits: u32,
    /// Whether that many bits may be more than is secure.
    insecure: bool,
}

impl Ring {
    /// As many bits as the largest ring that is chosen has, however secure.
    fn unbounded(n: usize, level: SecurityLevel) -> Self {
        Self { n, max_bits: level.max_bits(*CHOSEN.end()).unwrap_or(0), insecure: true }
    }
}

struct Search<'a> {
    /// As they lie in the ring that is tried, with keys and without.
    tasks: [Arc<Vec<Placed>>; 2],
    wishes: &'a Wishes,
    registry: &'a Registry,
    costs: CostModel,
    /// The largest primes, by bits and ring dimension.
    primes: HashMap<(u32, usize), Vec<u64>>,
    /// Why the last candidate failed, of the largest ring that was tried: where that is not enough, smaller ones say little.
    reason: (usize, String),
    /// Of candidates that are not precise enough the one that lacks the fewest bits: these, and what to say of it.
    nearest: Option<(f64, String)>,
    /// Of candidates whose keys have too many bytes the one that has the fewest: these, and what to say of it.
    keys: Option<(u64, String)>,
    /// What its operators read and write at most, with keys and without: [`MOST_WORDS`] times what those of another do.
    most_words: [u64; 2],
}

/// The cheapest candidate of a ring.
struct Cheapest {
    /// Whether it takes more memory than a run may.
    too_large: bool,
    cost: f64,
    parameters: Parameters,
    open: bool,
    bytes: u64,
}

/// Parameters that do.
struct Candidate {
    parameters: Parameters,
    /// Words that its operators read and write.
    words: u64,
    /// Whether products of reals are rescaled late.
    late: bool,
    /// Bits of budget that all results can spare.
    spare: u32,
    /// Whether some result is of more than two parts.
    open: bool,
    /// Bytes that travel for one run: keys, inputs and results.
    bytes: u64,
}

impl Search<'_> {
    /// The cheapest parameters in a ring, with results of three parts and without; none where none do, or all are much dearer than others that do.
    fn cheapest(&mut self, ring: &Ring) -> Result<Vec<Cheapest>> {
        let n = ring.n;
        let mut found = Vec::new();
        if self.exact() {
            let mut least = 0;
            for task in self.tasks[0].iter() {
                least = least.max(task.halves.least_modulus()?);
            }
            self.failed(n, format!("no prime plain moduli hold values up to {}", least / 2));
            for t in plain_moduli(n, least) {
                let mut own = Vec::new();
                self.digits(&mut own, |search, digit, least| search.exactly(ring, &t, digit, least))?;
                found.extend(own);
            }
        } else {
            // Where levels are wanting, larger ones would not do.
            let mut imprecise = self.wishes.releases.is_some();
            for &log_scale in SCALES.iter().chain(&WIDE_SCALES) {
                if WIDE_SCALES.contains(&log_scale) && !imprecise {
                    break;
                }
                let mut tried = |log_scale, late, found: &mut Vec<Candidate>| {
                    self.digits(found, |search, digit, least| {
                        let fit = search.ckks(ring, log_scale, (digit, least), late)?;
                        imprecise |= matches!(fit, Fit::Imprecise { .. });
                        Ok(fit)
                    })
                };
                tried(log_scale, true, &mut found)?;
                // Results of three parts are not rescaled: a lower scale may do for them than for others, which are to be compared with.
                if found.iter().all(|candidate| candidate.open) {
                    continue;
                }
                // A little more, and what is turned may have a prime less.
                for log_scale in (log_scale + 1..).take(2) {
                    if found.iter().filter(|candidate| !candidate.open).all(|candidate| candidate.late) {
                        tried(log_scale, false, &mut found)?;
                    }
                }
                break;
            }
        }
        found.sort_by_key(|candidate| candidate.words);
        let mut all = Vec::new();
        for Candidate { parameters, words, open, bytes, .. } in found {
            pause()?;
            let (mut cost, mut too_large, mut known) = (0.0, false, Known::default());
            let literal = parameters.literal();
            if words > self.most_words[usize::from(literal.keyless())] {
                continue;
            }
            for (number, task) in self.tasks(literal).iter().enumerate() {
                let halves = known.told(task);
                let Built { graph, outputs, .. } =
                    build(&halves, &task.packing, literal, self.wishes.asked, self.registry)?;
                cost += self.costs.cost(&mut Expander::new(self.registry), &graph)?;
                let held: u64 = graph.inputs().iter().map(|port| graph.ty(port.operand).size).sum();
                too_large |= held.saturating_mul(8) > self.wishes.memory;
                known.add(number, task, &outputs, literal);
            }
            all.push(Cheapest { too_large, cost, parameters, open, bytes });
        }
        Ok(best_of_each(all.into_iter()).into_iter().flatten().collect())
    }

    /// Whether slots are integers.
    fn exact(&self) -> bool {
        self.tasks[0].iter().all(|task| task.halves.exact)
    }

    /// The tasks, as they lie under these parameters.
    fn tasks(&self, literal: &ParameterLiteral) -> Arc<Vec<Placed>> {
        Arc::clone(&self.tasks[usize::from(literal.keyless())])
    }

    /// Adds what does without keys, where that may be and nothing did before, and with each size of digits that may pay, where keys may.
    fn digits(
        &mut self,
        all: &mut Vec<Candidate>,
        mut fewest: impl FnMut(&mut Self, usize, usize) -> Result<Fit>,
    ) -> Result<()> {
        if all.is_empty()
            && let Fit::Yes(found) = fewest(self, 0, 1)?
            // Programs to come may need keys.
            && !(found.open && self.wishes.onward)
        {
            let open = found.open;
            all.push(*found);
            if !open {
                return Ok(());
            }
        }
        let before = all.len();
        for digit in 1..=MOST_DIGIT {
            let least = all.get(before).map_or(1, |found| found.parameters.literal().q.len());
            // Larger digits have no use where there are no more primes than in one.
            if all.len() > before && digit >= least {
                break;
            }
            match fewest(self, digit, least)? {
                Fit::Yes(found) => all.push(*found),
                // There are fewer of larger ones, to read and to make noise.
                Fit::Costly | Fit::Imprecise { .. } | Fit::KeyBytes => {}
                // They leave fewer bits for all else.
                Fit::No { .. } | Fit::Keys => break,
            }
        }
        Ok(())
    }

    /// The fewest primes that do, for one set of plaintext moduli. Where all that a table allows is not enough for few large ones, it may be for more of them, by which
    /// noise is divided away in smaller steps; it is where that has fewer bits missing.
    fn exactly(&mut self, ring: &Ring, t: &[u64], special: usize, least: usize) -> Result<Fit> {
        let most = (ring.max_bits / LEAST_BITS) as usize;
        let mut enough = (ring.max_bits / PRIME_BITS) as usize;
        enough = enough.saturating_sub(special).clamp(least, most.max(least));
        if self.wishes.asked.key_bytes.is_some() {
            // The fewest primes have the smallest keys.
            for count in least..=most.max(least) {
                match self.integers(ring, t, count, special)? {
                    Fit::No { .. } => {}
                    fit => return self.shortest(ring, t, fit),
                }
            }
            return Ok(Fit::No { missing: f64::INFINITY });
        }
        let (mut first, mut missing) = (least, f64::INFINITY);
        let mut found = loop {
            match self.integers(ring, t, enough, special)? {
                // Smaller steps were seen to save less than that.
                fit @ Fit::No { missing: bits } if bits > f64::from(ring.max_bits) / 2.0 => return Ok(fit),
                Fit::No { missing: bits } if bits < missing => (first, missing) = (enough + 1, bits),
                fit @ (Fit::No { .. } | Fit::Keys) => return Ok(fit),
                fit => break fit,
            }
            enough += 1;
        };
        while first < enough {
            let count = first.midpoint(enough);
            match self.integers(ring, t, count, special)? {
                // One more has no more than its own bits.
                Fit::No { missing } if missing.is_finite() => {
                    first = count + ((missing / f64::from(PRIME_BITS)) as usize).max(1);
                }
                Fit::No { .. } => first = count + 1,
                fit => (enough, found) = (count, fit),
            }
        }
        self.shortest(ring, t, found)
    }

    /// The same with the shortest primes that do, where results of three parts travel.
    fn shortest(&mut self, ring: &Ring, t: &[u64], fit: Fit) -> Result<Fit> {
        self.trimmed(ring, fit, |search, literal, bits| {
            let primes = search.primes(bits, ring.n, literal.q.len(), t)?;
            Some(ParameterLiteral { q: primes, ..literal.clone() })
        })
    }

    /// The same with primes of as few bits as do, where results of three parts travel: `of` so many bits of the lowest one.
    fn trimmed(
        &mut self,
        ring: &Ring,
        fit: Fit,
        of: impl Fn(&mut Self, &ParameterLiteral, u32) -> Option<ParameterLiteral>,
    ) -> Result<Fit> {
        let Fit::Yes(found) = fit else { return Ok(fit) };
        if found.open {
            let literal = found.parameters.literal();
            let bits = literal.q.first().map_or(0, |q| u64::BITS - q.leading_zeros());
            // What is not needed of one prime, or of all together.
            for fewer in [found.spare, found.spare / literal.q.len() as u32] {
                let least = bits.saturating_sub(fewer).max(LEAST_BITS);
                let Some(literal) = of(self, literal, least).filter(|_| least < bits) else { continue };
                if let fit @ Fit::Yes(_) = self.fits(ring, literal, false)? {
                    return Ok(fit);
                }
            }
        }
        Ok(Fit::Yes(found))
    }

    /// So many data primes and special ones, for one set of plaintext moduli: all of one size, or else of two.
    fn integers(&mut self, ring: &Ring, t: &[u64], count: usize, special: usize) -> Result<Fit> {
        let even = PRIME_BITS.min(ring.max_bits / (count + special) as u32);
        let (mut missing, mut too_many) = (f64::INFINITY, false);
        if even < LEAST_BITS {
            return Ok(Fit::No { missing });
        }
        for (bits, high) in
            [Some((even, even)), uneven(ring.max_bits, t, count, special)].into_iter().flatten()
        {
            let Some(specials) = self.primes(high, ring.n, special, t) else { continue };
            let taken = [t, &specials].concat();
            let Some(primes) = self.primes(bits, ring.n, count, &taken) else { continue };
            let scheme = self.wishes.scheme.unwrap_or(SchemeName::Bgv);
            match self.fits(ring, self.literal(ring, scheme, t, &primes, &specials), false)? {
                Fit::No { missing: bits } => missing = missing.min(bits),
                Fit::KeyBytes => too_many = true,
                fit => return Ok(fit),
            }
        }
        Ok(if too_many { Fit::KeyBytes } else { Fit::No { missing } })
    }

    /// The largest primes of so many bits that are not taken; none where there are not as many.
    fn primes(&mut self, bits: u32, n: usize, count: usize, taken: &[u64]) -> Option<Vec<u64>> {
        let known = self.primes.entry((bits, n)).or_default();
        if known.len() < count + taken.len() {
            match ntt_primes(bits, n, count + taken.len(), &[]) {
                Ok(all) => *known = all,
                // Of those that are taken some may be others.
                Err(_) => return ntt_primes(bits, n, count, taken).ok(),
            }
        }
        let free = known.iter().copied().filter(|prime| !taken.contains(prime));
        Some(free.take(count).collect::<Vec<_>>()).filter(|found| found.len() == count)
    }

    /// The fewest primes that do, for one scale: the lowest level is as large as can be, for what is decrypted, as are special primes; the others lie next to where
    /// the scale goes. Where products are rescaled `late`, only where that alone does.
    fn ckks(
        &mut self,
        ring: &Ring,
        log_scale: u32,
        (special, least): (usize, usize),
        late: bool,
    ) -> Result<Fit> {
        let width: u32 = if log_scale + BEYOND > PRIME_BITS { 2 } else { 1 };
        let beyond = (log_scale + BEYOND).div_ceil(width);
        for count in least.div_ceil(width as usize)..=(ring.max_bits / log_scale) as usize {
            let rest = ring.max_bits.saturating_sub(log_scale * (count - 1) as u32);
            let bits = PRIME_BITS.min(rest / (width + special as u32));
            if bits < beyond {
                break;
            }
            let levels = (width as usize, count);
            let Some(literal) = self.scaled(ring, log_scale, levels, bits, (special, bits)) else { continue };
            let spare = match self.fits(ring, literal.clone(), false)? {
                Fit::Imprecise { spare } => spare,
                Fit::No { .. } => continue,
                fit => {
                    return self.trimmed(ring, fit, |search, _, low| {
                        search.scaled(ring, log_scale, levels, low, (special, low))
                    });
                }
            };
            // More levels make nothing more precise; what the lowest one does not need is worth more in the special ones, by which the noise of keys is
            // divided.
            let low = bits.saturating_sub(spare / width).max(beyond);
            let high = (rest - low * width).checked_div(special as u32).unwrap_or(0).min(PRIME_BITS);
            let other = self.scaled(ring, log_scale, levels, low, (special, high)).filter(|_| high > bits);
            let lates = [Some(literal), other.clone()].map(|one| (one.filter(|_| late), true));
            for (literal, late) in [(other, false)].into_iter().chain(lates) {
                let Some(literal) = literal else { continue };
                match self.fits(ring, literal, late)? {
                    Fit::Imprecise { .. } | Fit::No { .. } => {}
                    fit => return Ok(fit),
                }
            }
            return Ok(Fit::Imprecise { spare });
        }
        Ok(Fit::No { missing: f64::INFINITY })
    }

    /// Parameters of so many levels at a scale, of one prime or several each, of which those of the lowest have so many bits, and special ones: how many, of how many bits.
    /// None where there are no such primes.
    fn scaled(
        &self,
        ring: &Ring,
        log_scale: u32,
        (width, count): (usize, usize),
        low: u32,
        (special, high): (usize, u32),
    ) -> Option<ParameterLiteral> {
        // A little less, so that primes next to it have no more bits.
        let scale = libm::exp2(f64::from(log_scale)) * (1.0 - 1.0 / 256.0);
        let mut taken = ntt_primes(high, ring.n, special + if low == high { width } else { 0 }, &[]).ok()?;
        if low != high {
            taken.extend(ntt_primes(low, ring.n, width, &[]).ok()?);
        }
        let (specials, lowest) = (taken[..special].to_vec(), taken[special..].to_vec());
        let (mut upper, mut at) = (Vec::new(), scale);
        for _ in 1..count {
            at *= at;
            for left in (1..=width).rev() {
                let near = if left == 1 { at / scale } else { libm::sqrt(at / scale) };
                let prime = ntt_prime_near(near, PRIME_BITS, ring.n, &taken).ok()?;
                at /= prime as f64;
                taken.push(prime);
                upper.push(prime);
            }
        }
        // Those that are dropped first come last.
        let q: Vec<u64> = lowest.into_iter().chain(upper.into_iter().rev()).collect();
        let mut literal = self.literal(ring, SchemeName::Ckks, &[], &q, &specials);
        literal.scale = Some(scale);
        Some(literal)
    }

    fn literal(
        &self,
        ring: &Ring,
        scheme: SchemeName,
        t: &[u64],
        q: &[u64],
        special: &[u64],
    ) -> ParameterLiteral {
        let (t, q, special) = (t.to_vec(), q.to_vec(), special.to_vec());
        let SecurityLevel { table, bits, quantum } = self.wishes.level;
        ParameterLiteral {
            scheme,
            scale: None,
            n: ring.n,
            t,
            q,
            special,
            table: table.name().to_owned(),
            bits: bits.get(),
            quantum,
            insecure: false,
            public_key: self.wishes.public_key,
            releases: self.wishes.releases,
            parties: self.wishes.parties,
        }
    }

    /// Keeps why a candidate failed.
    fn failed(&mut self, n: usize, why: String) {
        if n >= self.reason.0 {
            self.reason = (n, format!("n = {n}: {why}"));
        }
    }

    /// Whether parameters do, be it with products that are rescaled late, where these may be.
    fn fits(&mut self, ring: &Ring, literal: ParameterLiteral, may_be_late: bool) -> Result<Fit> {
        let parameters = match literal.allowed(ring.insecure).and_then(Parameters::new) {
            Ok(parameters) => parameters,
            Err(error) => {
                self.failed(ring.n, error.to_string());
                return Ok(Fit::No { missing: f64::INFINITY });
            }
        };
        let (mut words, mut known, mut late) = (0, Known::default(), false);
        let (mut spare, mut open, mut bytes) = (f64::from(PRIME_BITS), false, 0);
        let mut sent = SortedSet::new();
        let tasks = self.tasks(parameters.literal());
        if let [task] = tasks.as_slice()
            && parameters.literal().t.len() > 1
        {
            // Most candidates are left for what one plaintext modulus tells.
            let how = How { worst: true, ..How::default() };
            if let Err(fit) = self.judged(&known.told(task), task, &parameters, how, words)? {
                return Ok(fit);
            }
        }
        for (number, task) in tasks.iter().enumerate() {
            let halves = &known.told(task);
            let mut judged = self.judged(halves, task, &parameters, How::default(), words)?;
            if matches!(judged, Err(Fit::Imprecise { .. })) && !halves.exact && may_be_late {
                late = true;
                let how = How { late, ..How::default() };
                judged = self.judged(halves, task, &parameters, how, words)?;
            }
            match judged {
                Ok(Judged { outputs, words: own, keys }) => {
                    words += own;
                    spare = outputs.iter().map(|closed| closed.budget - MARGIN).fold(spare, f64::min);
                    open |= outputs.iter().any(|closed| closed.ty.ciphertext.parts > 2);
                    bytes += keys + carried(task, parameters.literal(), &outputs, &mut sent);
                    known.add(number, task, &outputs, parameters.literal());
                }
                Err(fit) => return Ok(fit),
            }
        }
        let most_words = &mut self.most_words[usize::from(parameters.literal().keyless())];
        *most_words = (*most_words).min((MOST_WORDS * words as f64) as u64);
        let spare = spare as u32;
        Ok(Fit::Yes(Box::new(Candidate { parameters, words, late, spare, open, bytes })))
    }

    /// One of the tasks, where those before it read and write so many words.
    fn judged(
        &mut self,
        halves: &Halves,
        task: &Placed,
        parameters: &Parameters,
        how: How,
        before: u64,
    ) -> Result<std::result::Result<Judged, Fit>> {
        pause()?;
        let n = parameters.literal().n;
        let mut most = self.most_words[usize::from(parameters.literal().keyless())].saturating_sub(before);
        if how.worst {
            // Each of them has as many, or but a few less.
            most = (SAME_WORDS * most as f64 / parameters.literal().t.len() as f64) as u64;
        }
        let how = (how, self.wishes.asked.key_bytes);
        let (judge, outputs) =
            build::judged(halves, &task.packing, parameters.literal(), how, most, self.registry);
        // Nothing is known of budgets where levels are too few.
        let (mut missing, mut spare, mut short) = (f64::INFINITY, None, None);
        let judged = outputs.and_then(|ClosedTask { outputs, .. }| {
            missing = Closed::missing(&outputs);
            Closed::check(&outputs)?;
            let budgets = outputs.iter().map(|closed| closed.budget - MARGIN);
            spare = Some(budgets.fold(f64::from(PRIME_BITS), f64::min) as u32);
            match imprecise(halves, &task.packing, &outputs, self.wishes.asked.precision) {
                None => Ok(outputs),
                Some((bits, error)) => {
                    short = Some(bits);
                    Err(error)
                }
            }
        });
        Ok(Err(match judged {
            Ok(outputs) => {
                let chain = build::chain(parameters.literal());
                let keys = judge.levels().iter();
                let keys = keys.map(|(name, &level)| build::key_size(&chain, name, level)).sum();
                return Ok(Ok(Judged { outputs, words: judge.words(), keys }));
            }
            Err(error @ Error::TooLarge { what: build::KEY_BYTES, found, .. }) => {
                if !how.0.worst && self.keys.as_ref().is_none_or(|known| found < known.0) {
                    self.keys = Some((found, format!("n = {n}: {error}")));
                }
                Fit::KeyBytes
            }
            // With more primes it would read and write more.
            Err(Error::TooLarge { .. }) if judge.words() > most => Fit::Costly,
            // Keys were asked for, and there are no special primes.
            Err(Error::Parameters { .. }) if parameters.literal().special.is_empty() && judge.asked() => {
                Fit::Keys
            }
            Err(Error::Parameters { what, found, expected }) => {
                let reason = format!("{what}: found {found}, expected {expected}");
                if let Some(bits) =
                    short.filter(|&bits| self.nearest.as_ref().is_none_or(|known| bits <= known.0))
                {
                    let had = (self.wishes.asked.precision - bits).floor();
                    let hint = if had >= 1.0 {
                        format!("; a precision of {had} is to be had")
                    } else {
                        String::new()
                    };
                    self.nearest = Some((bits, format!("n = {n}: {reason}{hint}")));
                }
                self.failed(n, reason);
                spare.map_or(Fit::No { missing }, |spare| Fit::Imprecise { spare })
            }
            Err(other) => return Err(other),
        }))
    }
}

/// What came of a task under parameters that do.
struct Judged {
    outputs: Vec<Closed>,
    /// Words that its operators read and write.
    words: u64,
    /// Bytes of its keys.
    keys: u64,
}

/// Bytes of a task's encrypted inputs, but for those that were sent for another task or are its results, and of what came of its outputs.
fn carried(
    task: &Placed,
    literal: &ParameterLiteral,
    outputs: &[Closed],
    sent: &mut SortedSet<String>,
) -> u64 {
    let frame = super::halves::frame(literal.n, task.halves.exact);
    let given = task.packing.inputs.iter().filter(|value| !task.from.contains_key(&value.name));
    let own = given.filter(|value| sent.insert(value.name.clone()));
    let fresh = own.map(|value| ports(value, frame).len() as u64).sum::<u64>();
    // Half of it is a seed.
    let bits = literal.q.iter().map(|&q| u64::from(u64::BITS - q.leading_zeros())).sum::<u64>();
    let fresh = fresh * literal.t.len().max(1) as u64 * literal.n as u64 * bits / 8;
    fresh + outputs.iter().map(|closed| Limbs::of_ciphertext(&closed.ty).bytes()).sum::<u64>()
}

/// Whether parameters do.
enum Fit {
    Yes(Box<Candidate>),
    /// So many bits of budget are missing.
    No {
        missing: f64,
    },
    /// Deep enough, but not precise; so many bits of the primes are not needed.
    Imprecise {
        spare: u32,
    },
    /// Not without special primes.
    Keys,
    /// Deep enough, but keys have too many bytes, of which larger digits take fewer.
    KeyBytes,
    /// Another one costs much less.
    Costly,
}

/// Bits of data primes and of special ones where these are of another size: what keys add to a product may be as large as its own errors, of about the square of a
/// plaintext modulus, where those of keys are multiples of all moduli's product. The fewer bits special primes have, the more there are for the others.
fn uneven(max_bits: u32, t: &[u64], count: usize, special: usize) -> Option<(u32, u32)> {
    let (max_bits, count, special) = (i64::from(max_bits), count as i64, special as i64);
    let log_t = t.iter().map(|t| i64::from(t.ilog2())).min()?;
    let each = (log_t * (2 - t.len() as i64)).checked_div(special)?;
    let (least, most) = (i64::from(LEAST_BITS), i64::from(PRIME_BITS));
    let high = ((max_bits - count * each) / (count + special)).clamp(least, most);
    let bits = ((max_bits - special * high) / count).min(most);
    (bits >= least && bits != high).then_some((bits as u32, high as u32))
}

/// Checks that every output under CKKS is as precise as that many bits, of the larger of 1 and what it may be, and that integers are right.
///
/// # Errors
/// `Parameters` for one that is not.
pub fn precise(halves: &Halves, packing: &Packing, outputs: &[Closed], precision: f64) -> Result<()> {
    imprecise(halves, packing, outputs, precision).map_or(Ok(()), |(_, error)| Err(error))
}

/// The output that lacks the most bits, and how many these are.
fn imprecise(halves: &Halves, packing: &Packing, outputs: &[Closed], precision: f64) -> Option<(f64, Error)> {
    let mut worst: Option<(f64, Error)> = None;
    for closed in outputs {
        let Scheme::Ckks { scale } = closed.ty.ciphertext.scheme else { continue };
        let frame = super::halves::frame(closed.ty.ciphertext.n, halves.exact);
        let holder = packing.outputs.iter().find(|value| ports(value, frame).contains(&closed.name));
        // What the scheme bounds is no smaller than what ranges say.
        let message = closed.noise.message - libm::log2(scale.get());
        let error = closed.told.error - libm::log2(scale.get());
        for value in holder.into_iter().flat_map(PackedValue::all) {
            let own = halves.cut.server.outputs().iter().find(|port| port.name == value.name);
            let range = own.and_then(|port| halves.ranges.get(port.operand.0 as usize).copied().flatten());
            let range = range.and_then(|range| super::halves::log2_of(range.in_units(value.value.decimals)));
            let largest = range.map_or(message, |own| own.min(message)).max(0.0);
            let most = if value.value.kind == Kind::Real {
                largest - precision
            } else {
                // Rounded to the integer that is meant, and so exact.
                -1.5 - f64::from(value.value.decimals) * std::f64::consts::LOG2_10
            };
            // No precision that is asked for makes up for an integer that is not right.
            let real = value.value.kind == Kind::Real;
            let short = if real || error <= most { error - most } else { f64::INFINITY };
            if short > 0.0 && worst.as_ref().is_none_or(|known| short > known.0) {
                let error = Error::Parameters {
                    what: format!("precision of {}", halves.whose(&value.name)),
                    found: format!("2^{error:.1} of 2^{largest:.1}"),
                    expected: format!("at most 2^{most:.1}"),
                };
                worst = Some((short, error));
            }
        }
    }
    worst
}

/// Sets of plaintext moduli of product `least` or more: one, or several smaller ones; the smallest there are, since noise
/// grows with them.
fn plain_moduli(n: usize, least: u128) -> Vec<Vec<u64>> {
    let mut sets: Vec<Vec<u64>> = Vec::new();
    for count in 1..=MOST_PLAIN_MODULI {
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
