//! The exact interpreter: what a task means, cell by cell, in rational numbers.
//!
//! Sums, products and quotients are exact; a square root is the nearest binary64 of the exact one's operand. How much it takes is
//! found before it starts: every operator says how many bits its result may have ([`ValueDef::bits`]).

use super::near::{self, Near};
use super::number::{Bits, Number};
use super::types::{Kind, Value};
use super::walk::{Rule, Walk, Walked};
use super::{ValueDef, Values};
use crate::graph::{Graph, OperandId};
use crate::memory::room;
use crate::ops::{Call, Registry};
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::cell::Cell;
use std::sync::Arc;

/// Most bits of a number, numerator and denominator together.
pub const MOST_BITS: u32 = 1 << 13;

/// Most work of a run: for each cell of every value the square of its number of words, each of 128 bits. A cell without
/// fraction below 2^127 takes 32 bytes.
pub const MOST_WORK: u64 = 1 << 26;

/// The cells of a value: of integers in units of 10^-decimals, booleans 0 or 1, dates as days, categories as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// One after the other, the first dimension outermost; 0 where one is missing.
    pub cells: Vec<Number>,
    /// Which cells are there; none where all are.
    pub present: Option<Vec<bool>>,
}

impl Drop for Exact {
    /// Cells may be somebody's secret: they are overwritten.
    fn drop(&mut self) {
        self.cells.iter_mut().for_each(Number::overwrite);
    }
}

impl Exact {
    /// Complete cells.
    pub fn new(cells: Vec<Number>) -> Self {
        Self { cells, present: None }
    }

    /// Complete cells, integers.
    pub fn integers(cells: impl IntoIterator<Item = i128>) -> Self {
        Self::new(cells.into_iter().map(Number::from).collect())
    }

    /// Cells of which those are there that the flags say.
    pub fn masked(mut cells: Vec<Number>, present: Vec<bool>) -> Self {
        let absent = cells.iter_mut().zip(&present).filter(|(_, is)| !**is);
        absent.for_each(|(cell, _)| {
            cell.overwrite();
            *cell = Number::ZERO;
        });
        Self { cells, present: Some(present) }
    }

    /// Cells that may be missing.
    pub fn with_missing(cells: impl IntoIterator<Item = Option<Number>>) -> Self {
        let cells: Vec<Option<Number>> = cells.into_iter().collect();
        let present = cells.iter().map(Option::is_some).collect();
        Self {
            cells: cells.into_iter().map(|cell| cell.unwrap_or(Number::ZERO)).collect(),
            present: Some(present),
        }
    }

    /// True when all cells are of that kind.
    pub(super) fn cells_fit(&self, kind: Kind) -> bool {
        self.cells.iter().all(|cell| match kind {
            Kind::Real => true,
            Kind::Integer | Kind::Date => cell.is_integer(),
            Kind::Boolean => matches!(cell.small(), Some(0 | 1)),
            Kind::Category { categories } => {
                cell.small().is_some_and(|cell| (0..i128::from(categories)).contains(&cell))
            }
        })
    }

    /// True when the cells are those of such a value.
    pub fn fits(&self, value: &Value) -> bool {
        let absent_are_0 = |present: &Vec<bool>| {
            let cells = || present.iter().zip(&self.cells);
            present.len() == self.cells.len() && cells().all(|(&is, cell)| is || *cell == Number::ZERO)
        };
        self.cells.len() as u64 == value.cells()
            && value.missing == self.present.is_some()
            && self.present.iter().all(absent_are_0)
            && self.cells_fit(value.kind)
    }
}

/// How many bits the cells of every value may have.
struct Size<'a> {
    inputs: &'a SortedMap<String, Exact>,
    work: Cell<u64>,
}

