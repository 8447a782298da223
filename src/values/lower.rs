//! From a task to vectors of slots: every encrypted value gets a layout, every operator says what it is on ciphertexts. What is computed of
//! clear values alone stays a task, for the exact interpreter.

use super::chebyshev::{Interval, to_powers};
use super::number::Number;
use super::part::Part;
use super::plan::plan;
use super::range::Range;
use super::types::{Kind, Place, Value, ValueCall};
use super::walk::check_values;
use super::{Axes, ValueDef, Values};
use crate::analyze::{Facts, topological_order};
use crate::graph::{Attr, Graph, OperandId, Real};
use crate::ops::{Call, Registry};
use crate::packed::{
    Axis, Basis, Cells, Clear, ClearInput, Finished, Frame, Layout, Output, Packed, Packer, PackerPasses,
    Series, Slots, Source, chebyshev, extremes,
};
use crate::sorted::{SortedMap, SortedSet};
use crate::watch::Steps;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Up to this degree powers of reals are as good as Chebyshev polynomials, and need no operand between -1 and 1.
const MOST_POWERS: usize = 3;

/// Most bits of a real that is given, plain or a constant: its product with a scale is a binary64, also where a few such meet.
pub const MOST_REAL_BITS: u32 = 700;

/// A value, in ciphertexts or clear.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Its cells, 0 where one is missing.
    pub cells: Cells,
    /// Which cells are there, as 0 and 1; none where all are.
    pub present: Option<Cells>,
    /// Between which numbers cells lie.
    pub range: Range,
}

impl Lowered {
    /// True for one number in every cell.
    pub fn is_number(&self) -> bool {
        matches!(&self.cells, Cells::Clear(Clear { source: Source::Number(_), .. }))
    }

    /// True where nothing of it is encrypted.
    pub fn is_clear(&self) -> bool {
        matches!(self.cells, Cells::Clear(_))
    }
}

/// What operators lower into.
pub struct Lowering<'r> {
    /// Makes the graph.
    pub packer: Packer<'r>,
    /// True for schemes of integers, in whose slots cells are as they are; others hold the numbers that these stand for.
    pub exact: bool,
    /// As [`PackingOptions::hopes`].
    hopes: bool,
    /// Where dimensions of the result are planned to lie.
    planned: Vec<u32>,
}

