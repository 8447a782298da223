//! What follows from a task alone: its two halves, ranges, and how the server's lies in slots of a ring.

use super::literal::{InputLiteral, Literal};
use super::onward::Ties;
use super::passes::Passes;
use super::travel::ports;
use crate::graph::{Attr, Graph, OperandId, print};
use crate::ops::Registry;
use crate::optimize::optimize;
use crate::packed::{Frame, PackerPasses, Slots, Source};
use crate::schemes::MOST_PLAIN_BITS;
use crate::sorted::SortedMap;
use crate::values::types::{Kind, Place as Where, Value};
use crate::values::{
    Cut, MOST_REAL_BITS, Packing, PackingOptions, Range, Sources, Values, balance, cut, lower, range_of,
    ranges, sources, square, turns,
};
use crate::{Error, Result};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What follows from a task alone.
#[derive(Clone)]
pub struct Halves {
    pub values: Values,
    pub registry: Registry,
    pub cut: Cut,
    /// Of the operands of the server's half.
    pub ranges: Vec<Option<Range>>,
    /// Of the inputs.
    pub given: SortedMap<String, Range>,
    /// False where reals are encrypted.
    pub exact: bool,
    /// Which passes are made.
    pub passes: Passes,
    /// Those on values, in order.
    pub made: Vec<(&'static str, ValuePass)>,
    /// To other programs.
    pub ties: Arc<Ties>,
    /// Of every output of the client's half the names of its inputs that it is made of, once somebody asked.
    sources: OnceLock<Sources>,
    /// What was packed before.
    known: Known,
}

/// Vectors of slots, by ring dimension, whether slots are integers, and whether there are to be no keys.
type Known = Arc<Mutex<SortedMap<(usize, bool, bool), Arc<Packing>>>>;

impl Halves {
    /// Of a task, in each of the ways in which passes may leave it that pay for some tasks only; the operators of both halves have those of the literal as parents.
    ///
    /// # Errors
    /// As [`Literal::assemble`], [`Values`]' rules, [`cut`] and [`Ties::check`].
    pub fn all(task: &Literal, passes: Passes, ties: Ties) -> Result<Vec<Self>> {
        let values = Values::new();
        let registry = values.registry();
        let (written, given) = task.assemble(&registry, &values)?;
        let (mut all, mut known, ties) = (Vec::new(), Vec::new(), Arc::new(ties));
        for turned in std::iter::once(false).chain(passes.turns.then_some(true)) {
            let made = value_passes(passes, turned);
            let graph =
                made.iter().try_fold(written.clone(), |graph, (_, pass)| pass(&graph, &registry, &values))?;
            let text = print(&graph);
            if !known.contains(&text) {
                known.push(text);
                let halves = Self::new(graph, given.clone(), passes, made, Arc::clone(&ties))?;
                ties.check(&halves)?;
                all.push(halves);
            }
        }
        Ok(all)
    }