impl Size<'_> {
    fn checked(&self, value: &Value, bits: Bits) -> Result<Bits> {
        if bits.total() > MOST_BITS {
            let (what, limit) = ("bits of an exact number", u64::from(MOST_BITS));
            return Err(Error::TooLarge { what, found: u64::from(bits.total()), limit });
        }
        let words = u64::from(bits.total().div_ceil(128).max(1));
        let work = value.cells().saturating_mul(words * words).saturating_add(self.work.get());
        if work > MOST_WORK {
            return Err(Error::TooLarge { what: "steps of exact arithmetic", found: work, limit: MOST_WORK });
        }
        self.work.set(work);
        Ok(bits)
    }
}

impl Rule for Size<'_> {
    type State = Bits;

    fn given(&self, name: &str, value: &Value) -> Result<Bits> {
        let given = self.inputs.get(name).ok_or_else(|| Error::MissingInput { name: name.to_owned() })?;
        if !given.fits(value) {
            let (at, found) = (format!("input `{name}`"), format!("{} cells", given.cells.len()));
            return Err(Error::Task { at, found, expected: format!("{} cells of {value}", value.cells()) });
        }
        // What is too large is too large to look for what it has in common.
        let bits = self.checked(value, Bits::of(&given.cells))?;
        Ok(bits.in_common(&given.cells, MOST_BITS))
    }

    fn of(
        &self,
        def: &dyn ValueDef,
        call: &Call<'_>,
        output: &Value,
        inputs: &[(&Bits, u32)],
    ) -> Result<Bits> {
        let inputs: Vec<Bits> = inputs.iter().map(|(bits, _)| **bits).collect();
        self.checked(output, def.bits(call, &inputs)?)
    }
}

/// The cells of every value, or why it has none.
struct Cells<'a> {
    size: Size<'a>,
    /// By how much the cells of inputs may be off, where they may.
    off: &'a SortedMap<String, f64>,
    /// Whether a value without cells ends the work.
    strict: bool,
}

/// The cells of a value and how many bits they may have, or why it has none.
type Known = std::result::Result<(Arc<Near>, Bits), Arc<Error>>;

impl Cells<'_> {
    /// The same, where a value that has none need not end the work.
    fn known(&self, made: Result<(Arc<Near>, Bits)>) -> Result<Known> {
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(why @ (Error::Operator { .. } | Error::TooLarge { .. })) if !self.strict => {
                Ok(Err(Arc::new(why)))
            }
            Err(error) => Err(error),
        }
    }
}

impl Rule for Cells<'_> {
    type State = Known;

    fn given(&self, name: &str, value: &Value) -> Result<Known> {
        let given =
            self.size.inputs.get(name).ok_or_else(|| Error::MissingInput { name: name.to_owned() })?;
        let off = self.off.get(name).copied().unwrap_or(0.0);
        let near = |bits| (Arc::new(Near::within(given.clone(), off)), bits);
        self.known(self.size.given(name, value).map(near))
    }

    fn of(
        &self,
        def: &dyn ValueDef,
        call: &Call<'_>,
        output: &Value,
        inputs: &[(&Known, u32)],
    ) -> Result<Known> {
        let (mut cells, mut bits) = (Vec::with_capacity(inputs.len()), Vec::with_capacity(inputs.len()));
        for (known, source) in inputs {
            match known {
                Ok((near, own)) => {
                    cells.push(&**near);
                    bits.push((own, *source));
                }
                Err(why) => return Ok(Err(Arc::clone(why))),
            }
        }
        let bits = self.size.of(def, call, output, &bits);
        let made =
            self.known(bits.and_then(|bits| Ok((Arc::new(near::computed(def, call, &cells)?), bits))))?;
        match &made {
            Ok((near, _)) if !near.cells.fits(output) => {
                Err(call.error("cells that its exact rule gives", near.cells.cells.len(), output))
            }
            _ => Ok(made),
        }
    }
}

/// The cells of all operands of a task graph, and of its outputs.
pub struct Interpreted {
    outputs: Vec<(String, OperandId)>,
    all: Vec<Option<Known>>,
}

impl Interpreted {
    /// The cells of an operand; none for what is no value, or has none.
    pub fn of(&self, operand: OperandId) -> Option<&Exact> {
        Some(&self.near(operand)?.cells)
    }

