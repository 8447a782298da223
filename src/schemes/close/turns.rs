//! Which turns have keys of their own, where keys may have so many bytes: the others are made of these, one after the other.
//!
//! Turns by any number of steps form a cyclic group. Of its elements some get keys, from which all that are wanted can be reached; each costs as many key switches as
//! the shortest way to it has steps. These are found greedily: first powers of a base, of which the fewest are enough, then whatever saves the most.

use std::collections::BTreeMap;

/// How often a key may be used in a row, where it is judged what it would save.
const MOST_REPEATS: u32 = 3;

/// Bases that are tried: the smallest of those with few enough powers.
const BASES: usize = 3;

/// Ways to turn, each by steps that have keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    ways: BTreeMap<u32, Vec<u32>>,
}

impl Turns {
    /// Ways for turns of rows of `of` slots, a power of two: `wanted` says by how many steps, and how often. At most so many steps have keys. None where these are none, and
    /// some are wanted.
    pub fn within(of: u32, wanted: &BTreeMap<u32, usize>, most: usize) -> Option<Self> {
        let wanted: BTreeMap<u32, usize> = wanted
            .iter()
            .map(|(&steps, &count)| (steps % of, count))
            .filter(|&(steps, _)| steps != 0)
            .collect();
        if wanted.is_empty() {
            return Some(Self::default());
        }
        let all: Vec<u32> = wanted.keys().copied().collect();
        let found = if all.len() <= most {
            all
        } else {
            let bases = (1..=of.trailing_zeros()).map(|log_base| powers(of, &wanted, log_base));
            let bases = bases.chain([vec![1 << lowest(&wanted)]]);
            let bases = bases.filter(|base| base.len() <= most).take(BASES);
            let chosen = bases.map(|base| grown(of, &wanted, base, most));
            chosen.min_by_key(|chosen| (cost(&distances(of, chosen), &wanted), chosen.len()))?
        };
        let all = distances(of, &found);
        Some(Self { ways: ways(of, &wanted, &found, &all) })
    }

    /// How many turns have no key of their own.
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// Whether each has.
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// What to turn by, one after the other; none for what has a key of its own.
    pub fn way(&self, steps: u32) -> Option<&[u32]> {
        self.ways.get(&steps).map(Vec::as_slice)
    }
}

/// The largest power of 2 that divides all that is wanted.
fn lowest(wanted: &BTreeMap<u32, usize>) -> u32 {
    wanted.keys().map(|steps| steps.trailing_zeros()).min().unwrap_or(0)
}

