//! Outputs: which of them share ciphertexts, and what of their sums is left to who decrypts.

use super::{Packed, Packer, part_name};
use crate::graph::{Attrs, OperandId};
use crate::packed::layout::Layout;
use crate::sorted::SortedMap;
use crate::{Error, Result};

/// An output that is to be declared.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its cells.
    pub cells: &'a Packed,
    /// The operator of the task that it is made from.
    pub parent: u32,
    /// Whether it has ciphertexts of its own.
    pub alone: bool,
}

/// Where an output lies that was declared.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Which of the outputs that were asked for its ciphertexts are named after.
    pub holder: usize,
    /// Where its cells lie there.
    pub layout: Layout,
    /// What is added to the numbers of their slots.
    pub base: u64,
}

impl Packer<'_> {
    /// Declares outputs, `NAME[0]` and so on, and tells where their cells lie. All other slots are 0 or repeat them, or are cells of another output: sums that
    /// are pending alike share ciphertexts where there is room, which are then added up once for all of them.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn outputs(&mut self, all: &[Output<'_>]) -> Result<Vec<Declared>> {
        let mut declared: SortedMap<usize, Declared> = SortedMap::new();
        for members in self.together(all) {
            let (holder, gaps) = (members[0], all[members[0]].cells.layout.zero);
            let (x, bases) = if members.len() > 1 {
                let part = |&member: &usize| Some((*all[member].cells.parts.get(&0)?, all[member].parent));
                let parts = members.iter().filter_map(part).collect();
                let bases = (0..members.len() as u64).map(|member| spread_bits(member, gaps)).collect();
                let merged = self.beside(parts, gaps)?;
                (
                    Packed { parts: SortedMap::from([(0, merged)]), made: None, ..all[holder].cells.clone() },
                    bases,
                )
            } else {
                (all[holder].cells.clone(), vec![0])
            };
            self.set_parent(all[holder].parent);
            let x = if all[holder].alone { self.folded(&x)? } else { x };
            let x = self.totalled(x, members.len() > 1)?;
            for (&part, &operand) in &x.parts {
                self.session.graph_mut().declare_output(&part_name(all[holder].name, part), operand);
            }
            for (&member, base) in members.iter().zip(bases) {
                let axes = if member == holder { &x.layout.axes } else { &all[member].cells.layout.axes };
                let layout = Layout { axes: axes.clone(), ..x.layout.clone() };
                declared.insert(member, Declared { holder, layout, base });
            }
        }
        Ok(declared.into_values().collect())
    }

    /// Which outputs share ciphertexts.
    fn together(&self, all: &[Output<'_>]) -> Vec<Vec<usize>> {
        type Like = (u64, u64, u64, u64);
        let mut alike: SortedMap<Like, Vec<usize>> = SortedMap::new();
        let mut groups = Vec::new();
        for (index, &Output { cells: x, alone, .. }) in all.iter().enumerate() {
            let layout = &x.layout;
            let one = x.parts.keys().eq([&0]);
            // Nothing is left but the sums, which repeat along what was pending.
            let repeats = Layout { repeated: layout.repeated | x.pending, ..layout.clone() };
            let whole =
                !repeats.unclean(self.frame) && repeats.repeats_above(x.pending.trailing_zeros(), self.frame);
            if self.passes.late_sums
                && self.passes.share
                && !alone
                && one
                && x.pending != 0
                && layout.zero != 0
                && whole
            {
                let like = (x.pending, layout.zero, layout.repeated, layout.mapped());
                alike.entry(like).or_default().push(index);
            } else {
                groups.push(vec![index]);
            }
        }
        for ((_, gaps, ..), members) in alike {
            groups.extend(members.chunks(1 << gaps.count_ones()).map(<[usize]>::to_vec));
        }
        groups
    }

    /// Vectors side by side in one, each in its place of the gaps, in all of which each has 0; with each the operator of the task that it is made from.
    fn beside(&mut self, mut parts: Vec<(OperandId, u32)>, gaps: u64) -> Result<OperandId> {
        for bit in (0..self.frame.slots()).filter(|bit| gaps >> bit & 1 == 1) {
            let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                pairs.push(match *pair {
                    [(x, parent), (y, other)] => {
                        self.set_parent(other);
                        let y = self.shifted(y, bit, true)?;
                        self.set_parent(parent);
                        (self.op("packed.add", Attrs::new(), &[x, y])?, parent)
                    }
                    _ => pair[0],
                });
            }
            parts = pairs;
        }
        parts.first().map(|part| part.0).ok_or(Error::Job("an output has ciphertexts"))
    }

    /// Adds up what is pending, and cleans all slots, of what is an output: runs of bits up to the highest of a ring, and rings, are added up last, so that it may be left
    /// to who decrypts. `shared`: other outputs lie in the gaps that are 0.
    fn totalled(&mut self, x: Packed, shared: bool) -> Result<Packed> {
        let (ring, mut x) = (self.frame.ring, x);
        let is = |bits: u64, bit: u32| bits >> bit & 1 == 1;
        // Along gaps that are 0, but for other outputs, or repeat, sums may go, too: they are what they were, or so many times that.
        let open = x.pending | x.layout.repeated | if shared { 0 } else { x.layout.zero };
        let lowest = |from: u32| {
            let run = (from..ring).rev().take_while(|&bit| is(open, bit));
            run.filter(|&bit| is(x.pending, bit)).last().unwrap_or(ring)
        };
        let (mut rows, mut low) = (is(x.pending, ring), lowest(0));
        if low == 0 && self.frame.rings == 1 && !rows {
            // Who decrypts has a row of its own only as sums of every other slot (`total`).
            rows = is(open, ring);
            low = lowest(u32::from(!rows));
        }
        let total = ((1u64 << ring) - 1) >> low << low | u64::from(rows) << ring;
        if !self.passes.extract || total & x.pending == 0 {
            x = self.folded(&x)?;
            return if x.layout.unclean(self.frame) { self.cleaned(&x) } else { Ok(x) };
        }
        let repeats = 1u64 << (total & x.layout.repeated).count_ones();
        // Turns, sums and masks that repeat along what is added up last may as well come before.
        x.layout.repeated |= total;
        x.layout.zero &= !total;
        x.pending &= !total;
        x = self.folded_bits(x)?;
        if x.layout.unclean(self.frame) {
            x = self.cleaned(&x)?;
        }
        let attrs = Attrs::new().with("low", u64::from(low)).with("rings", u64::from(rows));
        let attrs = attrs.with("repeats", repeats);
        self.each(&x, |packer, part| packer.op("packed.total", attrs.clone(), &[part]))
    }
}

/// A number whose bits are put where these are, from the lowest on.
fn spread_bits(number: u64, bits: u64) -> u64 {
    let places = (0..64).filter(|bit| bits >> bit & 1 == 1);
    places.enumerate().filter(|(own, _)| number >> own & 1 == 1).fold(0, |all, (_, place)| all | 1 << place)
}
