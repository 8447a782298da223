//! Sums along slots, which are left pending until somebody needs them, so that several are added up at once.

use super::{Cells, Clear, Packed, Packer, Pair};
use crate::Result;
use crate::graph::{Attr, Attrs, OperandId};
use crate::packed::layout::Layout;
use crate::sorted::SortedMap;
use std::sync::Arc;

/// How something pending was made of something that is pending alike.
#[derive(Debug)]
pub(super) struct Made {
    of: Packed,
    how: How,
    /// The operator of the task that did.
    parent: u32,
    /// How many were made one of the other.
    depth: u32,
}

/// How many that are pending are made one of the other before one counts as made of nothing.
const MOST_MADE: u32 = 16;

#[derive(Debug)]
pub(super) enum How {
    Negated,
    Times(Attr),
    /// With what is clear.
    Clear(Pair, Clear),
}

impl Packer<'_> {
    /// The sum along a dimension, which disappears.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn sum(&mut self, x: &Packed, axis: usize) -> Result<Packed> {
        let own = x.layout.axes[axis];
        if own.low.is_none() {
            let mut sum = self.multiply_number(x, Attr::Int(i128::from(own.size)))?;
            sum.layout.axes.remove(axis);
            return Ok(sum);
        }
        let x = if own.dirty { self.folded(x).and_then(|x| self.cleaned(&x))? } else { x.clone() };
        let (slots, mask) = (self.frame.slots(), own.mask());
        let mut parts: SortedMap<u64, Vec<OperandId>> = SortedMap::new();
        for (part, operand) in x.parts {
            parts.entry(part & !(mask >> slots)).or_default().push(operand);
        }
        let inside = mask & ((1 << slots) - 1);
        let (parts, pending) = (self.sums(parts)?, x.pending | inside);
        let mut sum = Packed { layout: x.layout, parts, pending, summed: self.parent, made: None };
        sum.layout.axes.remove(axis);
        self.sums_made += usize::from(inside != 0);
        if self.passes.late_sums || self.passes.extract { Ok(sum) } else { self.folded(&sum) }
    }

    /// Two operands of a sum: what is pending alike may stay so.
    pub(super) fn alike(&mut self, x: &Cells, y: &Cells) -> Result<(Cells, Cells)> {
        let lows = |x: &Packed| x.layout.axes.iter().map(|axis| axis.low).collect::<Vec<_>>();
        match (x, y) {
            (Cells::Encrypted(a), Cells::Encrypted(b))
                if self.passes.late_sums && a.pending == b.pending && lows(a) == lows(b) =>
            {
                Ok((x.clone(), y.clone()))
            }
            // What is clear may be added to one of the terms.
            (Cells::Clear(_), _) | (_, Cells::Clear(_)) => Ok((x.clone(), y.clone())),
            _ => Ok((self.folded_cells(x)?, self.folded_cells(y)?)),
        }
    }

    /// What is pending, made of something that is, too.
    pub(super) fn made(&self, x: Packed, of: &Packed, how: How) -> Packed {
        let depth = of.made.as_ref().map_or(1, |made| made.depth + 1);
        let told = x.pending != 0 && depth <= MOST_MADE;
        let made = told.then(|| Arc::new(Made { of: of.clone(), how, parent: self.parent, depth }));
        Packed { made, ..x }
    }

    /// Adds up what is pending.
    pub(super) fn folded(&mut self, x: &Packed) -> Result<Packed> {
        if x.pending == 0 {
            return Ok(x.clone());
        }
        if let Some(made) = &x.made {
            // Sums of one thing are made once, whatever is made of them.
            let (of, parent) = (self.folded(&made.of)?, self.parent);
            self.set_parent(made.parent);
            let sum = match &made.how {
                How::Negated => self.negated(&of)?,
                How::Times(number) => self.multiply_number(&of, number.clone())?,
                How::Clear(pair, clear) => self.with_clear(*pair, &of, clear)?,
            };
            self.set_parent(parent);
            let layout = Layout { axes: x.layout.axes.clone(), ..sum.layout.clone() };
            return Ok(Packed { layout, ..sum });
        }
        let key = (x.parts.values().copied().collect::<Vec<_>>(), x.pending);
        if let Some(known) = self.folds.get(&key) {
            return Ok(Packed {
                layout: Layout { axes: x.layout.axes.clone(), ..known.layout.clone() },
                ..known.clone()
            });
        }
        // Part of making the sum.
        let parent = self.parent;
        if x.summed != u32::MAX {
            self.set_parent(x.summed);
        }
        let sum = self.folded_bits(x.clone())?;
        self.set_parent(parent);
        self.folds.insert(key, sum.clone());
        Ok(sum)
    }

    pub(super) fn folded_cells(&mut self, x: &Cells) -> Result<Cells> {
        match x {
            Cells::Encrypted(x) => self.folded(x).map(Cells::Encrypted),
            Cells::Clear(_) => Ok(x.clone()),
        }
    }

    pub(super) fn folded_bits(&mut self, x: Packed) -> Result<Packed> {
        let mut sum = Packed { pending: 0, ..x };
        // From above: slots that turn over the end of a run come from where it repeats, or are taken for nothing.
        let mut rest = x.pending;
        while rest != 0 {
            let end = u64::BITS - rest.leading_zeros();
            let low = u64::BITS - (!rest & ((1 << end) - 1)).leading_zeros();
            let whole = sum.layout.repeats_above(end, self.frame);
            for bit in low..end {
                sum = self.each(&sum, |packer, part| {
                    let other = packer.shifted(part, bit, false)?;
                    packer.op("packed.add", Attrs::new(), &[part, other])
                })?;
            }
            let run = rest >> low << low;
            // What swaps rings is whole in any case.
            sum.layout.repeated |= if whole { run } else { run & !((1 << self.frame.ring) - 1) };
            rest &= !run;
        }
        Ok(sum)
    }
}