/// The powers of 2^`log_base` with a sign, by as many of which each wanted number of steps can be made as its digits say.
fn powers(of: u32, wanted: &BTreeMap<u32, usize>, log_base: u32) -> Vec<u32> {
    let lowest = lowest(wanted);
    let mut found = Vec::new();
    for &steps in wanted.keys() {
        // The shorter way round.
        let back = steps > of / 2;
        let mut rest = u64::from((if back { of - steps } else { steps }) >> lowest);
        let mut power = u64::from(1u32 << lowest);
        while rest > 0 {
            if rest & ((1 << log_base) - 1) != 0 {
                found.push(if back { of - power as u32 } else { power as u32 });
            }
            rest >>= log_base;
            power <<= log_base;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds what saves most, and leaves out what saves nothing, as long as there is something.
fn grown(of: u32, wanted: &BTreeMap<u32, usize>, mut chosen: Vec<u32>, most: usize) -> Vec<u32> {
    loop {
        let all = distances(of, &chosen);
        let now = cost(&all, wanted);
        let saved = |steps: u32| -> u64 {
            let shorter = |wanted: u32| {
                let through = |times: u32| {
                    let rest = (u64::from(wanted) + u64::from(times) * u64::from(of - steps)) % u64::from(of);
                    all[rest as usize].saturating_add(times)
                };
                let best = (1..=MOST_REPEATS).map(through).min().unwrap_or(u32::MAX);
                u64::from(all[wanted as usize].saturating_sub(best))
            };
            wanted.iter().map(|(&wanted, &count)| shorter(wanted) * count as u64).sum()
        };
        let better = wanted.keys().copied().filter(|steps| !chosen.contains(steps));
        let better = better
            .map(|steps| (saved(steps), steps))
            .max_by_key(|&(saved, steps)| (saved, std::cmp::Reverse(steps)));
        let Some((_, steps)) = better.filter(|&(saved, _)| saved > 0) else { return chosen };
        if chosen.len() < most {
            chosen.push(steps);
            continue;
        }
        // In the place of the one that is used least, if that is worth less.
        let ways = ways(of, wanted, &chosen, &all);
        let uses = |step: &u32| {
            let own = |(wanted, count): (&u32, &usize)| {
                let times = ways.get(wanted).map_or(usize::from(wanted == step), |way| {
                    way.iter().filter(|other| *other == step).count()
                });
                times * count
            };
            wanted.iter().map(own).sum::<usize>()
        };
        let least = (0..chosen.len()).min_by_key(|&at| uses(&chosen[at]));
        let mut other = chosen.clone();
        if let Some(least) = least {
            other[least] = steps;
        }
        if cost(&distances(of, &other), wanted) >= now {
            return chosen;
        }
        chosen = other;
    }
}

/// The fewest turns to each number of steps; `u32::MAX` where there is no way.
fn distances(of: u32, chosen: &[u32]) -> Vec<u32> {
    let mut all = vec![u32::MAX; of as usize];
    all[0] = 0;
    let mut found = vec![0u32];
    let mut next = 0;
    while let Some(&from) = found.get(next) {
        next += 1;
        for &steps in chosen {
            let to = (u64::from(from) + u64::from(steps)) % u64::from(of);
            if all[to as usize] == u32::MAX {
                all[to as usize] = all[from as usize] + 1;
                found.push(to as u32);
            }
        }
    }
    all
}

/// Key switches of all turns; the most there are where some cannot be made.
fn cost(all: &[u32], wanted: &BTreeMap<u32, usize>) -> u64 {
    let own = |(&steps, &count): (&u32, &usize)| match all[steps as usize] {
        u32::MAX => u64::MAX,
        turns => u64::from(turns) * count as u64,
    };
    wanted.iter().map(own).fold(0, u64::saturating_add)
}

/// Shortest ways; of these one that goes by what is wanted as well, where there is one, so that it is shared.
fn ways(of: u32, wanted: &BTreeMap<u32, usize>, chosen: &[u32], all: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut found = BTreeMap::new();
    for &steps in wanted.keys().filter(|steps| !chosen.contains(steps)) {
        let (mut way, mut at) = (Vec::new(), steps);
        while at != 0 {
            let before = |&step: &u32| ((u64::from(at) + u64::from(of - step)) % u64::from(of)) as u32;
            let nearer = chosen.iter().filter(|step| all[before(step) as usize] < all[at as usize]);
            let Some(step) = nearer.max_by_key(|step| wanted.contains_key(&before(step))) else { break };
            way.push(*step);
            at = before(step);
        }
        way.reverse();
        found.insert(steps, way);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(all: impl IntoIterator<Item = u32>) -> BTreeMap<u32, usize> {
        all.into_iter().map(|steps| (steps, 1)).collect()
    }

    /// The keys that are used, and the key switches of all turns.
    fn made(of: u32, wanted: &BTreeMap<u32, usize>, most: usize) -> (usize, usize) {
        let turns = Turns::within(of, wanted, most).unwrap();
        let mut keys = std::collections::BTreeSet::new();
        let mut switches = 0;
        for &steps in wanted.keys() {
            let own = [steps];
            let way = turns.way(steps).unwrap_or(&own);
            assert_eq!(way.iter().fold(0, |sum, step| (sum + step) % of), steps);
            keys.extend(way.iter().copied());
            switches += way.len();
        }
        assert!(keys.len() <= most, "{keys:?} of {most}");
        (keys.len(), switches)
    }

    #[test]
    fn turns_are_made_of_those_that_have_keys() {
        let all = wanted(1..256);
        assert_eq!(made(4096, &all, 255), (255, 255));
        // Fifteen of a digit, and fifteen of the other one.
        assert!(made(4096, &all, 30).1 <= 2 * 255);
        assert_eq!(made(4096, &all, 8).0, 8);
        assert!(made(4096, &all, 8).1 <= 255 * 5);
        assert_eq!(made(4096, &all, 1), (1, 255 * 256 / 2));
        // Back and forth, as in a picture: the corners are a turn more.
        let window = wanted([1, 64, 63, 65, 4095, 4032, 4033, 4031]);
        assert_eq!(made(4096, &window, 4), (4, 12));
        assert_eq!(made(4096, &wanted([2048, 1024]), 1), (1, 3));
        assert_eq!(Turns::within(4096, &all, 0), None);
        assert_eq!(Turns::within(4096, &wanted([0]), 0), Some(Turns::default()));
    }

    #[test]
    fn more_keys_are_never_worse() {
        for seed in 1u32..7 {
            let all = wanted((1..40).map(|k: u32| k.wrapping_mul(seed).wrapping_mul(2_654_435_761) >> 21));
            let mut before = usize::MAX / 2;
            for most in 1..all.len() {
                let (_, switches) = made(2048, &all, most);
                assert!(
                    switches <= before + before / 8,
                    "seed {seed}, {most} keys: {switches} after {before}"
                );
                before = before.min(switches);
            }
        }
    }
}
