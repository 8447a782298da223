//! What is not encrypted: where its cells come from, and the vectors that hold them.

use super::Packer;
use crate::graph::{Attr, OperandId};
use crate::math::cells;
use crate::memory::room;
use crate::packed::layout::{Axis, Frame, Layout};
use crate::packed::types::SlotVector;
use crate::{Error, Result};

/// Where cells come from that are not encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A value, by the number that whoever packs gave it.
    Value(u64),
    /// One number in all cells, an integer or a real.
    Number(Attr),
}

/// Cells that are not encrypted.
#[derive(Clone, Debug)]
pub struct Clear {
    /// What they are cells of.
    pub source: Source,
    /// For each dimension its length, and which dimension of the source it is; none where the value repeats along it.
    pub axes: Vec<(u64, Option<usize>)>,
}

/// An input of the graph that is not encrypted.
#[derive(Clone, Debug)]
pub struct ClearInput {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub slots: Slots,
    /// How far each ring of it is turned to the right.
    pub right: u64,
    /// The number that it is multiplied with.
    pub times: Attr,
    /// The slots that it has.
    pub frame: Frame,
}

impl ClearInput {
    /// The values of its slots, from the cells of its source.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn written(&self, cells: &[u64]) -> Result<Vec<u64>> {
        let mut all = room(1 << self.frame.slots())?;
        all.resize(1 << self.frame.slots(), 0);
        match (&self.slots, cells) {
            (Slots::Cells { part, .. }, cells) => {
                let (pairs, gaps) = self.slots.places(self.frame);
                cells::write(&mut all, &pairs, &gaps, (*part, self.frame.slots()), cells);
            }
            (Slots::Mask(_), &[cell]) => self.slots.masked().for_each(|slot| all[slot as usize] = cell),
            (Slots::Mask(_), _) => return Err(Error::Job("a mask has one cell")),
        }
        for ring in all.chunks_mut(1 << self.frame.ring) {
            ring.rotate_right(self.right as usize);
        }
        Ok(all)
    }

    /// The number of the value that it holds cells of, if any.
    pub fn value(&self) -> Option<u64> {
        match self.slots {
            Slots::Cells { source: Source::Value(number), .. } => Some(number),
            _ => None,
        }
    }
}

/// What a vector holds that is not encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Slots {
    /// 1 in some slots, 0 in the others: a bit for each.
    Mask(Vec<u64>),
    /// Cells, each in its slot of one ciphertext of the layout, and 0 in the others.
    Cells {
        /// Whose cells.
        source: Source,
        /// Which dimension of the source each one is; none where the value repeats along it.
        axes: Vec<Option<usize>>,
        /// Where they lie.
        layout: Layout,
        /// What is added to the numbers of their slots.
        base: u64,
        /// The number of the ciphertext.
        part: u64,
    },
}

impl Slots {
    /// Tells every slot that is not 0, and which cell of the source it holds; a mask, and a number, have one cell.
    pub fn each(&self, frame: Frame, mut tell: impl FnMut(u64, u64)) {
        let Self::Cells { part, .. } = self else {
            self.masked().for_each(|slot| tell(slot, 0));
            return;
        };
        let (pairs, gaps) = self.places(frame);
        let slots = frame.slots();
        for (address, cell) in pairs.into_iter().filter(|(address, _)| address >> slots == *part) {
            gaps.iter().for_each(|gap| tell((address | gap) & ((1 << slots) - 1), cell));
        }
    }

    /// The slots of a mask.
    fn masked(&self) -> impl Iterator<Item = u64> {
        let mask = if let Self::Mask(mask) = self { mask.as_slice() } else { &[] };
        let bits = |bits: u64| (0..64).filter(move |bit| bits >> bit & 1 == 1);
        mask.iter().zip(0u64..).flat_map(move |(&word, number)| bits(word).map(move |bit| number * 64 + bit))
    }

    /// Numbers of slots and of cells, some of them in other ciphertexts, and the gaps along which each repeats.
    fn places(&self, frame: Frame) -> (Vec<(u64, u64)>, Vec<u64>) {
        let Self::Cells { axes, layout, base, part, .. } = self else { return (Vec::new(), Vec::new()) };
        // Where the layout repeats along a dimension, the source does, too.
        let once = once(layout);
        let mut strides = vec![0; axes.len()];
        let mut order: Vec<(usize, usize)> =
            axes.iter().enumerate().filter_map(|(own, from)| Some(((*from)?, own))).collect();
        order.sort_unstable();
        let mut stride = 1;
        for &(_, own) in order.iter().rev() {
            strides[own] = stride;
            stride *= layout.axes[own].size;
        }
        let slots = frame.slots();
        // Dimension by dimension: of those that lie in this ciphertext, which bits of each dimension tell where nothing is added.
        let mut all = vec![(*base, 0)];
        for (axis, stride) in once.axes.iter().zip(strides) {
            let Some(low) = axis.low else { continue };
            let here = if *base == 0 { axis.within(*part, slots) } else { 0..axis.size };
            let along: Vec<u64> = here.collect();
            all = cells::along(&all, &along, low, stride);
        }
        (all, subsets(layout.repeated))
    }
}

impl Packer<'_> {
    pub(super) fn clear_vector(&mut self, slots: Slots) -> Result<OperandId> {
        if let Some(&known) = self.known.get(&slots) {
            return Ok(known);
        }
        let name = format!("clear {}", self.clear.len());
        let ty = SlotVector { frame: self.frame, encrypted: false }.ty();
        let operand = self.session.graph_mut().add_input(&name, ty)?;
        self.known.insert(slots.clone(), operand);
        self.clear.push(ClearInput { name, slots, right: 0, times: Attr::Int(1), frame: self.frame });
        Ok(operand)
    }
}

/// The layout of what there is once: dimensions along which it repeats have one cell.
pub(super) fn once(layout: &Layout) -> Layout {
    let axis = |axis: &Axis| Axis { size: if axis.low.is_some() { axis.size } else { 1 }, ..*axis };
    Layout { axes: layout.axes.iter().map(axis).collect(), ..layout.clone() }
}

/// All numbers whose bits are among these.
fn subsets(bits: u64) -> Vec<u64> {
    (0..64).filter(|bit| bits >> bit & 1 == 1).fold(vec![0], |all, bit| {
        let with = all.iter().map(|subset| subset | 1 << bit).collect::<Vec<_>>();
        [all, with].concat()
    })
}
