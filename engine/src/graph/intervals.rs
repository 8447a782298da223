//! Intervals, sorted, and found by any unit where they are disjoint: the one index that analysis, passes, placement and plans search.

use super::Placeholder;
use std::ops::Range;

/// Placeholders sorted by start, each with a number that belongs to it.
///
/// The address space is cut into about as many strips of equal width as there are placeholders, and the first placeholder
/// of each strip is noted: sorting and searching are then left with the few of one strip. n placeholders are sorted
/// in O(n) when they are spread evenly and in O(n log n) when they are not; a search takes O(1) and O(log n).
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    places: Vec<Placeholder>,
    owners: Vec<u32>,
    /// The first placeholder that starts in each strip of 2^shift units, or in a later one; one entry more than strips.
    strips: Vec<u32>,
    shift: u32,
}

/// Sees placeholders and their numbers.
type See<'a> = dyn FnMut(Placeholder, u32) + 'a;

impl Intervals {
    /// Sorts placeholders by start, equal ones by their numbers. The iterator is walked up to three times.
    pub fn new(items: impl Iterator<Item = (Placeholder, u32)> + Clone) -> Self {
        Self::sorted(&|see| items.clone().for_each(|(place, owner)| see(place, owner)))
    }

    /// As [`Intervals::new`], compiled once: `walk` shows all placeholders.
    fn sorted(walk: &dyn Fn(&mut See<'_>)) -> Self {
        let (mut count, mut most) = (0usize, 0);
        let (mut sorted, mut last) = (true, (Placeholder::new(0, 0), 0));
        walk(&mut |place, owner| {
            count += 1;
            most = place.start.max(most);
            sorted &= std::mem::replace(&mut last, (place, owner)) <= (place, owner);
        });
        let mut shift = 0;
        while most >> shift > count as u64 {
            shift += 1;
        }
        let strip = |place: &Placeholder| (place.start >> shift) as usize;
        let strip_count = (most >> shift) as usize + 1;
        // A counting sort. Counts are shifted by one strip, so that they turn into starts while they are used up.
        let mut strips = vec![0u32; strip_count + 2];
        walk(&mut |place, _| strips[strip(&place) + 2] += 1);
        for i in 2..strips.len() {
            strips[i] += strips[i - 1];
        }
        if sorted {
            // As what was built call by call is.
            strips.remove(0);
            let (mut places, mut owners) = (Vec::with_capacity(count), Vec::with_capacity(count));
            walk(&mut |place, owner| {
                places.push(place);
                owners.push(owner);
            });
            return Self { places, owners, strips, shift };
        }
        let mut places = vec![Placeholder::new(0, 0); count];
        let mut owners = vec![0; count];
        walk(&mut |place, owner| {
            let next = &mut strips[strip(&place) + 1];
            (places[*next as usize], owners[*next as usize]) = (place, owner);
            *next += 1;
        });
        strips.pop();
        let mut scratch: Vec<(Placeholder, u32)> = Vec::new();
        for bounds in strips.windows(2) {
            let (from, to) = (bounds[0] as usize, bounds[1] as usize);
            if to - from < 2 {
                continue;
            }
            scratch.clear();
            scratch.extend(places[from..to].iter().copied().zip(owners[from..to].iter().copied()));
            scratch.sort_unstable();
            for (at, &(place, owner)) in (from..to).zip(&scratch) {
                (places[at], owners[at]) = (place, owner);
            }
        }
        Self { places, owners, strips, shift }
    }

    /// Gives each placeholder the number that `number` says for its own; those without one go.
    pub fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        let (mut kept, mut at) = (0, 0);
        for first in &mut self.strips {
            for from in at..*first as usize {
                if let Some(owner) = number(self.owners[from]) {
                    (self.places[kept], self.owners[kept]) = (self.places[from], owner);
                    kept += 1;
                }
            }
            at = *first as usize;
            *first = kept as u32;
        }
        self.places.truncate(kept);
        self.owners.truncate(kept);
    }

    /// Sorted placeholders.
    pub fn places(&self) -> &[Placeholder] {
        &self.places
    }

    /// The number of each of [`Intervals::places`].
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// Two neighbors that share units, as positions, if any.
    pub fn overlap(&self) -> Option<(usize, usize)> {
        self.places.windows(2).position(|w| w[0].overlaps(&w[1])).map(|at| (at, at + 1))
    }

    /// For a target `[x, y)`: the smallest l with `end_l > x`, the smallest r with `start_r >= y`; the hits are
    /// `[l, r)`. An empty target has none, wherever it lies: `[l, l)`. The placeholders must be disjoint.
    pub fn search(&self, target: Placeholder) -> Range<usize> {
        self.meeting(self.first(target), target)
    }

    /// The l of [`Intervals::search`].
    pub fn first(&self, target: Placeholder) -> usize {
        if self.places.is_empty() {
            return 0;
        }
        let strip = ((target.start >> self.shift) as usize).min(self.strips.len() - 2);
        let (from, to) = (self.strips[strip] as usize, self.strips[strip + 1] as usize);
        let l = from + self.places[from..to].partition_point(|p| p.start <= target.start);
        // Of those that start at x or before it, only the last one may reach beyond x.
        if l > 0 && self.places[l - 1].end > target.start { l - 1 } else { l }
    }

    /// The `[l, r)` of [`Intervals::search`], where l is known.
    pub fn meeting(&self, l: usize, target: Placeholder) -> Range<usize> {
        if target.is_empty() {
            return l..l;
        }
        // Few placeholders meet one target: walk from l instead of searching again.
        let r = l + self.places[l..].iter().take_while(|p| p.start < target.end).count();
        l..r
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_scan_finds() {
        let mut random = crate::graph::random_numbers();
        for round in 0..300 {
            // Evenly spread, crowded in one place, or far apart.
            let (most, gap) = [(8, 3), (3, 2), (1 << 40, 1 << 50)][round % 3];
            let mut items = Vec::new();
            let mut at = if round % 2 == 0 { 0 } else { random(1 << 40) };
            for owner in 0..random(60) as u32 {
                at += random(gap);
                let place = Placeholder::new(at, at + 1 + random(most));
                items.push((place, owner));
                at = place.end;
            }
            let sorted = items.clone();
            for i in (1..items.len()).rev() {
                items.swap(i, random(i as u64 + 1) as usize);
            }
            let index = Intervals::new(items.iter().copied());
            assert!(index.overlap().is_none());
            assert!(
                index.places().iter().copied().zip(index.owners().iter().copied()).eq(sorted.iter().copied())
            );
            for _ in 0..100 {
                let start = random(at + 2 * most);
                let target = Placeholder::new(start, start + random(2 * most));
                let hits: Vec<usize> = (0..sorted.len()).filter(|&i| sorted[i].0.overlaps(&target)).collect();
                assert_eq!(index.search(target).collect::<Vec<_>>(), hits, "{target}");
            }
        }
    }

    #[test]
    fn overlaps_are_seen() {
        let p = Placeholder::new;
        let index = Intervals::new([(p(4, 8), 0), (p(0, 4), 1), (p(7, 9), 2)].into_iter());
        assert_eq!(index.overlap(), Some((1, 2)));
        assert_eq!(index.owners(), [1, 0, 2]);
    }
}
