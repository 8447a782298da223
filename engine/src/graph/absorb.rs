//! Absorb: an expansion's output takes the place of the output of the operator that it replaces
//! (SPEC G5, G5b, G5d).
//!
//! Two things move. References to an operand go through a [`Synchronizer`], which refreshes on its next
//! access, along the whole chain of absorbs. Placeholders move by [`Redirects`], so that every view that was
//! cut from an operand before it was absorbed moves with it.

use super::{Graph, GraphError, Identity, Intervals, OperandId, Placeholder, push_joined};
use std::cell::Cell;
use std::collections::BTreeMap;

/// A reference to an operand: a pointer and the identity that the operand had at the last refresh.
#[derive(Debug)]
pub struct Synchronizer {
    pointer: Cell<OperandId>,
    identity: Cell<Identity>,
}

impl Synchronizer {
    /// A reference to `operand` as it is now.
    pub fn new(graph: &Graph, operand: OperandId) -> Self {
        Self { pointer: Cell::new(operand), identity: Cell::new(graph.identity(operand)) }
    }

    /// The operand that now stands for the one this reference was made for. Looks it up only when an absorb
    /// happened since the last access, and then follows the chain of absorbs to its end.
    pub fn pointer(&self, graph: &Graph) -> OperandId {
        let mut operand = self.pointer.get();
        let mut identity = self.identity.get();
        while graph.identity(operand) != identity {
            identity = graph.identity(operand);
            operand = graph.operand_of(identity);
        }
        self.pointer.set(operand);
        self.identity.set(identity);
        operand
    }

    /// What it holds, without a refresh.
    pub fn held(&self) -> (OperandId, Identity) {
        (self.pointer.get(), self.identity.get())
    }
}

/// Where absorbed placeholders went: a map from disjoint intervals to intervals of the same size.
#[derive(Clone, Debug, Default)]
pub struct Redirects {
    moved: BTreeMap<u64, (u64, u64)>,
}

impl Redirects {
    /// True when nothing was absorbed.
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty()
    }

    /// From now on `from` stands for `to`. Parts of `from` that moved before keep their first move.
    pub fn add(&mut self, from: Placeholder, to: Placeholder) {
        debug_assert_eq!(from.size(), to.size());
        if from != to {
            self.moved.insert(from.start, (from.end, to.start));
        }
    }

    /// Where `piece` lies now: chains are followed to their end.
    pub fn resolve(&self, piece: Placeholder, out: &mut Vec<Placeholder>) {
        follow(piece, out, &|p| {
            // They are disjoint: where the last one that begins before the end ends too soon, so do all others.
            let (&start, &(end, target)) = self.moved.range(..p.end).next_back()?;
            if end <= p.start {
                return None;
            }
            let one = (Placeholder::new(start, end), target);
            if start <= p.start {
                return Some(one);
            }
            let before = self.moved.range(..=p.start).next_back().filter(|(_, (end, _))| *end > p.start);
            let first = before.or_else(|| self.moved.range(p.start..).next());
            Some(first.map_or(one, |(&start, &(end, target))| (Placeholder::new(start, end), target)))
        });
    }

    /// The same for many pieces.
    pub(super) fn settled(self) -> Settled {
        let moves = self.moved.iter().map(|(&start, &(end, _))| Placeholder::new(start, end));
        let from = Intervals::new(moves.zip(0..));
        Settled { from, to: self.moved.values().map(|&(_, to)| to).collect() }
    }
}

/// Redirects that nobody adds to: found sooner.
pub(super) struct Settled {
    from: Intervals,
    /// Where each of these went.
    to: Vec<u64>,
}

impl Settled {
    /// True where a piece stays where it is. `gap`, where nothing moved, is asked first, and becomes the one that it lies in.
    pub(super) fn leave(&self, piece: Placeholder, gap: &mut Placeholder) -> bool {
        let inside = |gap: &Placeholder| gap.start <= piece.start && piece.end <= gap.end;
        if !inside(gap) {
            let (places, first) = (self.from.places(), self.from.first(piece));
            let before = first.checked_sub(1).and_then(|last| places.get(last)).map_or(0, |last| last.end);
            *gap = Placeholder::new(before, places.get(first).map_or(u64::MAX, |next| next.start));
        }
        inside(gap)
    }

    /// As [`Redirects::resolve`].
    pub(super) fn resolve(&self, piece: Placeholder, out: &mut Vec<Placeholder>) {
        follow(piece, out, &|p| {
            // Only the first: a piece may meet very many, and is asked for again behind each.
            let first = self.from.first(p);
            let place = *self.from.places().get(first)?;
            (place.start < p.end).then(|| (place, self.to[first]))
        });
    }
}

