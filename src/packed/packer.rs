//! Makes graphs of slot vectors of operations on whole values: which slots turn where, what is masked, what is laid beside what.

use super::factors::{Scaled, chain, factors};
use super::flatten::flatten;
use super::giant_steps::giant_steps;
use super::layout::{Axis, Frame, Layout, bits};
use super::ops::Role;
use super::rebuild::Given;
use super::series::{Basis, Series};
use super::types::SlotVector;
use crate::graph::{Attr, Attrs, Graph, OperandId, Real};
use crate::math::cells;
use crate::memory::room;
use crate::ops::{Registry, Session};
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Most cells of a value that is packed.
const MOST_CELLS: u64 = 1 << 22;

/// Most operators of a graph.
const MOST_OPERATORS: usize = 1 << 18;

/// The cells of a value.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Who evaluates has them.
    Clear(Clear),
    /// In ciphertexts.
    Encrypted(Packed),
}

/// Cells that are not encrypted.
#[derive(Clone, Debug)]
pub struct Clear {
    /// What they are cells of.
    pub source: Source,
    /// For each dimension its length, and which dimension of the source it is; none where the value repeats along it.
    pub axes: Vec<(u64, Option<usize>)>,
}

/// Where cells come from that are not encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A value, by the number that whoever packs gave it.
    Value(u64),
    /// One number in all cells, an integer or a real.
    Number(Attr),
}

/// Cells in ciphertexts.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Where they lie.
    pub layout: Layout,
    /// The ciphertexts in which cells lie, by number.
    pub parts: SortedMap<u64, OperandId>,
    /// Bits of a slot's number along which slots are still to be added up: a cell is the sum of them.
    pub pending: u64,
    /// The operator of the task that left it pending.
    summed: u32,
    /// Where it was made of what was pending, how: who needs the sum makes it of that one's.
    made: Option<Arc<Made>>,
}

/// How something pending was made of something that is pending alike.
#[derive(Debug)]
struct Made {
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
enum How {
    Negated,
    Times(Attr),
    /// By that operator with what is clear.
    Clear(&'static str, Clear),
}

impl Packed {
    fn new(layout: Layout, parts: SortedMap<u64, OperandId>) -> Self {
        Self { layout, parts, pending: 0, summed: u32::MAX, made: None }
    }
}

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

/// A graph of slot vectors that is done.
#[derive(Clone)]
pub struct Finished {
    /// The graph.
    pub graph: Graph,
    /// What its inputs hold that are not encrypted.
    pub clear: Vec<ClearInput>,
    /// About what it costs, in turns.
    pub cost: f64,
    /// Of the operators of the task of which it makes a multiple, by which number that is.
    pub multiples: SortedMap<u32, f64>,
    /// Whether a number costs a level that was to cost none ([`Packer::hoped`]).
    pub hopes_failed: bool,
}

/// A graph of slot vectors under construction.
pub struct Packer<'r> {
    session: Session<'r>,
    /// The operator of the task that the next ones are made from.
    parent: u32,
    registry: &'r Registry,
    frame: Frame,
    /// Where dimensions of the value lie that is made now, where they are free to.
    planned: Vec<u32>,
    clear: Vec<ClearInput>,
    known: HashMap<Slots, OperandId>,
    /// What came of a call before.
    calls: HashMap<(String, Attrs, Vec<OperandId>), OperandId>,
    /// What came of adding up what was pending.
    folds: HashMap<(Vec<OperandId>, u64), Packed>,
    /// Products with numbers that are to cost no level.
    hoped: Vec<OperandId>,
    sums_made: usize,
    passes: PackerPasses,
}

/// What the packer makes of what it was told, where it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackerPasses {
    /// What is computed twice is computed once.
    pub dedup: bool,
    /// Real numbers go into clear factors.
    pub factors: bool,
    /// Turns of sums of masked vectors are sums of turns.
    pub flatten: bool,
    /// Sums of many turns of one vector are made of few.
    pub giant_steps: bool,
    /// What is summed up stays in its slots until somebody needs the sum, so that several are added up at once.
    pub late_sums: bool,
    /// Sums that are outputs are left to who decrypts, as far as the scheme lets him have them without their terms.
    pub extract: bool,
    /// Outputs share ciphertexts, for turns.
    pub share: bool,
}

