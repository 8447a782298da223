//! Cells in other slots: what turns where, what is masked, what repeats.

use super::clear::once;
use super::{BOTH_CLEAR, Cells, Clear, Packed, Packer, Slots, Source, part_of};
use crate::Result;
use crate::graph::{Attr, Attrs, OperandId};
use crate::packed::layout::{Axis, Layout, bits};
use crate::sorted::SortedMap;
use std::collections::HashMap;

/// A way that slots go: from one ciphertext to another, perhaps in the other ring, so many steps to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Move {
    to: u64,
    from: u64,
    swap: bool,
    steps: u64,
}

impl Packer<'_> {
    /// The value seen with other dimensions: for each of them its length, and which one of x it is; none for one along which it repeats.
    pub fn spread(&self, x: &Cells, to: &[(u64, Option<usize>)]) -> Cells {
        match x {
            Cells::Clear(x) => {
                let axis =
                    |&(size, from): &(u64, Option<usize>)| (size, from.and_then(|from| x.axes[from].1));
                Cells::Clear(Clear { source: x.source.clone(), axes: to.iter().map(axis).collect() })
            }
            Cells::Encrypted(x) => {
                let axis = |&(size, from): &(u64, Option<usize>)| {
                    from.map_or(Axis { size, low: None, dirty: false }, |from| x.layout.axes[from])
                };
                let layout = Layout { axes: to.iter().map(axis).collect(), ..x.layout.clone() };
                Cells::Encrypted(Packed { layout, ..x.clone() })
            }
        }
    }

    /// Cells from other places: `from` tells for each place of the result where in x it lies. `lows` says where its dimensions are to lie;
    /// none where it repeats.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn moved(
        &mut self,
        x: &Packed,
        shape: &[u64],
        lows: &[Option<u32>],
        from: impl Fn(&[u64], &mut Vec<u64>),
    ) -> Result<Packed> {
        let (x, to) = (&self.folded(x)?, self.apart_from_all(shape, lows));
        let groups = self.groups(x, &to, 0, from)?;
        let plain = !x.layout.unclean(self.frame);
        let all_of = |from: u64, mask: &[u64]| self.cells_in(&x.layout, from) == count(mask);
        let stays = |(key, mask): (&Move, &Vec<u64>)| {
            key.to == key.from && !key.swap && key.steps == 0 && all_of(key.from, mask)
        };
        if plain && to.mapped() == x.layout.mapped() && groups.iter().all(stays) {
            let layout = Layout { axes: to.axes, ..x.layout.clone() };
            return Ok(Packed { layout, ..x.clone() });
        }
        // What takes all that a ciphertext has to one place leaves nothing to be masked.
        let alone = |to: u64| groups.keys().filter(|key| key.to == to).count() == 1;
        let whole = |(key, mask): (&Move, &Vec<u64>)| {
            plain && x.layout.repeated == 0 && alone(key.to) && all_of(key.from, mask)
        };
        let whole: Vec<bool> = groups.iter().map(whole).collect();
        let mut terms = SortedMap::new();
        for ((key, mask), whole) in groups.into_iter().zip(whole) {
            self.term(x, &key, (!whole).then_some(mask), &mut terms)?;
        }
        Ok(Packed::new(to, self.sums(terms)?))
    }

    /// Values one after the other along a dimension; some of them are encrypted. `lows` says where dimensions of the result are to lie.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn concat(
        &mut self,
        all: &[&Cells],
        axis: usize,
        shape: &[u64],
        lows: &[Option<u32>],
    ) -> Result<Packed> {
        let to = self.apart_from_all(shape, lows);
        self.check(to.cells())?;
        let (mut terms, mut clear, mut before) = (SortedMap::new(), Vec::new(), 0);
        for x in all {
            let base = lows[axis].map_or(0, |low| before << low);
            match x {
                Cells::Encrypted(x) => {
                    let x = &self.folded(x)?;
                    let size = x.layout.axes[axis].size;
                    let mut own = to.clone();
                    own.axes[axis].size = size;
                    for (key, mask) in self.groups(x, &own, base, same)? {
                        self.term(x, &key, Some(mask), &mut terms)?;
                    }
                    before += size;
                }
                Cells::Clear(x) => {
                    clear.push((x, base));
                    before += x.axes[axis].0;
                }
            }
        }
        let mut parts = self.sums(terms)?;
        let some = *parts.values().next().ok_or(BOTH_CLEAR)?;
        for (x, base) in clear {
            let from: Vec<Option<usize>> = x.axes.iter().map(|axis| axis.1).collect();
            let mut layout = to.clone();
            layout.axes[axis].size = x.axes[axis].0;
            for part in to.parts(self.frame) {
                let slots = Slots::Cells {
                    source: x.source.clone(),
                    axes: from.clone(),
                    layout: layout.clone(),
                    base,
                    part,
                };
                let mut any = false;
                slots.each(self.frame, |_, _| any = true);
                if !any {
                    continue;
                }
                let vector = self.clear_vector(slots)?;
                let own = match parts.get(&part) {
                    Some(&own) => own,
                    // No encrypted cell lies there.
                    None => self.op("packed.sub", Attrs::new(), &[some, some])?,
                };
                parts.insert(part, self.op("packed.add", Attrs::new(), &[own, vector])?);
            }
        }
        Ok(Packed::new(to, parts))
    }

    /// x turned to the left along a dimension.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn rotate(&mut self, x: &Packed, axis: usize, steps: u64) -> Result<Packed> {
        let (x, own) = (&self.folded(x)?, x.layout.axes[axis]);
        let Some(low) = own.low.filter(|_| !steps.is_multiple_of(own.size)) else { return Ok(x.clone()) };
        let end = low + bits(own.size);
        let whole = x.layout.repeats_above(end, self.frame);
        if own.size.is_power_of_two() && end <= self.frame.ring && whole {
            let steps = Attrs::new().with("steps", (steps % own.size) << low);
            return self.each(x, |packer, part| packer.op("packed.rotate", steps.clone(), &[part]));
        }
        let lows: Vec<Option<u32>> = x.layout.axes.iter().map(|axis| axis.low).collect();
        self.moved(x, &x.layout.shape(), &lows, |place, from| {
            from.extend_from_slice(place);
            from[axis] = (from[axis] + steps) % own.size;
        })
    }

    /// A layout that has 0 in all gaps.
    fn apart_from_all(&self, shape: &[u64], lows: &[Option<u32>]) -> Layout {
        let axis =
            |(&size, &low): (&u64, &Option<u32>)| Axis { size, low: low.filter(|_| size > 1), dirty: false };
        let axes = shape.iter().zip(lows).map(axis).collect();
        let mut to = Layout { axes, repeated: 0, zero: 0 };
        to.zero = to.gaps(self.frame);
        to
    }

    /// Which slots of which ciphertext go the same way: for each way the slots of the result, a bit for each. `base` is added to all numbers of slots there.
    fn groups(
        &self,
        x: &Packed,
        to: &Layout,
        base: u64,
        from: impl Fn(&[u64], &mut Vec<u64>),
    ) -> Result<SortedMap<Move, Vec<u64>>> {
        let once = once(to);
        self.check(once.cells())?;
        let (slots, ring) = (self.frame.slots(), self.frame.ring);
        let (in_part, in_ring) = ((1u64 << slots) - 1, (1u64 << ring) - 1);
        let (mut numbers, mut masks): (HashMap<Move, usize>, Vec<Vec<u64>>) = Default::default();
        // Cells next to each other mostly go the same way.
        let mut last: Option<(Move, usize)> = None;
        let dims = once.shape();
        let (mut place, mut own) = (vec![0u64; dims.len()], Vec::new());
        for to in once.addresses() {
            let to = to + base;
            own.clear();
            from(&place, &mut own);
            let source = x.layout.address(&own) | to & x.layout.repeated;
            let swap = (source ^ to) >> ring & ((1 << self.frame.rings) - 1) == 1;
            let steps = (source & in_ring).wrapping_sub(to & in_ring) & in_ring;
            let key = Move { to: to >> slots, from: source >> slots, swap, steps };
            let number = match last.filter(|(last, _)| *last == key) {
                Some((_, number)) => number,
                None => *numbers.entry(key).or_insert_with(|| {
                    masks.push(vec![0; in_part as usize / 64 + 1]);
                    masks.len() - 1
                }),
            };
            last = Some((key, number));
            let slot = to & in_part;
            masks[number][slot as usize / 64] |= 1 << (slot % 64);
            for (at, &dim) in place.iter_mut().zip(&dims).rev() {
                *at = (*at + 1) % dim;
                if *at > 0 {
                    break;
                }
            }
        }
        Ok(numbers.into_iter().map(|(key, number)| (key, std::mem::take(&mut masks[number]))).collect())
    }

    /// The slots that go one way, 0 in all others.
    fn term(
        &mut self,
        x: &Packed,
        key: &Move,
        mask: Option<Vec<u64>>,
        terms: &mut SortedMap<u64, Vec<OperandId>>,
    ) -> Result<()> {
        let mut part = part_of(x, key.from)?;
        if key.swap {
            part = self.op("packed.swap", Attrs::new(), &[part])?;
        }
        if key.steps != 0 {
            part = self.op("packed.rotate", Attrs::new().with("steps", key.steps), &[part])?;
        }
        if let Some(mask) = mask {
            let mask = self.clear_vector(Slots::Mask(mask))?;
            part = self.op("packed.multiply", Attrs::new(), &[part, mask])?;
        }
        terms.entry(key.to).or_default().push(part);
        Ok(())
    }

    pub(super) fn sums(
        &mut self,
        terms: SortedMap<u64, Vec<OperandId>>,
    ) -> Result<SortedMap<u64, OperandId>> {
        terms.into_iter().map(|(part, terms)| Ok((part, self.balanced(terms)?))).collect()
    }

    /// How many cells lie in a ciphertext.
    fn cells_in(&self, layout: &Layout, part: u64) -> u64 {
        let slots = self.frame.slots();
        let cells = layout.axes.iter().filter_map(|axis| {
            let low = axis.low?;
            // The part of the place that the number of the ciphertext tells.
            let (shift, skip) = (low.saturating_sub(slots), slots.saturating_sub(low).min(63));
            let own = (axis.mask() >> slots & part) >> shift << skip;
            Some((axis.size.saturating_sub(own)).min(1 << skip.min(bits(axis.size))))
        });
        cells.product()
    }

    /// Where dimensions lie; as it was planned where two would lie in one place.
    pub(super) fn apart(&self, lows: Vec<Option<u32>>, axes: &[Axis]) -> Vec<Option<u32>> {
        let mut taken = 0u64;
        let free = |(&low, axis): (&Option<u32>, &Axis)| {
            let mask = Axis { low, ..*axis }.mask();
            let free = taken & mask == 0;
            taken |= mask;
            free
        };
        if lows.iter().zip(axes).map(free).fold(true, |all, free| all & free) {
            return lows;
        }
        lows.iter().zip(&self.planned).map(|(low, &planned)| low.map(|_| planned)).collect()
    }

    /// The same cells elsewhere: dimensions along which x repeats get slots where `lows` says so.
    pub(super) fn conformed(&mut self, x: &Packed, lows: &[Option<u32>]) -> Result<Packed> {
        let moves = x.layout.axes.iter().zip(lows).any(|(axis, &low)| axis.low.is_some() && axis.low != low);
        let mut x = if moves {
            let own: Vec<Option<u32>> =
                x.layout.axes.iter().zip(lows).map(|(axis, &low)| axis.low.and(low)).collect();
            self.moved(x, &x.layout.shape(), &own, same)?
        } else {
            x.clone()
        };
        let mut axes = x.layout.axes.clone();
        let mut new = 0;
        for (axis, &low) in axes.iter_mut().zip(lows) {
            if axis.low.is_none() && low.is_some() {
                *axis = Axis { low, dirty: !axis.size.is_power_of_two(), ..*axis };
                new |= axis.mask();
            }
        }
        if new == 0 {
            return Ok(x);
        }
        let slots = self.frame.slots();
        x = self.repeated(x, new & ((1 << slots) - 1))?;
        let known = x.layout.mapped() >> slots;
        let layout = Layout { axes, repeated: x.layout.repeated & !new, zero: x.layout.zero & !new };
        let part = |part: u64| Ok((part, part_of(&x, part & known)?));
        let parts = layout.parts(self.frame).into_iter().map(part).collect::<Result<_>>()?;
        Ok(Packed::new(layout, parts))
    }

    /// The same cells, repeated along some gaps.
    fn repeated(&mut self, x: Packed, gaps: u64) -> Result<Packed> {
        let mut x = if gaps & x.layout.junk(self.frame) == 0 { x } else { self.cleaned(&x)? };
        let zero = gaps & x.layout.zero;
        for bit in (0..self.frame.slots()).filter(|bit| zero >> bit & 1 == 1) {
            x = self.each(&x, |packer, part| {
                let other = packer.shifted(part, bit, true)?;
                packer.op("packed.add", Attrs::new(), &[part, other])
            })?;
            x.layout.repeated |= 1 << bit;
            x.layout.zero &= !(1 << bit);
        }
        Ok(x)
    }

    /// The same cells, 0 in slots that are no cell's and do not repeat one.
    pub(super) fn cleaned(&mut self, x: &Packed) -> Result<Packed> {
        let axes = x.layout.axes.iter().map(|axis| Axis { dirty: false, ..*axis }).collect();
        let layout =
            Layout { axes, repeated: x.layout.repeated, zero: x.layout.zero | x.layout.junk(self.frame) };
        let mut parts = SortedMap::new();
        for (&part, &operand) in &x.parts {
            let axes = vec![None; layout.axes.len()];
            let source = Source::Number(Attr::Int(1));
            let ones = Slots::Cells { source, axes, layout: layout.clone(), base: 0, part };
            let mut mask = vec![0u64; (1usize << self.frame.slots()).div_ceil(64)];
            ones.each(self.frame, |slot, _| mask[slot as usize / 64] |= 1 << (slot % 64));
            let mask = self.clear_vector(Slots::Mask(mask))?;
            parts.insert(part, self.op("packed.multiply", Attrs::new(), &[operand, mask])?);
        }
        Ok(Packed::new(layout, parts))
    }

    /// Slots from 2^bit further on, or before.
    pub(super) fn shifted(&mut self, x: OperandId, bit: u32, back: bool) -> Result<OperandId> {
        if bit >= self.frame.ring {
            return self.op("packed.swap", Attrs::new(), &[x]);
        }
        let steps = if back { (1 << self.frame.ring) - (1 << bit) } else { 1u64 << bit };
        self.op("packed.rotate", Attrs::new().with("steps", steps), &[x])
    }
}

/// Each cell where it is.
fn same(place: &[u64], from: &mut Vec<u64>) {
    from.extend_from_slice(place);
}

fn count(mask: &[u64]) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}