/// Follows a piece by `first`: of the intervals that moved, the first that meets a placeholder, and where it went.
fn follow(
    piece: Placeholder,
    out: &mut Vec<Placeholder>,
    first: &dyn Fn(Placeholder) -> Option<(Placeholder, u64)>,
) {
    let mut todo = Vec::new();
    let mut next = Some(piece);
    while let Some(p) = next.take().or_else(|| todo.pop()) {
        if p.is_empty() {
            continue;
        }
        match first(p) {
            None => push_joined(out, p),
            Some((from, to)) => {
                let hit = p.intersection(&from);
                push_joined(out, Placeholder::new(p.start, hit.start));
                next = Some(hit.moved(from.start, to));
                if hit.end < p.end {
                    todo.push(Placeholder::new(hit.end, p.end));
                }
            }
        }
    }
}

impl Graph {
    /// Absorbs `new` into `old`, the output of a replaced operator: `new` gives up its placeholders and takes
    /// those of `old`, piece by piece in order; `old`'s identity becomes that of `new`, so that every
    /// reference to `old` finds `new`. Nothing happens when the placeholders are equal already.
    ///
    /// # Errors
    /// `Size` when the total sizes differ.
    pub fn absorb(&mut self, new: OperandId, old: OperandId) -> Result<(), GraphError> {
        let to = self.placeholders(old);
        if self.placeholders(new) == to {
            return Ok(());
        }
        self.alias(new, &to)?;
        self.rename(old, self.identity(new));
        Ok(())
    }