impl Lowering<'_> {
    /// A number in every cell of such a value.
    ///
    /// # Errors
    /// `Task` for a number that is no integer, where only such can be.
    pub fn number(&self, number: &Number, value: &Value) -> Result<Cells> {
        let source = Source::Number(self.attr(number, value.decimals)?);
        Ok(Cells::Clear(Clear { source, axes: value.shape.iter().map(|&size| (size, None)).collect() }))
    }

    fn attr(&self, number: &Number, decimals: u32) -> Result<Attr> {
        let number =
            if self.exact { Some(number.clone()) } else { number.quotient(&Number::power_of_ten(decimals)) };
        let most = libm::exp2(MOST_REAL_BITS.into());
        let real = |number: &Number| {
            let number = number.to_f64();
            if self.exact || number.abs() > most { None } else { Real::new(number) }
        };
        let integer =
            |number: &Number| number.small().filter(|small| self.exact || small.unsigned_abs() <= 1 << 20);
        let attr = number
            .as_ref()
            .and_then(|number| integer(number).map(Attr::Int).or_else(|| real(number).map(Attr::Real)));
        attr.ok_or_else(|| Error::Task {
            at: "a constant".into(),
            found: number.map_or("no number".into(), |number| format!("{:e}", number.to_f64())),
            expected: format!("an integer of 127 bits, or a real of at most {MOST_REAL_BITS} bits"),
        })
    }

    /// p(u) where u is what x is of the interval, from -1 to 1; p in Chebyshev polynomials, `off` by so much. `value` is what comes of it.
    ///
    /// # Errors
    /// `Task` for numbers that are not finite; `TooLarge`.
    pub fn chebyshev(
        &mut self,
        x: &Packed,
        interval: Interval,
        p: &[f64],
        off: f64,
        value: &Value,
    ) -> Result<Cells> {
        let real = |number: f64| Number::from_f64(number).unwrap_or(Number::ZERO);
        let (half, middle) = interval.half();
        // Powers of what is larger than 1 are less precise.
        let low = p.len() <= MOST_POWERS + 1;
        let hopes = low && self.hopes && p.len() > 2 && half > 1.0 && self.packer.takes_factors(x);
        if low && !hopes {
            let powers = to_powers(p, interval);
            let at_zero = powers[0];
            let found = self.packer.polynomial(x, &Series::Reals(Basis::Powers, powers))?;
            return self.bounded(&found, p, at_zero, off, value);
        }
        let series = Series::Reals(Basis::Chebyshev, p.to_vec());
        if let Some((a, b)) = series.odd_cubic().filter(|_| hopes && middle == 0.0) {
            // With y = k x, k^3 = a, it is y^3 + b/k y: a product with a number less.
            let k = libm::cbrt(a);
            let by = Real::new(k / half).ok_or(Error::Job("an interval has a length"))?;
            let y = self.packer.hoped(x, Attr::Real(by))?;
            let y = self.packer.within(&y, k.abs(), 0.0)?;
            let cubic = Series::Reals(Basis::Powers, vec![0.0, b / k, 0.0, 1.0]);
            let found = self.packer.polynomial(&y, &cubic)?;
            return self.bounded(&found, p, chebyshev(p, 0.0), off, value);
        }
        let mut u = x.clone();
        if interval != (Interval { min: -1.0, max: 1.0 }) {
            let by = Real::new(1.0 / half).ok_or(Error::Job("an interval has a length"))?;
            let (packer, by) = (&mut self.packer, Attr::Real(by));
            u = if hopes { packer.hoped(&u, by)? } else { packer.multiply_number(&u, by)? };
            if middle != 0.0 {
                let shift = self.number(&real(-middle / half), value)?;
                u = self.encrypted_sum(&u, &shift)?;
            }
        }
        let u = self.packer.within(&u, 1.0, 0.0)?;
        let found = self.packer.polynomial(&u, &series)?;
        self.bounded(&found, p, chebyshev(p, 0.0), off, value)
    }

    /// What was computed but for what it is of slots that are 0, of which the extremes of the polynomial bound the rest.
    fn bounded(&mut self, found: &Packed, p: &[f64], at_zero: f64, off: f64, value: &Value) -> Result<Cells> {
        let real = |number: f64| Number::from_f64(number).unwrap_or(Number::ZERO);
        let (low, high) = extremes(p).unwrap_or((f64::NAN, f64::NAN));
        let largest = (low - at_zero).abs().max((high - at_zero).abs()).max(f64::MIN_POSITIVE);
        let found = self.packer.within(found, largest, off)?;
        if at_zero == 0.0 {
            return Ok(Cells::Encrypted(found));
        }
        let at_zero = self.number(&real(at_zero), value)?;
        self.packer.add(&Cells::Encrypted(found), &at_zero)
    }

    fn encrypted_sum(&mut self, x: &Packed, y: &Cells) -> Result<Packed> {
        match self.packer.add(&Cells::Encrypted(x.clone()), y)? {
            Cells::Encrypted(sum) => Ok(sum),
            Cells::Clear(_) => Err(Error::Job("a sum with what is encrypted is encrypted")),
        }
    }

    /// The ciphertexts of an operand.
    ///
    /// # Errors
    /// `Job` where there are none.
    pub fn encrypted<'x>(&self, x: &'x Lowered) -> Result<&'x Packed> {
        match &x.cells {
            Cells::Encrypted(x) => Ok(x),
            Cells::Clear(_) => Err(Error::Job("what is clear is left to the exact interpreter")),
        }
    }

    /// Cells from other places, laid where they are planned: `from` adds to a list for each place of the result where in x it lies.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn moved(
        &mut self,
        x: &Packed,
        shape: &[u64],
        from: impl Fn(&[u64], &mut Vec<u64>),
    ) -> Result<Packed> {
        let lows = self.lows(shape);
        self.packer.moved(x, shape, &lows, from)
    }

    /// Values one after the other along a dimension, laid where that is planned.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn concat(&mut self, all: &[Lowered], axis: usize, shape: &[u64]) -> Result<Packed> {
        let lows = self.lows(shape);
        let all: Vec<&Cells> = all.iter().map(|x| &x.cells).collect();
        self.packer.concat(&all, axis, shape, &lows)
    }

    fn lows(&self, shape: &[u64]) -> Vec<Option<u32>> {
        shape.iter().zip(&self.planned).map(|(&size, &low)| (size > 1).then_some(low)).collect()
    }
}

