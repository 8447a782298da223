//! Which turns have keys of their own, where keys may have so many bytes: the others are made of these, one after the other.
//!
//! Turns by any number of steps form a cyclic group. Of its elements some get keys, from which all that are wanted can be reached; each costs as many key switches as
//! the shortest way to it has steps. These are found greedily: first powers of a base, of which the fewest are enough, then whatever saves the most.

use crate::Result;
use crate::sorted::SortedMap;
use crate::watch::pause;
use std::cmp::Reverse;

/// How often a key may be used in a row, where it is judged what it would save.
const MOST_REPEATS: u32 = 3;

/// How often something is added or put in another's place, and of how many it is worked out what they would save: of those that are farthest.
const ROUNDS: usize = 64;
const TRIED: usize = 64;

/// Most turns of all ways: what a graph may have. Sixteen times as many took all memory of a worker, before they were judged.
const MOST_TURNS: u64 = 1 << 16;

/// Bases that are tried: the smallest of those with few enough powers.
const BASES: usize = 3;

/// Ways to turn, each by steps that have keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    ways: SortedMap<u32, Vec<u32>>,
}

impl Turns {
    /// Ways for turns of rows of `of` slots, a power of two: `wanted` says by how many steps, and how often. At most so many steps have keys. None where these are too few.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn within(of: u32, wanted: &SortedMap<u32, usize>, most: usize) -> Result<Option<Self>> {
        let wanted: SortedMap<u32, usize> = wanted
            .iter()
            .map(|(&steps, &count)| (steps % of, count))
            .filter(|&(steps, _)| steps != 0)
            .collect();
        if wanted.is_empty() {
            return Ok(Some(Self::default()));
        }
        let all: Vec<u32> = wanted.keys().copied().collect();
        let found = if all.len() <= most {
            all
        } else if most == 0 {
            return Ok(None);
        } else {
            let bases = (1..=of.trailing_zeros()).map(|log_base| powers(of, &wanted, log_base));
            let bases = bases.chain([vec![1 << lowest(&wanted)]]);
            let bases = bases.filter(|base| base.len() <= most).take(BASES);
            let chosen = bases.map(|base| grown(of, &wanted, base, most)).collect::<Result<Vec<_>>>()?;
            let worth = |chosen: &Vec<u32>| (cost(&distances(of, chosen, &wanted), &wanted), chosen.len());
            chosen.into_iter().min_by_key(worth).unwrap_or_default()
        };
        let all = distances(of, &found, &wanted);
        // Each takes an operator at least.
        if cost(&all, &wanted) > MOST_TURNS {
            return Ok(None);
        }
        Ok(Some(Self { ways: ways(of, &wanted, &found, &all) }))
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
fn lowest(wanted: &SortedMap<u32, usize>) -> u32 {
    wanted.keys().map(|steps| steps.trailing_zeros()).min().unwrap_or(0)
}

/// The powers of 2^`log_base` with a sign, by as many of which each wanted number of steps can be made as its digits say.
fn powers(of: u32, wanted: &SortedMap<u32, usize>, log_base: u32) -> Vec<u32> {
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

/// Adds what saves most, as long as there is something, and in the end puts it in the place of what is used least.
fn grown(of: u32, wanted: &SortedMap<u32, usize>, mut chosen: Vec<u32>, most: usize) -> Result<Vec<u32>> {
    let at_once = (most - chosen.len()).div_ceil(ROUNDS / 2).max(1);
    for _ in 0..ROUNDS {
        pause()?;
        let all = distances(of, &chosen, wanted);
        let saved = |steps: u32| -> u64 {
            let shorter = |wanted: u32| {
                let through =
                    |times: u32| all[moved(of, wanted, steps, times) as usize].saturating_add(times);
                let best = (1..=MOST_REPEATS).map(through).min().unwrap_or(u32::MAX);
                u64::from(all[wanted as usize].saturating_sub(best))
            };
            wanted.iter().map(|(&wanted, &count)| shorter(wanted) * count as u64).sum()
        };
        let own = |(&steps, &count): (&u32, &usize)| {
            (u64::from(all[steps as usize].saturating_sub(1)) * count as u64, steps)
        };
        let farthest = sorted(wanted.iter().map(own)).into_iter().take(TRIED);
        let better = sorted(farthest.map(|(_, steps)| (saved(steps), steps)));
        let Some(&(_, best)) = better.first() else { return Ok(chosen) };
        if chosen.len() < most {
            let room = at_once.min(most - chosen.len());
            chosen.extend(better.into_iter().take(room).map(|(_, steps)| steps));
            continue;
        }
        if cost(&all, wanted) > MOST_TURNS {
            return Ok(chosen);
        }
        let ways = ways(of, wanted, &chosen, &all);
        let mut uses: SortedMap<u32, u64> = SortedMap::new();
        for (steps, &count) in wanted {
            let own = [*steps];
            for step in ways.get(steps).map_or(own.as_slice(), Vec::as_slice) {
                *uses.entry(*step).or_default() += count as u64;
            }
        }
        let mut other = chosen.clone();
        if let Some(least) = (0..chosen.len()).min_by_key(|&at| uses.get(&chosen[at]).copied().unwrap_or(0)) {
            other[least] = best;
        }
        if cost(&distances(of, &other, wanted), wanted) >= cost(&all, wanted) {
            return Ok(chosen);
        }
        chosen = other;
    }
    Ok(chosen)
}

/// What is worth something, most first; of equal ones the fewest steps.
fn sorted(all: impl Iterator<Item = (u64, u32)>) -> Vec<(u64, u32)> {
    let mut all: Vec<(u64, u32)> = all.filter(|&(worth, _)| worth > 0).collect();
    all.sort_unstable_by_key(|&(worth, steps)| (Reverse(worth), steps));
    all
}

/// Where one is before it is turned so often by so many steps.
fn moved(of: u32, to: u32, steps: u32, times: u32) -> u32 {
    ((u64::from(to) + u64::from(times) * u64::from(of - steps)) % u64::from(of)) as u32
}

/// The fewest turns to each number of steps, as far as what is wanted lies; `u32::MAX` for what is farther, or cannot be reached.
fn distances(of: u32, chosen: &[u32], wanted: &SortedMap<u32, usize>) -> Vec<u32> {
    let mut all = vec![u32::MAX; of as usize];
    all[0] = 0;
    let (mut found, mut next, mut missing) = (vec![0u32], 0, wanted.len());
    while let Some(&from) = found.get(next).filter(|_| missing > 0) {
        next += 1;
        for &steps in chosen {
            let to = ((u64::from(from) + u64::from(steps)) % u64::from(of)) as u32;
            if all[to as usize] == u32::MAX {
                all[to as usize] = all[from as usize] + 1;
                found.push(to);
                missing -= usize::from(wanted.contains_key(&to));
            }
        }
    }
    all
}

/// Key switches of all turns; the most there are where some cannot be made.
fn cost(all: &[u32], wanted: &SortedMap<u32, usize>) -> u64 {
    let own = |(&steps, &count): (&u32, &usize)| match all[steps as usize] {
        u32::MAX => u64::MAX,
        turns => u64::from(turns) * count as u64,
    };
    wanted.iter().map(own).fold(0, u64::saturating_add)
}

/// Shortest ways; of these one that goes by what is wanted as well, where there is one, so that it is shared.
fn ways(of: u32, wanted: &SortedMap<u32, usize>, chosen: &[u32], all: &[u32]) -> SortedMap<u32, Vec<u32>> {
    let mut found = SortedMap::new();
    for &steps in wanted.keys().filter(|steps| !chosen.contains(steps)) {
        let (mut way, mut at) = (Vec::new(), steps);
        while at != 0 {
            let before = |&step: &u32| moved(of, at, step, 1);
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

    fn wanted(all: impl IntoIterator<Item = u32>) -> SortedMap<u32, usize> {
        all.into_iter().map(|steps| (steps, 1)).collect()
    }

    /// The keys that are used, and the key switches of all turns.
    fn made(of: u32, wanted: &SortedMap<u32, usize>, most: usize) -> (usize, usize) {
        let turns = Turns::within(of, wanted, most).unwrap().unwrap();
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
        assert_eq!(Turns::within(4096, &all, 0), Ok(None));
        assert_eq!(Turns::within(4096, &wanted([0]), 0), Ok(Some(Turns::default())));
        // One step after the other, 512 * 513 / 2 in all.
        assert_eq!(Turns::within(65_536, &wanted(1..513), 1), Ok(None));
        // Very many, all but one of them with keys: a few are for steps that nobody wants.
        let many = wanted((1..4001).map(|k| k * 16 + 1));
        assert!(made(65_536, &many, 3_999).1 <= 4_100);
    }

    #[test]
    fn more_keys_are_hardly_ever_worse() {
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
