//! The tree in which a round's reduced results become one run: by neighbours, so that it depends on the data and not on who was faster. It is the tree of the npm
//! package, so that sums of doubles are the same bits.

use crate::vector::Chunk;
use std::collections::BTreeMap;

/// Rows sorted by key, each key once.
pub type Run = Vec<Chunk>;

/// Runs that are merged at once.
const ARITY: u64 = 16;

/// The runs of one sub-vector, numbered in the order of its chunks.
#[derive(Default)]
pub struct Reduction {
    /// By level: runs that are there, by their number.
    levels: Vec<BTreeMap<u64, Run>>,
    /// Runs that were begun, so far.
    count: u64,
    /// At the end: the level at hand, and how many runs it has.
    ending: Option<(usize, u64)>,
}

/// Runs that are to become one, which belongs to a place of the tree.
#[derive(Debug, PartialEq)]
pub struct Group<R = Run> {
    /// The level and number of what comes of it.
    pub place: (usize, u64),
    /// Two or more.
    pub runs: Vec<R>,
}

impl Reduction {
    /// The number of the next chunk's run.
    pub fn begin(&mut self) -> u64 {
        self.count += 1;
        self.count - 1
    }

    /// Takes the run of a place, in any order; gives the group that is to be merged now, if it is full by that.
    pub fn put(&mut self, (level, number): (usize, u64), run: Run) -> Option<Group> {
        while self.levels.len() <= level {
            self.levels.push(BTreeMap::new());
        }
        let runs = &mut self.levels[level];
        runs.insert(number, run);
        let group = number / ARITY;
        let full = (group * ARITY..(group + 1) * ARITY).all(|number| runs.contains_key(&number));
        if full { self.group(level, group) } else { None }
    }

    /// Goes on once all runs were put and no group is under way: gives the next group. There is none at the end, which [`Reduction::is_done`] tells, or where nothing was
    /// to merge on a level.
    pub fn go_on(&mut self) -> Option<Group> {
        let (level, count) = self.ending.unwrap_or((0, self.count));
        self.ending = Some((level + 1, count.div_ceil(ARITY)));
        if count <= 1 {
            self.ending = Some((level, count));
            return None;
        }
        if count % ARITY == 0 { None } else { self.group(level, count / ARITY) }
    }

    /// True once there is one run, or none.
    pub fn is_done(&self) -> bool {
        self.ending.is_some_and(|(_, count)| count <= 1)
    }

    /// The one run.
    pub fn result(self) -> Run {
        self.levels.into_iter().rev().find_map(|runs| runs.into_values().next()).unwrap_or_default()
    }

    /// Takes a group of a level; where there is nothing to merge it goes to the next one.
    fn group(&mut self, level: usize, group: u64) -> Option<Group> {
        let members = group * ARITY..(group + 1) * ARITY;
        let members = members.filter_map(|number| self.levels.get_mut(level)?.remove(&number));
        let mut runs: Vec<Run> = members.filter(|run| !run.is_empty()).collect();
        if runs.len() > 1 {
            return Some(Group { place: (level + 1, group), runs });
        }
        self.put((level + 1, group), runs.pop().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges in order, and tells how it was merged: `(0 1 2)`.
    fn text(run: &Run) -> String {
        run.iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect()
    }

    fn run(text: &str) -> Run {
        if text.is_empty() {
            return Vec::new();
        }
        vec![Chunk { rows: 1, bytes: text.as_bytes().into() }]
    }

    fn merge(reduction: &mut Reduction, mut group: Option<Group>) {
        while let Some(Group { place, runs }) = group {
            let texts: Vec<String> = runs.iter().map(text).collect();
            group = reduction.put(place, run(&format!("({})", texts.join(" "))));
        }
    }

    fn tree(runs: &[String], order: impl Iterator<Item = usize>) -> String {
        let mut reduction = Reduction::default();
        for _ in runs {
            reduction.begin();
        }
        for number in order {
            let group = reduction.put((0, number as u64), run(&runs[number]));
            merge(&mut reduction, group);
        }
        while !reduction.is_done() {
            let group = reduction.go_on();
            merge(&mut reduction, group);
        }
        text(&reduction.result())
    }

    #[test]
    fn trees_are_of_neighbours() {
        let runs = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(tree(&runs(0), 0..0), "");
        assert_eq!(tree(&runs(1), 0..1), "0");
        assert_eq!(tree(&runs(3), 0..3), "(0 1 2)");
        let first = format!("({})", runs(16).join(" "));
        assert_eq!(tree(&runs(16), 0..16), first);
        assert_eq!(tree(&runs(17), 0..17), format!("({first} 16)"));
        let mut some = runs(18);
        some[16].clear();
        some[3].clear();
        assert_eq!(tree(&some, 0..18), format!("({} 17)", first.replace(" 3 ", " ")));
    }

    #[test]
    fn trees_do_not_depend_on_the_order() {
        for count in [2, 15, 16, 17, 33, 256, 257, 300, 4097] {
            let runs: Vec<String> = (0..count).map(|n| n.to_string()).collect();
            let expected = tree(&runs, 0..count);
            assert_eq!(tree(&runs, (0..count).rev()), expected);
            // A prime that divides none of them.
            assert_eq!(tree(&runs, (0..count).map(|n| n * 7919 % count)), expected);
        }
    }
}