    fn new(
        graph: Graph,
        given: SortedMap<String, Range>,
        passes: Passes,
        made: Vec<(&'static str, ValuePass)>,
        ties: Arc<Ties>,
    ) -> Result<Self> {
        let values = Values::new();
        let registry = values.registry();
        let mut cut = cut(&graph, &registry, &values)?;
        for half in [&mut cut.server, &mut cut.client] {
            half.map_parents(|operator| graph.operators()[operator as usize].parent);
        }
        let server = ranges(&cut.server, &registry, &values, &given)?;
        let operands = cut.server.inputs().iter().map(|port| port.operand);
        let all = operands.chain(cut.server.operators().iter().map(|op| op.output));
        let mut exact = true;
        for operand in all {
            let value = Value::of(cut.server.ty(operand))?;
            exact &= value.place != Where::Encrypted || value.kind != Kind::Real;
        }
        let (sources, known) = (OnceLock::new(), Known::default());
        Ok(Self { values, registry, cut, ranges: server, given, exact, passes, made, ties, sources, known })
    }

    /// An output of the server's as an input of another task: of its type and range.
    pub fn as_input(&self, name: &str) -> Result<Option<InputLiteral>> {
        let server = &self.cut.server;
        let Some(port) = server.outputs().iter().find(|port| port.name == name) else { return Ok(None) };
        let (min, max) = match range_of(&self.ranges, port.operand) {
            Range::Integers { min, max } => (Some(min.to_string()), Some(max.to_string())),
            Range::Reals { min, max } => (Some(min.to_string()), Some(max.to_string())),
            Range::Unknown => (None, None),
        };
        let ty = Value::of(server.ty(port.operand))?.ty()?.to_string();
        Ok(Some(InputLiteral { name: name.to_owned(), ty, min, max, digits: None }))
    }

    /// The same, with other ties.
    pub fn tied(&self, change: impl FnOnce(&mut Ties)) -> Self {
        let mut ties = Ties::clone(&self.ties);
        change(&mut ties);
        let known = if ties == *self.ties { Arc::clone(&self.known) } else { Known::default() };
        Self { ties: Arc::new(ties), known, ..self.clone() }
    }

    /// Of every output of the client's half the names of its inputs that it is made of.
    pub fn sources(&self) -> Result<&Sources> {
        if let Some(known) = self.sources.get() {
            return Ok(known);
        }
        let found = sources(&self.cut.client, &self.registry, &self.values)?;
        Ok(self.sources.get_or_init(|| found))
    }

    /// An output of the server's half as the task's author knows it: what crosses to the client's half has a name of nobody's.
    pub fn whose(&self, crossing: &str) -> String {
        let of = self.sources().map_or_else(
            |_| Vec::new(),
            |sources| {
                let made = sources.iter().filter(|(_, from)| from.contains(crossing));
                made.map(|(name, _)| name.clone()).collect()
            },
        );
        match of.as_slice() {
            [] => format!("output `{crossing}`"),
            [first] => format!("what output `{first}` is made of"),
            [first, others @ ..] => format!("what output `{first}` and {} more are made of", others.len()),
        }
    }

    /// Drops what was packed before.
    pub fn forget(&mut self) {
        self.known = Known::default();
    }

    /// The smallest product of plaintext moduli that holds all outputs; `RangeOverflow` for values of more bits, sign included, than [`MOST_PLAIN_BITS`].
    pub fn least_modulus(&self) -> Result<u128> {
        let mut least = 3u128;
        for port in self.cut.server.outputs() {
            let at = || self.whose(&port.name);
            let largest = match self.ranges.get(port.operand.0 as usize) {
                Some(Some(Range::Integers { min, max })) => min.unsigned_abs().max(max.unsigned_abs()),
                // More than ranges can be counted with.
                _ if !self.given.values().any(|range| *range == Range::Unknown) => 1 << 127,
                _ => {
                    let (found, expected) = (
                        "a range that is not known".into(),
                        "bounds for every input that it is computed of".into(),
                    );
                    return Err(Error::Task { at: at(), found, expected });
                }
            };
            if largest >= 1 << (MOST_PLAIN_BITS - 1) {
                return Err(Error::RangeOverflow {
                    at: at(),
                    found: 129 - largest.leading_zeros(),
                    limit: MOST_PLAIN_BITS,
                });
            }
            least = least.max(2 * largest + 1);
        }
        Ok(least)
    }

    /// The server's half in vectors of slots: of early and late sums the cheaper one. Where there are to be no keys, results share no ciphertexts, which takes turns.
    pub fn packing(&self, n: usize, keyless: bool) -> Result<Arc<Packing>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let keyless = keyless && self.passes.open_results;
        if let Some(packing) = known().get(&(n, self.exact, keyless)) {
            return Ok(Arc::clone(packing));
        }
        let packing = if keyless {
            let shared = self.packing(n, false)?;
            if shared.outputs.iter().all(|value| value.with.is_empty()) {
                shared
            } else {
                Arc::new(self.packed(n, false)?)
            }
        } else {
            Arc::new(self.packed(n, true)?)
        };
        known().insert((n, self.exact, keyless), Arc::clone(&packing));
        Ok(packing)
    }

    fn packed(&self, n: usize, share: bool) -> Result<Packing> {
        let (frame, exact) = (frame(n, self.exact), self.exact);
        let places = &self.ties.places(frame)?;
        let Passes { dedup, factors, flatten, giant_steps, extract, .. } = self.passes;
        let lowered = |late_sums| {
            let passes = PackerPasses { dedup, factors, flatten, giant_steps, late_sums, extract, share };
            let lowered = |hopes| {
                let options = PackingOptions { frame, exact, passes, hopes, places };
                lower(&self.cut.server, &self.registry, &self.values, &self.ranges, &options)
            };
            let packing = lowered(true)?;
            if packing.hopes_failed { lowered(false) } else { Ok(packing) }
        };
        let early = lowered(false)?;
        if !self.passes.late_sums || early.sums < 2 {
            return Ok(early);
        }
        let late = lowered(true)?;
        Ok(if late.cost < early.cost { late } else { early })
    }

