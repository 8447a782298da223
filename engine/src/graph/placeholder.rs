//! Placeholders: raw, untyped intervals of units (SPEC G1).

use super::GraphError;
use std::fmt;

/// A half-open interval `[start, end)` of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placeholder {
    /// First unit.
    pub start: u64,
    /// One past the last unit.
    pub end: u64,
}

impl Placeholder {
    /// `[start, end)`.
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }

    /// `end - start`, units.
    pub const fn size(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// True when it holds no unit.
    pub const fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// `x1 < y2 && x2 < y1` for non-empty placeholders; an empty one overlaps nothing.
    pub const fn overlaps(&self, other: &Self) -> bool {
        !self.is_empty() && !other.is_empty() && self.start < other.end && other.start < self.end
    }

    /// The units that both hold; empty when they do not overlap.
    pub fn intersection(&self, other: &Self) -> Self {
        let start = self.start.max(other.start);
        Self { start, end: self.end.min(other.end).max(start) }
    }

    /// The same units counted from `to` instead of `from`.
    pub const fn moved(&self, from: u64, to: u64) -> Self {
        Self { start: self.start - from + to, end: self.end - from + to }
    }

    /// Units `from..from + size` of this placeholder, counted from its start.
    pub const fn part(&self, from: u64, size: u64) -> Self {
        Self { start: self.start + from, end: self.start + from + size }
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{})", self.start, self.end)
    }
}

/// Appends `piece` to an ordered list, joining it with the last one where they touch.
pub fn push_joined(list: &mut Vec<Placeholder>, piece: Placeholder) {
    if piece.is_empty() {
        return;
    }
    match list.last_mut() {
        Some(last) if last.end == piece.start => last.end = piece.end,
        _ => list.push(piece),
    }
}

/// `size` units of an ordered list from unit `from` on, as far as it has them.
pub fn cut(list: &[Placeholder], from: u64, size: u64) -> Vec<Placeholder> {
    let (mut skip, mut left) = (from, size);
    let mut pieces = Vec::new();
    for piece in list {
        let here = piece.size();
        if skip >= here {
            skip -= here;
            continue;
        }
        let take = (here - skip).min(left);
        push_joined(&mut pieces, piece.part(skip, take));
        left -= take;
        skip = 0;
        if left == 0 {
            break;
        }
    }
    pieces
}

/// Gives out placeholders one after the other, from unit 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocator {
    next: u64,
}

impl Allocator {
    /// An allocator whose next placeholder starts at `next`.
    pub const fn starting_at(next: u64) -> Self {
        Self { next }
    }

    /// The counter: where the next placeholder will start.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// `[c, c + size)`, then `c += size`.
    ///
    /// # Errors
    /// `EmptyAllocation` for size 0; `AddressSpace` beyond 2^63 units.
    pub fn allocate(&mut self, size: u64) -> Result<Placeholder, GraphError> {
        if size == 0 {
            return Err(GraphError::EmptyAllocation);
        }
        let end = self.next.checked_add(size).filter(|e| *e <= 1 << 63);
        let end = end.ok_or(GraphError::AddressSpace { found: size, at: self.next })?;
        let start = std::mem::replace(&mut self.next, end);
        Ok(Placeholder { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn k_g1_allocator() {
        let mut a = Allocator::default();
        assert_eq!(a.allocate(4096), Ok(Placeholder::new(0, 4096)));
        assert_eq!(a.allocate(4096), Ok(Placeholder::new(4096, 8192)));
        assert_eq!(a.next(), 8192);
        assert_eq!(a.allocate(0), Err(GraphError::EmptyAllocation));
        assert!(matches!(a.allocate(u64::MAX), Err(GraphError::AddressSpace { .. })));
        assert_eq!(a.next(), 8192);
    }

    #[test]
    fn k_g2_overlap() {
        let p = Placeholder::new;
        let cases = [
            (p(0, 10), p(5, 15), true),
            (p(0, 10), p(10, 20), false),
            (p(0, 10), p(0, 10), true),
            (p(5, 6), p(0, 10), true),
            (p(0, 10), p(5, 5), false),
        ];
        for (a, b, expected) in cases {
            assert_eq!(a.overlaps(&b), expected, "{a} {b}");
            assert_eq!(b.overlaps(&a), expected, "{b} {a}");
        }
    }

    #[test]
    fn overlap_is_intersection_of_unit_sets() {
        let units = |p: &Placeholder| (p.start..p.end).collect::<BTreeSet<u64>>();
        let all: Vec<Placeholder> =
            (0..=6).flat_map(|s| (s..=6).map(move |e| Placeholder::new(s, e))).collect();
        for a in &all {
            for b in &all {
                let common = units(a).intersection(&units(b)).count() as u64;
                assert_eq!(a.overlaps(b), common > 0, "{a} {b}");
                assert_eq!(a.intersection(b).size(), common, "{a} {b}");
            }
        }
    }
}
