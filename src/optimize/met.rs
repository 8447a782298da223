//! Operators that were met, found by a hash of what they do.

use crate::graph::Numbers;

/// Slots of a neighborhood: a line of most caches.
const NEAR: usize = 8;
/// Operators that share a neighborhood.
const NEIGHBORS: usize = 4;
const FREE: u32 = u32::MAX;

/// A table of operators that is asked with a hash, and with the last operator that the one in question waits for. Equal ones wait
/// for the same, so that they can stand in the neighborhood of that one. Graphs are walked in the order of their operators:
/// what is asked for stays in the processor's caches, however large the graph is. Operators whose neighborhood is full, or
/// that wait for nobody, stand in a table that goes by the hash alone.
pub(super) struct Met {
    /// Low half of the hash, and the operator. Slots are taken in order, and never given back.
    near: Vec<[(u32, u32); NEAR]>,
    far: Numbers,
}

impl Met {
    /// A table for a graph of so many operators, none of which was met.
    pub(super) fn new(operators: usize) -> Self {
        Self { near: vec![[(0, FREE); NEAR]; operators.div_ceil(NEIGHBORS)], far: Numbers::default() }
    }

    /// The operator of that hash for which `same` says yes; where there is none, `op` is noted. `by` is whom it waits for.
    pub(super) fn find_or_add(
        &mut self,
        hash: u64,
        by: Option<u32>,
        op: u32,
        mut same: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        let tag = hash as u32;
        let near = by.and_then(|by| self.near.get_mut(by as usize / NEIGHBORS));
        for slot in near.into_iter().flatten() {
            match *slot {
                (_, FREE) => {
                    *slot = (tag, op);
                    return None;
                }
                (known, other) if known == tag && same(other) => return Some(other),
                _ => {}
            }
        }
        let found = self.far.find(hash, same);
        if found.is_none() {
            self.far.insert(hash, op);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_list_finds() {
        // Few hashes for many operators: all kinds of slots are full somewhere.
        for hashes in [1, 7, 300] {
            let mut met = Met::new(100);
            let mut list: Vec<(u64, Option<u32>, u32)> = Vec::new();
            for op in 0..2000u32 {
                let mixed = crate::graph::hash(&op);
                let by = Some((mixed >> 8) as u32 % 110).filter(|by| *by > 10);
                // Of two operators with one hash, every third pair is one of equals.
                let (hash, kind) = (mixed >> 20 & 0xffff, (mixed >> 40) as u32 % 3);
                let hash = ((hash % hashes) << 32) | (hash % hashes);
                let known =
                    list.iter().find(|known| (known.0, known.1, known.2 % 3) == (hash, by, kind)).copied();
                let op = 3 * op + kind;
                let found = met.find_or_add(hash, by, op, |other| {
                    other % 3 == kind && list.contains(&(hash, by, other))
                });
                assert_eq!(found, known.map(|(.., op)| op));
                if found.is_none() {
                    list.push((hash, by, op));
                }
            }
            assert!(list.len() < 2000);
        }
    }
}