/// How a task is lowered.
#[derive(Clone, Copy, Debug)]
pub struct PackingOptions<'a> {
    /// The slots of a ciphertext.
    pub frame: Frame,
    /// For schemes of integers.
    pub exact: bool,
    /// What the packer may do.
    pub passes: PackerPasses,
    /// Whether polynomials of a low degree, too, are brought to [-1, 1], where that is taken to cost no level.
    pub hopes: bool,
    /// What is not to be chosen.
    pub places: &'a Places,
}

/// Where values lie that other tasks have, too, by name.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Encrypted inputs. A layout of another shape is of another value; an input that has none lies as all those of its shape do, if these lie alike: under another
    /// name it may be given what was encrypted for one of them.
    pub layouts: SortedMap<String, Layout>,
    /// Encrypted inputs that are results of other tasks: these and no others are given for them.
    pub results: SortedMap<String, Layout>,
    /// Outputs that have ciphertexts of their own: other tasks take them.
    pub kept: SortedSet<String>,
}

impl Places {
    /// The layout that an input was given.
    pub(super) fn given(&self, name: &str, value: &Value) -> Option<&Layout> {
        let fits = |layout: &&Layout| value.place == Place::Encrypted && layout.shape() == value.shape;
        let mut all = self.layouts.values().filter(fits);
        let any = all.next();
        let own = self.results.get(name).or_else(|| self.layouts.get(name)).filter(fits);
        own.or_else(|| any.filter(|any| all.all(|other| other == *any)))
    }
}

/// A value that goes into the graph of slot vectors, or comes out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedValue {
    /// Its name; that of its ciphertexts follows from it (`packed::part_name`).
    pub name: String,
    /// What it is.
    pub value: Value,
    /// Where its cells lie.
    pub layout: Layout,
    /// What is added to the numbers of its cells' slots.
    pub base: u64,
    /// Where it has missing cells: where it lies which are there, in ciphertexts of [`PackedValue::present_name`].
    pub present: Option<Layout>,
    /// Other values in the same ciphertexts.
    pub with: Vec<PackedValue>,
}

impl PackedValue {
    /// What the ciphertexts are called that say which cells are there.
    pub fn present_name(&self) -> String {
        present(&self.name)
    }

    /// It and the others in its ciphertexts.
    pub fn all(&self) -> impl Iterator<Item = &PackedValue> {
        std::iter::once(self).chain(&self.with)
    }
}

fn present(name: &str) -> String {
    format!("{name} present")
}

/// A task as vectors of slots.
#[derive(Clone)]
pub struct Packing {
    /// The graph of slot vectors.
    pub graph: Graph,
    /// What its inputs hold that are not encrypted; the numbers of [`Source::Value`] are names of outputs of `clear`.
    pub vectors: Vec<ClearInput>,
    /// The encrypted inputs.
    pub inputs: Vec<PackedValue>,
    /// The encrypted outputs.
    pub outputs: Vec<PackedValue>,
    /// The part of the task that is computed of clear inputs alone.
    pub clear: Graph,
    /// About what it costs, in turns.
    pub cost: f64,
    /// How many sums go along slots.
    pub sums: usize,
    /// Of the operators of which the graph makes a multiple, by which number that is.
    pub multiples: SortedMap<u32, f64>,
    /// Whether a number costs a level that was taken to cost none.
    pub hopes_failed: bool,
    /// The part that is computed of nothing at all: its outputs are the same in every run. No output of `clear` is one of these.
    pub fixed: Graph,
}