impl<'r> Packer<'r> {
    /// An empty graph of ciphertexts with so many slots; the registry is that of this room.
    pub fn new(frame: Frame, registry: &'r Registry, passes: PackerPasses) -> Self {
        let session = Session::new(Graph::new(64), registry);
        Self {
            session,
            parent: u32::MAX,
            registry,
            frame,
            planned: Vec::new(),
            clear: Vec::new(),
            known: HashMap::new(),
            calls: HashMap::new(),
            folds: HashMap::new(),
            hoped: Vec::new(),
            sums_made: 0,
            passes,
        }
    }

    /// Says which operator of a task the next ones are made from.
    pub fn set_parent(&mut self, operator: u32) {
        self.parent = operator;
        self.session.set_parent(operator);
    }

    /// Says where dimensions of the next value are to lie, where they are free to.
    pub fn plan(&mut self, lows: &[u32]) {
        self.planned = lows.to_vec();
    }

    /// Ciphertexts that the graph is given, `NAME[0]` and so on.
    ///
    /// # Errors
    /// `TooLarge`; `Graph` for a name that is taken.
    pub fn input(&mut self, name: &str, layout: Layout) -> Result<Packed> {
        self.check(layout.cells())?;
        let ty = SlotVector { frame: self.frame, encrypted: true }.ty();
        let mut parts = SortedMap::new();
        for part in layout.parts(self.frame) {
            let operand = self.session.graph_mut().add_input(&part_name(name, part), ty.clone())?;
            parts.insert(part, operand);
        }
        Ok(Packed::new(layout, parts))
    }

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

    /// What is pending, made of something that is, too.
    fn made(&self, x: Packed, of: &Packed, how: How) -> Packed {
        let depth = of.made.as_ref().map_or(1, |made| made.depth + 1);
        let told = x.pending != 0 && depth <= MOST_MADE;
        let made = told.then(|| Arc::new(Made { of: of.clone(), how, parent: self.parent, depth }));
        Packed { made, ..x }
    }