    /// Lets an operand, and every view of its units, stand for other placeholders, piece by piece in order.
    ///
    /// # Errors
    /// `Size` when the total sizes differ.
    pub fn alias(&mut self, operand: OperandId, to: &[Placeholder]) -> Result<(), GraphError> {
        let from = self.placeholders(operand);
        let total = |list: &[Placeholder]| list.iter().map(Placeholder::size).sum::<u64>();
        if total(&from) != total(to) {
            return Err(GraphError::Size { what: "absorb", found: total(&from), expected: total(to) });
        }
        let mut targets = to.iter().copied();
        let mut target = Placeholder::new(0, 0);
        for mut piece in from {
            while !piece.is_empty() {
                if target.is_empty() {
                    let Some(next) = targets.next() else { break };
                    target = next;
                }
                let size = piece.size().min(target.size());
                self.redirects_mut().add(piece.part(0, size), target.part(0, size));
                piece.start += size;
                target.start += size;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::store::LOOK_UPS;
    use crate::graph::{Attrs, ValueType};

    fn units(size: u64) -> ValueType {
        ValueType::new("units", size, Attrs::new())
    }

    fn graph() -> (Graph, OperandId) {
        let mut g = Graph::new(64);
        let b = g.add_operator("d", Attrs::new(), &[], units(8)).unwrap();
        (g, b)
    }

    #[test]
    fn k_g5_absorb() {
        let (mut g, b) = graph();
        // D expands to D1, D2 and D3, whose output is A, `[8,16)`.
        g.skip_to(16);
        let d1 = g.add_operator("d1", Attrs::new(), &[], units(4)).unwrap();
        let d2 = g.add_operator("d2", Attrs::new(), &[d1], units(4)).unwrap();
        let d3 = g.intern_signature("d3", Attrs::new());
        let a = g.view(units(8), vec![Placeholder::new(8, 16)]);
        g.push_operator(d3, &[d1, d2], a, 0, u32::MAX);
        let (a_identity, b_identity) = (g.identity(a), g.identity(b));
        let (s1, s2) = (Synchronizer::new(&g, b), Synchronizer::new(&g, b));
        g.absorb(a, b).unwrap();
        let place = Placeholder::new(0, 8);
        assert_eq!(g.placeholders(a), vec![place]);
        assert_eq!(g.identity(b), a_identity);
        assert_eq!(g.operand_of(a_identity), a);
        assert_eq!(s1.held(), (b, b_identity));
        assert_eq!(s2.held(), (b, b_identity));
        // The first access looks it up, the second does not.
        for look_ups in [1, 0] {
            let before = LOOK_UPS.get();
            assert_eq!(s1.pointer(&g), a);
            assert_eq!(LOOK_UPS.get() - before, look_ups);
            assert_eq!(s1.held(), (a, a_identity));
        }
        assert_eq!(s2.held(), (b, b_identity));
        assert_eq!(s2.pointer(&g), a);
        g.remove_operator(0);
        g.settle();
        let table: Vec<_> = g
            .operators()
            .iter()
            .map(|op| (g.signature(op).name.as_str(), g.placeholders(op.output)))
            .collect();
        let at = |start, end| vec![Placeholder::new(start, end)];
        assert_eq!(table, [("d1", at(16, 20)), ("d2", at(20, 24)), ("d3", vec![place])]);
    }

    #[test]
    fn equal_placeholders_change_nothing() {
        let (mut g, b) = graph();
        let same = g.view(units(8), vec![Placeholder::new(0, 8)]);
        let before = g.identity(b);
        g.absorb(same, b).unwrap();
        assert_eq!(g.identity(b), before);
    }

    #[test]
    fn k_g6_chain_in_any_order_of_accesses() {
        for depth in 1..6usize {
            for accesses in 0..(1u32 << depth) {
                let (mut g, first) = graph();
                let late = Synchronizer::new(&g, first);
                let early = Synchronizer::new(&g, first);
                let mut last = first;
                for level in 0..depth {
                    let new = g.add_operator("x", Attrs::new(), &[], units(8)).unwrap();
                    g.absorb(new, last).unwrap();
                    last = new;
                    if accesses >> level & 1 == 1 {
                        assert_eq!(early.pointer(&g), last);
                    }
                }
                assert_eq!(early.pointer(&g), last);
                assert_eq!(late.pointer(&g), last);
                assert_eq!(g.placeholders(last), vec![Placeholder::new(0, 8)]);
            }
        }
    }

    #[test]
    fn k_g7_absorb_of_a_merge() {
        let mut g = Graph::new(64);
        let b = g.add_operator("d", Attrs::new(), &[], units(8)).unwrap();
        g.skip_to(20);
        let e1 = g.add_operator("e1", Attrs::new(), &[], units(4)).unwrap();
        let e2 = g.add_operator("e2", Attrs::new(), &[], units(4)).unwrap();
        let slice_before = g.split(e1, 1, 2, units(2)).unwrap();
        let a = g.merge(&[e2, e1], units(8)).unwrap();
        g.absorb(a, b).unwrap();
        assert_eq!(g.placeholders(e2), vec![Placeholder::new(0, 4)]);
        assert_eq!(g.placeholders(e1), vec![Placeholder::new(4, 8)]);
        assert_eq!(g.placeholders(slice_before), vec![Placeholder::new(5, 7)]);
        let ten = g.add_operator("d", Attrs::new(), &[], units(10)).unwrap();
        assert!(matches!(g.absorb(a, ten), Err(GraphError::Size { found: 8, expected: 10, .. })));
    }

    #[test]
    fn absorb_of_a_slice_leaves_the_rest() {
        let (mut g, b) = graph();
        let e = g.add_operator("e", Attrs::new(), &[], units(12)).unwrap(); // [8,20)
        let a = g.split(e, 2, 8, units(8)).unwrap();
        g.absorb(a, b).unwrap();
        let expected = [(8, 10), (0, 8), (18, 20)].map(|(s, e)| Placeholder::new(s, e));
        assert_eq!(g.placeholders(e), expected.to_vec());
    }

    #[test]
    fn a_piece_of_very_many_that_moved_is_settled_in_no_time() {
        let count = 200_000;
        let mut g = Graph::new(64);
        let all: Vec<OperandId> =
            (0..count).map(|_| g.add_operator("x", Attrs::new(), &[], units(1)).unwrap()).collect();
        let whole = g.view(units(count), vec![Placeholder::new(0, count)]);
        let first = g.placeholders(all[0]);
        all[1..].iter().for_each(|&other| g.alias(other, &first).unwrap());
        // Quadratic work would be minutes.
        g.settle();
        assert_eq!(g.pieces(whole), vec![first[0]; count as usize]);
    }

    #[test]
    fn settled_operands_are_where_references_lead() {
        let mut random = crate::graph::random_numbers();
        for _ in 0..200 {
            let mut g = Graph::new(64);
            let sizes: Vec<u64> = (0..40).map(|_| 1 + random(9)).collect();
            let all: Vec<OperandId> = sizes
                .iter()
                .map(|&size| g.add_operator("x", Attrs::new(), &[], units(size)).unwrap())
                .collect();
            // Slices of two neighbors, whole ones, and merges of both.
            let mut views = all.clone();
            for _ in 0..60 {
                let (one, other) = (random(views.len() as u64) as usize, random(views.len() as u64) as usize);
                let size = g.ty(views[one]).size;
                let from = random(size);
                let length = 1 + random(size - from);
                let part = g.split(views[one], from, length, units(length)).unwrap();
                let total = length + g.ty(views[other]).size;
                views.push(g.merge(&[part, views[other]], units(total)).unwrap());
                views.push(part);
            }
            // Each stands for an earlier part of others, some of which have moved themselves.
            for at in (1..all.len()).filter(|_| random(3) == 0).collect::<Vec<_>>() {
                let before = g.merge(&all[..at], units(sizes[..at].iter().sum())).unwrap();
                let room = sizes[..at].iter().sum::<u64>().checked_sub(sizes[at]);
                let Some(room) = room else { continue };
                let target = g.split(before, random(room + 1), sizes[at], units(sizes[at])).unwrap();
                let target = g.placeholders(target);
                g.alias(all[at], &target).unwrap();
            }
            let expected: Vec<_> = views.iter().map(|&view| g.placeholders(view)).collect();
            g.settle();
            let found: Vec<_> = views.iter().map(|&view| g.pieces(view).to_vec()).collect();
            assert_eq!(found, expected);
        }
    }
}