impl Packing {
    /// The names of `vectors` that hold what an evaluator is given, and not what the task says itself.
    pub fn given(&self) -> SortedSet<String> {
        let names: SortedSet<&str> = self.clear.outputs().iter().map(|port| port.name.as_str()).collect();
        let given = |vector: &&ClearInput| match &vector.slots {
            Slots::Cells { source: Source::Value(unit), .. } => names.contains(clear_name(*unit).as_str()),
            _ => false,
        };
        self.vectors.iter().filter(given).map(|vector| vector.name.clone()).collect()
    }
}

/// Lowers the server's half of a task ([`super::cut`]) to ciphertexts. `ranges` are those of its operands.
///
/// # Errors
/// As [`check_values`]; `Operator` for an operator that no scheme computes of encrypted operands; `Task` for an output that is the server's own; `TooLarge`.
pub fn lower(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    ranges: &[Option<Range>],
    options: &PackingOptions<'_>,
) -> Result<Packing> {
    let &PackingOptions { frame, exact, passes, hopes, .. } = options;
    check_values(graph, registry, values)?;
    let order = topological_order(graph, &Facts::new(graph)?.dependencies)?;
    let lows = plan(graph, &order, registry, values, options)?;
    let packed = crate::packed::registry();
    let mut lowering =
        Lowering { packer: Packer::new(frame, &packed, passes), exact, hopes, planned: Vec::new() };
    let unit = |operand| graph.first_unit(operand);
    let mut known: HashMap<u64, Lowered> = HashMap::new();
    let mut writers: HashMap<u64, u32> = HashMap::new();
    let mut inputs = Vec::new();
    for port in graph.inputs() {
        let value = Value::of(graph.ty(port.operand))?;
        let lowered = if value.place == Place::Encrypted {
            let axis =
                |(&size, &low): (&u64, &u32)| Axis { size, low: (size > 1).then_some(low), dirty: false };
            let mut layout =
                Layout::fresh(value.shape.iter().zip(&lows[&unit(port.operand)]).map(axis).collect(), frame);
            if let Some(given) = options.places.given(&port.name, &value) {
                layout.clone_from(given);
            } else if passes.late_sums {
                // Sums are then laid side by side.
                (layout.zero, layout.repeated) = (layout.repeated, 0);
            }
            let cells = Cells::Encrypted(lowering.packer.input(&port.name, layout.clone())?);
            let gaps = value.missing.then(|| layout.clone());
            let flags =
                gaps.clone().map(|layout| lowering.packer.input(&present(&port.name), layout)).transpose()?;
            let name = port.name.clone();
            inputs.push(PackedValue { name, value, layout, base: 0, present: gaps, with: Vec::new() });
            Lowered { cells, present: flags.map(Cells::Encrypted), range: known_range(ranges, port.operand) }
        } else {
            clear(&lowering, unit(port.operand), &value, ranges.get(port.operand.0 as usize))?
        };
        known.insert(unit(port.operand), lowered);
    }
    let mut steps = Steps::new(order.len());
    for &number in &order {
        steps.step()?;
        let op = &graph.operators()[number as usize];
        let (signature, types) = (graph.signature(op), graph.input_types(op));
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: graph.unit_bits() };
        let operands = graph.inputs_of(op).iter().map(|&input| {
            known
                .get(&unit(input))
                .cloned()
                .ok_or(Error::Job("a value is given or written before it is read"))
        });
        let mut operands = operands.collect::<Result<Vec<_>>>()?;
        let (output, value) = (unit(op.output), Value::of(graph.ty(op.output))?);
        let range = known_range(ranges, op.output);
        lowering.packer.set_parent(number);
        let lowered = if registry.get(call.name)?.moves() {
            operands.swap_remove(0)
        } else if value.place == Place::Encrypted {
            lowering.planned = lows[&output].clone();
            lowering.packer.plan(&lowering.planned);
            let def: &Arc<dyn ValueDef> = values.get(call.name)?;
            let present = def.present(&operands);
            Lowered { cells: def.lower(&call, &operands, &mut lowering)?, present, range }
        } else if values.get(call.name)?.is_view() {
            Lowered {
                cells: values.get(call.name)?.lower(&call, &operands, &mut lowering)?,
                present: None,
                range,
            }
        } else {
            // Of what has no number by itself an operator may have no value, whatever its range says: who runs it finds that out.
            let numbers = operands.iter().all(Lowered::is_number);
            clear(&lowering, output, &value, ranges.get(op.output.0 as usize).filter(|_| numbers))?
        };
        known.insert(output, Lowered { range, ..lowered });
        writers.insert(output, number);
    }
    let mut named = Vec::new();
    for port in graph.outputs() {
        let value = Value::of(graph.ty(port.operand))?;
        let lowered = &known[&unit(port.operand)];
        let Cells::Encrypted(cells) = &lowered.cells else {
            let (at, found) = (format!("output `{}`", port.name), value.to_string());
            return Err(Error::Task {
                at,
                found,
                expected: "an encrypted or public value: the server's own is no result of the client's"
                    .into(),
            });
        };
        let flags = match &lowered.present {
            Some(Cells::Encrypted(flags)) => Some(flags),
            _ => None,
        };
        let parent = writers.get(&unit(port.operand)).copied().unwrap_or(u32::MAX);
        named.push(ResultOf { name: &port.name, value, cells, flags, parent });
    }
    let outputs = declare(&mut lowering.packer, &named, &options.places.kept)?;
    let sums = lowering.packer.sums_made();
    let Finished { graph: packed, clear: vectors, cost, multiples, hopes_failed } =
        lowering.packer.finish()?;
    let read: SortedSet<u64> = vectors.iter().filter_map(ClearInput::value).collect();
    // What inputs lead to.
    let mut led: HashSet<u64> = graph.inputs().iter().map(|port| unit(port.operand)).collect();
    for &number in &order {
        let op = &graph.operators()[number as usize];
        if graph.inputs_of(op).iter().any(|&input| led.contains(&unit(input))) {
            led.insert(unit(op.output));
        }
    }
    let (given, fixed): (SortedSet<u64>, SortedSet<u64>) =
        read.into_iter().partition(|unit| led.contains(unit));
    let (clear, fixed) = (clear_part(graph, &order, given)?, clear_part(graph, &order, fixed)?);
    Ok(Packing { graph: packed, vectors, inputs, outputs, clear, fixed, cost, sums, multiples, hopes_failed })
}