    fn near(&self, operand: OperandId) -> Option<&Near> {
        self.all.get(operand.0 as usize)?.as_ref()?.as_ref().ok().map(|(near, _)| &**near)
    }

    /// The declared outputs by name, but for those that have no value.
    pub fn outputs(&self) -> SortedMap<String, Exact> {
        let exact = |(name, operand): &(String, OperandId)| Some((name.clone(), self.of(*operand)?.clone()));
        self.outputs.iter().filter_map(exact).collect()
    }

    /// By how much declared outputs may be off, by name: the most of each one's cells; infinite where that is not known.
    pub fn off(&self) -> SortedMap<String, f64> {
        let off = |(name, operand): &(String, OperandId)| Some((name.clone(), self.near(*operand)?.most()));
        self.outputs.iter().filter_map(off).collect()
    }

    /// Why declared outputs have no value, by name: the operator that has none.
    pub fn undefined(&self) -> SortedMap<String, Arc<Error>> {
        let why = |(name, operand): &(String, OperandId)| {
            let known = self.all.get(operand.0 as usize)?.as_ref()?;
            Some((name.clone(), Arc::clone(known.as_ref().err()?)))
        };
        self.outputs.iter().filter_map(why).collect()
    }
}

/// How many bits the cells of every operand may have, by operand number; none for what is no value. What [`interpret`] finds
/// before it starts.
///
/// # Errors
/// As [`interpret`], but for what only the cells tell.
pub fn bits(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    inputs: &SortedMap<String, Exact>,
) -> Result<Vec<Option<Bits>>> {
    sizes(&Walked::new(graph, registry)?, values, inputs)
}

fn sizes(walked: &Walked, values: &Values, inputs: &SortedMap<String, Exact>) -> Result<Vec<Option<Bits>>> {
    Walk::new(values, Size { inputs, work: Cell::new(0) }).run_in(walked)
}

/// What a task graph of primitive operators computes of these inputs.
///
/// # Errors
/// `UnknownOperator`; `Operator` for an operator that is not primitive, for one that does not take its operands, and for a
/// division by 0 and a root of a number below 0; `MissingInput`; `Task` for cells that are not the input's; `TooLarge`, found before it
/// starts, beyond [`MOST_BITS`] and [`MOST_WORK`]; `OutOfMemory`; `OverlappingOutputs`, `Cycle`; `Cancelled`.
pub fn interpret(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    inputs: &SortedMap<String, Exact>,
) -> Result<Interpreted> {
    computed(graph, registry, values, (inputs, &SortedMap::new()), true)
}

/// The same, where operators may have no value for their operands, such as a quotient by 0, or one of too many bits: what is not made of these is computed all the same. The cells of
/// the inputs that `off` names may be off, by so much.
///
/// # Errors
/// As [`interpret`], but for operators that have no value.
pub fn interpret_defined(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    inputs: &SortedMap<String, Exact>,
    off: &SortedMap<String, f64>,
) -> Result<Interpreted> {
    computed(graph, registry, values, (inputs, off), false)
}

fn computed(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    (inputs, off): (&SortedMap<String, Exact>, &SortedMap<String, f64>),
    strict: bool,
) -> Result<Interpreted> {
    let walked = Walked::new(graph, registry)?;
    if strict {
        sizes(&walked, values, inputs)?;
    }
    let size = Size { inputs, work: Cell::new(0) };
    let all = Walk::new(values, Cells { size, off, strict }).run_in(&walked)?;
    let outputs = graph.outputs().iter().map(|port| (port.name.clone(), port.operand)).collect();
    Ok(Interpreted { outputs, all })
}

/// `count` cells, made one by one.
///
/// # Errors
/// `OutOfMemory`; what `cell` says.
pub fn cells(count: u64, mut cell: impl FnMut(usize) -> Result<Number>) -> Result<Exact> {
    let mut cells = room(usize::try_from(count).unwrap_or(usize::MAX))?;
    for index in 0..count as usize {
        cells.push(cell(index)?);
    }
    Ok(Exact::new(cells))
}