    /// Adds up what is pending.
    fn folded(&mut self, x: &Packed) -> Result<Packed> {
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
                How::Clear(op, clear) => self.with_clear(op, &of, clear)?,
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

    fn folded_bits(&mut self, x: Packed) -> Result<Packed> {
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

    fn folded_cells(&mut self, x: &Cells) -> Result<Cells> {
        match x {
            Cells::Encrypted(x) => self.folded(x).map(Cells::Encrypted),
            Cells::Clear(_) => Ok(x.clone()),
        }
    }

    /// How many sums along slots were asked for.
    pub fn sums_made(&self) -> usize {
        self.sums_made
    }

    /// The graph. What leads to no output is left out; of what the passes make, the cheapest is taken.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn finish(self) -> Result<Finished> {
        let PackerPasses { factors: absorbs, flatten: flattens, giant_steps: splits, .. } = self.passes;
        let (mut graph, mut clear) = (self.session.finish(), self.clear);
        let (mut multiples, mut hopes_failed) = (SortedMap::new(), false);
        if absorbs {
            let hoped: Vec<u64> = self.hoped.iter().map(|&operand| graph.first_unit(operand)).collect();
            let left;
            Scaled { graph, clear, multiples, left } = factors(&graph, &clear, self.registry)?;
            hopes_failed = hoped.iter().any(|unit| left.contains(unit));
        }
        let flat = if flattens { Some(flatten(&graph, &clear, self.registry)?) } else { None };
        let given = [Some((graph, clear)), flat];
        let mut best: Option<(f64, (Graph, Vec<ClearInput>))> = None;
        for (graph, clear) in given.iter().flatten() {
            for split in [false, true].into_iter().filter(|split| !split || splits) {
                let made = giant_steps(graph, clear, self.registry, split)?;
                let cost = cost(&made.0, made.1.len());
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, made));
                }
            }
        }
        let (cost, (graph, clear)) = best.ok_or(Error::Job("there is a graph to choose"))?;
        Ok(Finished { graph, clear, cost, multiples, hopes_failed })
    }

    /// x + y.
    ///
    /// # Errors
    /// `Job` where both are clear, as in all of these: whoever lowers leaves such to the exact interpreter. `TooLarge`.
    pub fn add(&mut self, x: &Cells, y: &Cells) -> Result<Cells> {
        match self.alike(x, y)? {
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined("packed.add", &x, &y),
            (Cells::Encrypted(x), Cells::Clear(c)) | (Cells::Clear(c), Cells::Encrypted(x)) => {
                self.with_clear("packed.add", &x, &c).map(Cells::Encrypted)
            }
            (Cells::Clear(_), Cells::Clear(_)) => Err(BOTH_CLEAR),
        }
    }

    /// x - y.
    ///
    /// # Errors
    /// As [`Packer::add`].
    pub fn sub(&mut self, x: &Cells, y: &Cells) -> Result<Cells> {
        match self.alike(x, y)? {
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined("packed.sub", &x, &y),
            (Cells::Encrypted(x), Cells::Clear(c)) => {
                self.with_clear("packed.sub", &x, &c).map(Cells::Encrypted)
            }
            (x @ Cells::Clear(_), y @ Cells::Encrypted(_)) => {
                let negative = self.negate(&y)?;
                self.add(&negative, &x)
            }
            (Cells::Clear(_), Cells::Clear(_)) => Err(BOTH_CLEAR),
        }
    }

    /// x y, cell by cell.
    ///
    /// # Errors
    /// As [`Packer::add`].
    pub fn multiply(&mut self, x: &Cells, y: &Cells) -> Result<Cells> {
        if let (Cells::Encrypted(x), Cells::Clear(Clear { source: Source::Number(number), .. }))
        | (Cells::Clear(Clear { source: Source::Number(number), .. }), Cells::Encrypted(x)) = (x, y)
        {
            return self.multiply_number(x, number.clone()).map(Cells::Encrypted);
        }
        match (&self.folded_cells(x)?, &self.folded_cells(y)?) {
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined("packed.multiply", x, y),
            (Cells::Encrypted(x), Cells::Clear(c)) | (Cells::Clear(c), Cells::Encrypted(x)) => {
                self.with_clear("packed.multiply", x, c).map(Cells::Encrypted)
            }
            (Cells::Clear(_), Cells::Clear(_)) => Err(BOTH_CLEAR),
        }
    }

    /// -x.
    ///
    /// # Errors
    /// As [`Packer::add`].
    pub fn negate(&mut self, x: &Cells) -> Result<Cells> {
        let Cells::Encrypted(x) = x else { return Err(BOTH_CLEAR) };
        self.negated(x).map(Cells::Encrypted)
    }

    fn negated(&mut self, x: &Packed) -> Result<Packed> {
        let negative = self.each(x, |packer, part| packer.op("packed.negate", Attrs::new(), &[part]))?;
        Ok(self.made(negative, x, How::Negated))
    }

    /// Two operands of a sum: what is pending alike may stay so.
    fn alike(&mut self, x: &Cells, y: &Cells) -> Result<(Cells, Cells)> {
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

    /// x times a number.
    ///
    /// # Errors
    /// What the operator says of it.
    pub fn multiply_number(&mut self, x: &Packed, number: Attr) -> Result<Packed> {
        match number {
            Attr::Int(1) => Ok(x.clone()),
            Attr::Real(one) if one.get() == 1.0 => Ok(x.clone()),
            number => {
                let attrs = Attrs::new().with("number", number.clone());
                let product =
                    self.each(x, |packer, part| packer.op("packed.multiply_number", attrs.clone(), &[part]))?;
                Ok(self.made(product, x, How::Times(number)))
            }
        }
    }

    /// x times a number, which is taken to cost no level ([`Packer::takes_factors`]): so it is, unless something else reads x in the end.
    ///
    /// # Errors
    /// As [`Packer::multiply_number`].
    pub fn hoped(&mut self, x: &Packed, number: Attr) -> Result<Packed> {
        // Of the sum, since that is what is read in the end.
        let x = self.folded(x)?;
        let product = self.multiply_number(&x, number)?;
        self.hoped.extend(product.parts.values());
        Ok(product)
    }

    /// Whether a real number that x is multiplied with can go into clear factors that it has.
    pub fn takes_factors(&self, x: &Packed) -> bool {
        let given = Given::new(self.session.graph());
        self.passes.factors && x.parts.values().all(|&part| chain(&given, given.unit(part)).is_some())
    }

    /// The entry for every cell of a table for the integers from `first` on; that for 0 is 0.
    ///
    /// # Errors
    /// `Operator` for a table that is too large.
    pub fn lookup(&mut self, x: &Packed, first: i64, values: Vec<i128>) -> Result<Packed> {
        let attrs = Attrs::new().with("first", first).with("values", Attr::Ints(values.into()));
        let x = self.folded(x)?;
        self.each(&x, |packer, part| packer.op("packed.lookup", attrs.clone(), &[part]))
    }

    /// p(x), cell by cell, but for what p(0) is: that is for the caller to add, where cells are.
    ///
    /// # Errors
    /// `Operator` for too many coefficients.
    pub fn polynomial(&mut self, x: &Packed, p: &Series) -> Result<Packed> {
        // Bounds of powers are those of sums and products, of all slots.
        let x = self.bounded(x, p.basis() == Basis::Powers)?;
        self.each(&x, |packer, part| packer.op("packed.polynomial", p.attrs(), &[part]))
    }

    /// x, in which no number is larger than that, nor further than `off` from what is meant.
    ///
    /// # Errors
    /// `Operator` for what are no such numbers.
    pub fn within(&mut self, x: &Packed, largest: f64, off: f64) -> Result<Packed> {
        let real = |value| Real::new(value).ok_or(Error::Job("bounds are finite"));
        let attrs = Attrs::new().with("largest", real(largest)?);
        let attrs = if off > 0.0 { attrs.with("off", real(off)?) } else { attrs };
        let x = self.bounded(x, false)?;
        self.each(&x, |packer, part| packer.op("packed.within", attrs.clone(), &[part]))
    }

    /// What is said of cells holds for all slots: those that hold anything are cleaned, but where `any` number will do.
    fn bounded(&mut self, x: &Packed, any: bool) -> Result<Packed> {
        let x = self.folded(x)?;
        if !any && x.layout.unclean(self.frame) { self.cleaned(&x) } else { Ok(x) }
    }

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

    fn sums(&mut self, terms: SortedMap<u64, Vec<OperandId>>) -> Result<SortedMap<u64, OperandId>> {
        terms.into_iter().map(|(part, terms)| Ok((part, self.balanced(terms)?))).collect()
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

    /// A clear operand of which the cells along a dimension differ lies where it was planned.
    fn with_clear(&mut self, op: &'static str, x: &Packed, clear: &Clear) -> Result<Packed> {
        let low = |((axis, &(size, from)), &planned): ((&Axis, &(u64, Option<usize>)), &u32)| {
            axis.low.or(from.filter(|_| size > 1).map(|_| planned))
        };
        let lows = x.layout.axes.iter().zip(&clear.axes).zip(&self.planned).map(low).collect();
        let lows = self.apart(lows, &x.layout.axes);
        if x.pending != 0 && x.layout.axes.iter().zip(&lows).any(|(axis, low)| axis.low != *low) {
            let x = self.folded(x)?;
            return self.with_clear(op, &x, clear);
        }
        let given = x;
        let mut x = self.conformed(x, &lows)?;
        // What is added to a slot that is no cell's is 0.
        let axes = x.layout.axes.iter().map(|axis| Axis { dirty: false, ..*axis }).collect();
        let layout = Layout {
            axes,
            repeated: x.layout.repeated,
            zero: x.layout.gaps(self.frame) & !x.layout.repeated,
        };
        let from: Vec<Option<usize>> = clear.axes.iter().map(|axis| axis.1).collect();
        for part in layout.parts(self.frame) {
            let slots = Slots::Cells {
                source: clear.source.clone(),
                axes: from.clone(),
                layout: layout.clone(),
                base: 0,
                part,
            };
            let vector = self.clear_vector(slots)?;
            let own = part_of(&x, part)?;
            x.parts.insert(part, self.op(op, Attrs::new(), &[own, vector])?);
        }
        if op == "packed.multiply" {
            x.layout = layout;
        }
        Ok(self.made(x, given, How::Clear(op, clear.clone())))
    }

    /// Two encrypted values, ciphertext by ciphertext.
    fn joined(&mut self, op: &str, x: &Packed, y: &Packed) -> Result<Cells> {
        let low = |((x, y), &planned): ((&Axis, &Axis), &u32)| match (x.low, y.low) {
            (Some(_), Some(low)) if low == planned => Some(low),
            (low, other) => low.or(other),
        };
        let lows = x.layout.axes.iter().zip(&y.layout.axes).zip(&self.planned).map(low).collect();
        let lows = self.apart(lows, &x.layout.axes);
        let (x, y) = (self.conformed(x, &lows)?, self.conformed(y, &lows)?);
        let product = op == "packed.multiply";
        let axis = |(x, y): (&Axis, &Axis)| Axis {
            dirty: if product { x.dirty && y.dirty } else { x.dirty || y.dirty },
            ..*x
        };
        let (a, b) = (&x.layout, &y.layout);
        let layout = Layout {
            axes: a.axes.iter().zip(&b.axes).map(axis).collect(),
            repeated: a.repeated & b.repeated,
            zero: if product { a.zero | b.zero } else { a.zero & b.zero },
        };
        let mut parts = SortedMap::new();
        for part in layout.parts(self.frame) {
            let pair = [part_of(&x, part)?, part_of(&y, part)?];
            parts.insert(part, self.op(op, Attrs::new(), &pair)?);
        }
        // Both are pending alike.
        Ok(Cells::Encrypted(Packed { layout, parts, pending: x.pending, summed: self.parent, made: None }))
    }

    /// Where dimensions lie; as it was planned where two would lie in one place.
    fn apart(&self, lows: Vec<Option<u32>>, axes: &[Axis]) -> Vec<Option<u32>> {
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
    fn conformed(&mut self, x: &Packed, lows: &[Option<u32>]) -> Result<Packed> {
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
    fn cleaned(&mut self, x: &Packed) -> Result<Packed> {
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
    fn shifted(&mut self, x: OperandId, bit: u32, back: bool) -> Result<OperandId> {
        if bit >= self.frame.ring {
            return self.op("packed.swap", Attrs::new(), &[x]);
        }
        let steps = if back { (1 << self.frame.ring) - (1 << bit) } else { 1u64 << bit };
        self.op("packed.rotate", Attrs::new().with("steps", steps), &[x])
    }

    fn balanced(&mut self, terms: Vec<OperandId>) -> Result<OperandId> {
        balanced(&mut self.session, terms)
    }

    fn each(
        &mut self,
        x: &Packed,
        mut make: impl FnMut(&mut Self, OperandId) -> Result<OperandId>,
    ) -> Result<Packed> {
        let mut parts = SortedMap::new();
        for (&part, &operand) in &x.parts {
            parts.insert(part, make(self, operand)?);
        }
        Ok(Packed { parts, ..x.clone() })
    }

    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<OperandId> {
        let found = self.session.graph().operators().len();
        if found >= MOST_OPERATORS {
            let (what, limit) = ("operators on ciphertexts", MOST_OPERATORS as u64);
            return Err(Error::TooLarge { what, found: found as u64 + 1, limit });
        }
        let key = (name.to_owned(), attrs, inputs.to_vec());
        if let Some(&known) = self.calls.get(&key).filter(|_| self.passes.dedup) {
            return Ok(known);
        }
        let operand = self.session.op(name, key.1.clone(), inputs)?;
        self.calls.insert(key, operand);
        Ok(operand)
    }

    fn clear_vector(&mut self, slots: Slots) -> Result<OperandId> {
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

    fn check(&self, cells: u64) -> Result<()> {
        if cells > MOST_CELLS {
            return Err(Error::TooLarge {
                what: "cells of a value that is packed",
                found: cells,
                limit: MOST_CELLS,
            });
        }
        Ok(())
    }
}

/// About what a graph costs, in turns: those of one vector share the half of it; each number of steps takes a key, which is made and travels once; a clear vector
/// has to be encoded, where it is not kept; an output travels and is decrypted.
fn cost(graph: &Graph, clear: usize) -> f64 {
    const KEY: f64 = 0.2;
    const OUTPUT: f64 = 1.5;
    let old = Given::new(graph);
    let (mut turned, mut keys) = (HashSet::new(), HashSet::new());
    let mut cost = 0.1 * clear as f64;
    for op in graph.operators() {
        if old.role(op) == Role::Turn {
            keys.extend(old.steps(op).ok());
        }
        cost += match old.role(op) {
            Role::Turn if turned.insert(old.inputs(op)[0]) => 1.0,
            Role::Turn => 0.5,
            Role::Product if old.clear(op, 1) => 0.12,
            Role::Product => 1.3,
            Role::Sum | Role::Linear => 0.03,
            Role::Other => 1.0,
        };
    }
    cost + KEY * keys.len() as f64 + OUTPUT * graph.outputs().len() as f64
}

/// The sum of vectors, two and two.
pub(super) fn balanced(session: &mut Session<'_>, mut terms: Vec<OperandId>) -> Result<OperandId> {
    while terms.len() > 1 {
        let mut sums = Vec::with_capacity(terms.len().div_ceil(2));
        for pair in terms.chunks(2) {
            sums.push(match *pair {
                [x, y] => session.op("packed.add", Attrs::new(), &[x, y])?,
                _ => pair[0],
            });
        }
        terms = sums;
    }
    terms.first().copied().ok_or(Error::Job("a sum has terms"))
}

const BOTH_CLEAR: Error = Error::Job("what is clear is left to the exact interpreter");

/// Each cell where it is.
fn same(place: &[u64], from: &mut Vec<u64>) {
    from.extend_from_slice(place);
}

fn part_of(x: &Packed, part: u64) -> Result<OperandId> {
    x.parts.get(&part).copied().ok_or(Error::Job("every cell lies in a ciphertext of its value"))
}

/// What the ciphertext of that number of a value is called.
pub fn part_name(name: &str, part: u64) -> String {
    format!("{name}[{part}]")
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

/// The layout of what there is once: dimensions along which it repeats have one cell.
fn once(layout: &Layout) -> Layout {
    let axis = |axis: &Axis| Axis { size: if axis.low.is_some() { axis.size } else { 1 }, ..*axis };
    Layout { axes: layout.axes.iter().map(axis).collect(), ..layout.clone() }
}

fn count(mask: &[u64]) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// A way that slots go: from one ciphertext to another, perhaps in the other ring, so many steps to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Move {
    to: u64,
    from: u64,
    swap: bool,
    steps: u64,
}

/// A number whose bits are put where these are, from the lowest on.
fn spread_bits(number: u64, bits: u64) -> u64 {
    let places = (0..64).filter(|bit| bits >> bit & 1 == 1);
    places.enumerate().filter(|(own, _)| number >> own & 1 == 1).fold(0, |all, (_, place)| all | 1 << place)
}

/// All numbers whose bits are among these.
fn subsets(bits: u64) -> Vec<u64> {
    (0..64).filter(|bit| bits >> bit & 1 == 1).fold(vec![0], |all, bit| {
        let with = all.iter().map(|subset| subset | 1 << bit).collect::<Vec<_>>();
        [all, with].concat()
    })
}