/// An output: its name, what it is, its ciphertexts and those of what is there, and the operator that it is made from.
struct ResultOf<'a> {
    name: &'a str,
    value: Value,
    cells: &'a Packed,
    flags: Option<&'a Packed>,
    parent: u32,
}

/// Declares outputs. Those that have missing cells share no ciphertexts.
fn declare(
    packer: &mut Packer<'_>,
    all: &[ResultOf<'_>],
    kept: &SortedSet<String>,
) -> Result<Vec<PackedValue>> {
    let mut declared: SortedMap<usize, PackedValue> = SortedMap::new();
    let (complete, missing): (Vec<_>, Vec<_>) = (0..all.len()).partition(|&index| all[index].flags.is_none());
    for group in std::iter::once(complete).chain(missing.into_iter().map(|one| vec![one])) {
        let cells = |&index: &usize| {
            let ResultOf { name, cells, parent, .. } = all[index];
            Output { name, cells, parent, alone: kept.contains(name) }
        };
        let places = packer.outputs(&group.iter().map(cells).collect::<Vec<_>>())?;
        for (&index, place) in group.iter().zip(places) {
            let ResultOf { name, ref value, flags, parent, .. } = all[index];
            let flags = match flags {
                Some(cells) => {
                    let flags = Output { name: &present(name), cells, parent, alone: true };
                    packer.outputs(&[flags])?.pop()
                }
                None => None,
            };
            let own = PackedValue {
                name: name.to_owned(),
                value: value.clone(),
                layout: place.layout,
                base: place.base,
                present: flags.map(|flags| flags.layout),
                with: Vec::new(),
            };
            match declared.get_mut(&group[place.holder]) {
                Some(holder) => holder.with.push(own),
                None => drop(declared.insert(index, own)),
            }
        }
    }
    Ok(declared.into_values().collect())
}

fn known_range(ranges: &[Option<Range>], operand: OperandId) -> Range {
    ranges.get(operand.0 as usize).copied().flatten().unwrap_or(Range::Unknown)
}

/// Of operators that work cell by cell: every dimension is itself.
///
/// # Errors
/// For operands that are no values.
pub(super) fn cell_by_cell(call: &Call<'_>) -> Result<Axes> {
    let own = |index| Ok((0..call.value(index)?.shape.len()).map(Some).collect());
    (0..call.inputs.len()).map(own).collect()
}

/// Says that no scheme computes an operator.
pub(super) fn not_lowered(call: &Call<'_>) -> Error {
    let found = call.value(0).map_or_else(|_| "no operand".into(), |value| value.to_string());
    let expected = "what adds and multiplies; or operands that are not encrypted";
    call.error("scheme that computes it", format!("none, of {found}"), expected)
}

/// A clear value: one number, where its range is one.
fn clear(
    lowering: &Lowering<'_>,
    unit: u64,
    value: &Value,
    range: Option<&Option<Range>>,
) -> Result<Lowered> {
    let number = match range {
        Some(Some(Range::Integers { min, max })) if min == max => Some(Number::from(*min)),
        Some(Some(Range::Reals { min, max })) if min == max => Number::from_f64(*min),
        _ => None,
    };
    // What is exact computes with no reals: of one here something else that is clear is made.
    let is_left = value.missing || (lowering.exact && value.kind == Kind::Real);
    let cells = match number.filter(|_| !is_left) {
        Some(number) => lowering.number(&number, value)?,
        None => {
            let axes = value.shape.iter().enumerate().map(|(axis, &size)| (size, Some(axis))).collect();
            Cells::Clear(Clear { source: Source::Value(unit), axes })
        }
    };
    let range = range.copied().flatten().unwrap_or(Range::Unknown);
    Ok(Lowered { cells, present: None, range })
}

/// What the output is called that holds a clear value.
pub fn clear_name(unit: u64) -> String {
    format!("value {unit}")
}

/// The operators that lead to those clear values, which are its outputs.
fn clear_part(graph: &Graph, order: &[u32], named: SortedSet<u64>) -> Result<Graph> {
    let mut read: HashSet<u64> = named.iter().copied().collect();
    let unit = |operand| graph.first_unit(operand);
    let mut part = Part::new(graph);
    let mut outputs: HashMap<u64, OperandId> = HashMap::new();
    let mut own = Vec::new();
    for &number in order.iter().rev() {
        let op = &graph.operators()[number as usize];
        if read.contains(&unit(op.output)) {
            read.extend(graph.inputs_of(op).iter().map(|&input| unit(input)));
            outputs.insert(unit(op.output), op.output);
            own.push(number);
        }
    }
    for port in graph.inputs().iter().filter(|port| read.contains(&unit(port.operand))) {
        part.input(&port.name, port.operand);
        outputs.insert(unit(port.operand), port.operand);
    }
    for number in own.into_iter().rev() {
        part.operator(&graph.operators()[number as usize], number);
    }
    for value in named {
        let operand = outputs.get(&value).ok_or(Error::Job("a clear value is given or written"))?;
        part.output(&clear_name(value), *operand);
    }
    Ok(part.to)
}