    /// log2 of the largest number in slots of every input of the packed graph; `Task` where it is not known, `RangeOverflow` beyond
    /// [`MOST_REAL_BITS`].
    pub fn largest(&self, packing: &Packing, frame: Frame) -> Result<SortedMap<String, f64>> {
        let mut all = SortedMap::new();
        let known = |at: String, hint: &str, log: Option<f64>| match log {
            None => {
                let (found, expected) = (
                    format!("a range that is not known{hint}"),
                    "bounds: precision follows from them".into(),
                );
                Err(Error::Task { at, found, expected })
            }
            Some(log) if log > f64::from(MOST_REAL_BITS) => {
                Err(Error::RangeOverflow { at, found: log.ceil() as u32, limit: MOST_REAL_BITS })
            }
            Some(log) => Ok(log),
        };
        for value in &packing.inputs {
            let range = self.given.get(&value.name).copied().unwrap_or(Range::Unknown);
            let at = format!("input `{}`", value.name);
            let log = known(at, "", log2_of(range.in_units(value.value.decimals)))?;
            let cells = value.layout.parts(frame).len();
            for (number, port) in ports(value, frame).into_iter().enumerate() {
                // Which cells are there is 0 or 1.
                all.insert(port, if number < cells { log } else { 0.0 });
            }
        }
        let mut clear = SortedMap::new();
        for (operand, range) in self.ranges.iter().enumerate() {
            let operand = OperandId(operand as u32);
            if let (Some(range), Some(piece)) = (range, self.cut.server.pieces(operand).first())
                && let Ok(value) = Value::of(self.cut.server.ty(operand))
            {
                clear.insert(piece.start, range.in_units(value.decimals));
            }
        }
        for vector in &packing.vectors {
            let log = match &vector.slots {
                Slots::Mask(_) => Some(0.0),
                Slots::Cells { source: Source::Number(number), .. } => {
                    let size = match number {
                        Attr::Int(number) => *number as f64,
                        Attr::Real(number) => number.get(),
                        _ => f64::INFINITY,
                    };
                    Some(libm::log2(size.abs()))
                }
                Slots::Cells { source: Source::Value(unit), .. } => {
                    clear.get(unit).copied().and_then(log2_of)
                }
            };
            let times = match &vector.times {
                Attr::Int(times) => libm::log2(times.unsigned_abs() as f64),
                Attr::Real(times) => libm::log2(times.get().abs()),
                _ => f64::INFINITY,
            };
            let at = "a plain value that meets encrypted ones".to_owned();
            let log = known(at, ", such as a quotient's whose divisor may be 0", log.map(|log| times + log))?;
            all.insert(vector.name.clone(), log);
        }
        Ok(all)
    }
}

/// Makes a graph of a graph that means the same.
pub type ValuePass = fn(&Graph, &Registry, &Values) -> Result<Graph>;

/// The passes on values that are made, in order; `turned`: also the one that pays for some tasks only.
fn value_passes(passes: Passes, turned: bool) -> Vec<(&'static str, ValuePass)> {
    let all: [(_, _, ValuePass); 3] =
        [("turns", turned, turns), ("balance", passes.balance, balance), ("square", passes.square, square)];
    // Each leaves operators that nobody reads, and equal ones.
    let tidy: Option<(_, ValuePass)> =
        passes.dedup.then_some(("dedup", |graph, registry, _| optimize(graph, registry)));
    let mut list = Vec::from_iter(tidy);
    for (name, _, pass) in all.into_iter().filter(|pass| pass.1) {
        list.push((name, pass));
        list.extend(tidy);
    }
    list
}

/// The way that is the cheapest in rings of that dimension, with keys or without, and its vectors of slots: the first of equal ones.
pub fn cheapest(all: &[Halves], n: usize, keyless: bool) -> Result<(usize, Arc<Packing>)> {
    let mut best: Option<(usize, Arc<Packing>)> = None;
    for (index, halves) in all.iter().enumerate() {
        let packing = halves.packing(n, keyless)?;
        if best.as_ref().is_none_or(|(_, best)| packing.cost < best.cost) {
            best = Some((index, packing));
        }
    }
    best.ok_or(Error::Job("there is a way to compute a task"))
}

/// Slots of a ring of that dimension.
pub fn frame(n: usize, exact: bool) -> Frame {
    Frame { ring: (n / 2).ilog2(), rings: u32::from(exact) }
}

pub fn log2_of(range: Range) -> Option<f64> {
    let largest = match range {
        Range::Integers { min, max } => min.unsigned_abs().max(max.unsigned_abs()) as f64,
        Range::Reals { min, max } => min.abs().max(max.abs()),
        Range::Unknown => return None,
    };
    // Rounded up.
    Some(libm::log2(largest) + 1e-9)
}
