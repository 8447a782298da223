//! Makes graphs of slot vectors of operations on whole values.

mod clear;
mod late_sums;
mod moves;
mod outputs;

pub use clear::{Clear, ClearInput, Slots, Source};
pub use outputs::Output;

use super::factors::{Scaled, chain, factors};
use super::flatten::flatten;
use super::giant_steps::giant_steps;
use super::layout::{Axis, Frame, Layout};
use super::ops::Role;
use super::rebuild::Given;
use super::series::{Basis, Series};
use super::types::SlotVector;
use crate::graph::{Attr, Attrs, Graph, OperandId, Real};
use crate::ops::{Registry, Session};
use crate::sorted::SortedMap;
use crate::{Error, Result};
use late_sums::{How, Made};
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

impl Packed {
    fn new(layout: Layout, parts: SortedMap<u64, OperandId>) -> Self {
        Self { layout, parts, pending: 0, summed: u32::MAX, made: None }
    }
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

/// What is made of two values, slot by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Add,
    Sub,
    Multiply,
}

impl Pair {
    fn op(self) -> &'static str {
        match self {
            Self::Add => "packed.add",
            Self::Sub => "packed.sub",
            Self::Multiply => "packed.multiply",
        }
    }
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
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined(Pair::Add, &x, &y),
            (Cells::Encrypted(x), Cells::Clear(c)) | (Cells::Clear(c), Cells::Encrypted(x)) => {
                self.with_clear(Pair::Add, &x, &c).map(Cells::Encrypted)
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
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined(Pair::Sub, &x, &y),
            (Cells::Encrypted(x), Cells::Clear(c)) => {
                self.with_clear(Pair::Sub, &x, &c).map(Cells::Encrypted)
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
            (Cells::Encrypted(x), Cells::Encrypted(y)) => self.joined(Pair::Multiply, x, y),
            (Cells::Encrypted(x), Cells::Clear(c)) | (Cells::Clear(c), Cells::Encrypted(x)) => {
                self.with_clear(Pair::Multiply, x, c).map(Cells::Encrypted)
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

    /// A clear operand of which the cells along a dimension differ lies where it was planned.
    fn with_clear(&mut self, pair: Pair, x: &Packed, clear: &Clear) -> Result<Packed> {
        let low = |((axis, &(size, from)), &planned): ((&Axis, &(u64, Option<usize>)), &u32)| {
            axis.low.or(from.filter(|_| size > 1).map(|_| planned))
        };
        let lows = x.layout.axes.iter().zip(&clear.axes).zip(&self.planned).map(low).collect();
        let lows = self.apart(lows, &x.layout.axes);
        if x.pending != 0 && x.layout.axes.iter().zip(&lows).any(|(axis, low)| axis.low != *low) {
            let x = self.folded(x)?;
            return self.with_clear(pair, &x, clear);
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
            x.parts.insert(part, self.op(pair.op(), Attrs::new(), &[own, vector])?);
        }
        if pair == Pair::Multiply {
            x.layout = layout;
        }
        Ok(self.made(x, given, How::Clear(pair, clear.clone())))
    }

    /// Two encrypted values, ciphertext by ciphertext.
    fn joined(&mut self, pair: Pair, x: &Packed, y: &Packed) -> Result<Cells> {
        let low = |((x, y), &planned): ((&Axis, &Axis), &u32)| match (x.low, y.low) {
            (Some(_), Some(low)) if low == planned => Some(low),
            (low, other) => low.or(other),
        };
        let lows = x.layout.axes.iter().zip(&y.layout.axes).zip(&self.planned).map(low).collect();
        let lows = self.apart(lows, &x.layout.axes);
        let (x, y) = (self.conformed(x, &lows)?, self.conformed(y, &lows)?);
        let product = pair == Pair::Multiply;
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
            let both = [part_of(&x, part)?, part_of(&y, part)?];
            parts.insert(part, self.op(pair.op(), Attrs::new(), &both)?);
        }
        // Both are pending alike.
        Ok(Cells::Encrypted(Packed { layout, parts, pending: x.pending, summed: self.parent, made: None }))
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

fn part_of(x: &Packed, part: u64) -> Result<OperandId> {
    x.parts.get(&part).copied().ok_or(Error::Job("every cell lies in a ciphertext of its value"))
}

/// What the ciphertext of that number of a value is called.
pub fn part_name(name: &str, part: u64) -> String {
    format!("{name}[{part}]")
}
