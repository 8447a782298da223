//! Verification (SPEC G13): whether a graph is one, and whether two computations that have to give the same do, on random
//! data; if not, which pass, platform and operator it is.
//!
//! Two graphs are compared at the base set of a platform, on the same data. An operand of one is found in the other by its
//! units and type: passes and expansions leave what they keep where it was.

mod compare;
mod randomness;
mod structure;
mod trials;

pub(crate) use trials::Random;
pub use trials::Trials;

use super::passes::at_pass;
use super::{Circuit, Execution, RunOptions};
use crate::analyze::{OutputIndex, analyze, derived_outputs, topological_order};
use crate::expand::{BaseSet, Expander};
use crate::graph::{Graph, Placeholder, Port, ValueType};
use crate::math::bits::bytes_of;
use crate::optimize::Pass;
use crate::place::unplace;
use crate::platform::Platform;
use crate::{At, Difference, Error, Result};
use compare::difference;
use randomness::incomparable;
use serde::Serialize;
use std::collections::HashMap;
use trials::{Limits, limit};

/// Most operands whose values are kept in one run, and most bytes of them.
const MOST_KEPT: (usize, u64) = (4096, 64 << 20);

/// Why circuits' outputs are not compared.
const DRAWN: &str = "random operators lead to it that draw other numbers in the two graphs";

/// What was compared, and found to be the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was compared: outputs, or operators.
    pub compared: Vec<String>,
    /// What was not.
    pub skipped: Vec<Skipped>,
    /// Bytes that were compared, in all rounds; of cells of values eight each.
    pub bytes: u64,
}

/// What was not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// An output, or an operator.
    pub what: String,
    /// Why, as the end of a sentence.
    pub why: String,
}

impl Circuit {
    /// Compares this circuit with one that has to mean the same, on a platform: inputs and outputs of both have the same names
    /// and types. Bits have to be the same, except that any NaN is as good as another. Outputs that random operators lead to
    /// are compared where these draw the same numbers in both graphs: by the nonces of the operators, which have to be the
    /// same in the same order where random operators come out of expansions. The report says which were.
    ///
    /// # Errors
    /// What [`Circuit::verify_structure`] says of either; `Task` for other inputs or outputs; `Differs` names the first
    /// operator of this circuit that gives something else than the one that `against` has at the same units, in topological
    /// order, or the output, where there is no such operator; what expansion, plan and run say.
    pub fn verify(&self, against: &Self, platform: &dyn Platform, trials: &Trials<'_>) -> Result<Report> {
        against.verify_structure(None)?;
        self.verify_structure(None)?;
        equivalent(against, self, platform, trials)
    }

    /// Runs passes one after the other, and compares the circuit before and after each as [`Circuit::verify`] does. Gives a
    /// report for each pass.
    ///
    /// `sum_products` rounds ciphertexts once less, so that their bits change: what is decrypted is to be compared, in a
    /// circuit that also encrypts.
    ///
    /// # Errors
    /// `AtStage` names the first pass that is wrong; in it is what it says, what is wrong with the graph that it made, or
    /// `Differs`, with the first operator that both graphs have and that gives something else.
    pub fn verify_passes(
        &self,
        passes: &[&dyn Pass],
        platform: &dyn Platform,
        trials: &Trials<'_>,
    ) -> Result<Vec<Report>> {
        self.verify_structure(None)?;
        let mut before = self.clone();
        let mut reports = Vec::with_capacity(passes.len());
        for &pass in passes {
            let after = before.apply(&[pass])?;
            let report = equivalent(&before, &after, platform, trials);
            reports.push(report.map_err(|error| at_pass(pass, error))?);
            before = after;
        }
        Ok(reports)
    }

    /// Compares every operator of this circuit on two platforms, expanded to what both implement: `reference` is right.
    ///
    /// # Errors
    /// What [`Circuit::verify_structure`] says; `AtStage` names the platform that refuses an operator, or gives something else:
    /// then `Differs` is in it, with the first operator of the expanded graph that does, in topological order, and what it is
    /// part of: its inputs are the same on both platforms, so that its kernel is wrong.
    ///
    /// What shows on few values only is for [`crate::platform::conformance`]: here kernels see what comes to them.
    pub fn verify_platforms(
        &self,
        platform: &dyn Platform,
        reference: &dyn Platform,
        trials: &Trials<'_>,
    ) -> Result<Report> {
        self.verify_structure(None)?;
        // Each of the two computes all of it.
        let (base, grown) = expanded(self, &unplace(self.graph()), &[platform, reference])?;
        let base = self.with(base);
        let sides = [Side { circuit: &base, platform: reference }, Side { circuit: &base, platform }];
        let mut operands = common(base.graph(), base.graph())?;
        if grown {
            operands.iter_mut().for_each(|own| own.tell_part(self.graph(), base.graph()));
        }
        let mut report = Report::default();
        for operands in chunks(&operands, base.graph().unit_bits()) {
            let outcome = compare(&sides, operands, trials)?;
            if let Some(error) = outcome.error(operands, None) {
                let stage = format!("platform `{}`", platform.name());
                return Err(Error::AtStage { stage, error: Box::new(error) });
            }
            outcome.add_to(&mut report, operands);
        }
        Ok(report)
    }
}

/// A circuit, and where it runs.
struct Side<'a> {
    circuit: &'a Circuit,
    platform: &'a dyn Platform,
}

impl Side<'_> {
    /// The circuit in base operators, with operands as further outputs, which are at their places number `index`; and
    /// whether anything had to be expanded.
    fn base(&self, operands: &[Operand], index: usize) -> Result<(Circuit, bool)> {
        let mut graph = self.circuit.graph().clone();
        for (number, operand) in operands.iter().enumerate() {
            let kept = graph.view(operand.ty.clone(), operand.places[index].clone());
            graph.declare_output(&format!("compared {number}"), kept);
        }
        let (base, grown) = expanded(self.circuit, &graph, &[self.platform])?;
        Ok((self.circuit.with(base), grown))
    }

    fn plan(&self, base: &Circuit) -> Result<Execution> {
        let stage = || format!("platform `{}`", self.platform.name());
        let plan = base.plan(self.platform, &[], RunOptions::default());
        plan.map_err(|error| Error::AtStage { stage: stage(), error: Box::new(error) })
    }
}

/// What two circuits both have: what it is called, its type, its units in each, and the operator of the second that gives
/// it, where it is one.
pub(crate) struct Operand {
    pub(crate) what: String,
    /// Number and type.
    pub(crate) operator: Option<(u32, String)>,
    /// Those of the operator that it was expanded from.
    part_of: Option<(u32, String)>,
    ty: ValueType,
    places: [Vec<Placeholder>; 2],
}

impl Operand {
    /// A declared output, or one that nobody reads.
    pub(crate) fn output(what: String, ty: &ValueType, places: [Vec<Placeholder>; 2]) -> Self {
        Self { what, operator: None, part_of: None, ty: ty.clone(), places }
    }

    /// What an operator of the second graph gives, which is at the same units in both.
    pub(crate) fn of_operator(graph: &Graph, op: u32) -> Self {
        let output = graph.operators()[op as usize].output;
        let place = graph.pieces(output).to_vec();
        let operator = Some((op, type_of(graph, op)));
        Self { operator, ..Self::output(described(graph, op), graph.ty(output), [place.clone(), place]) }
    }

    /// That it differs, first there; `seen` is where it was noticed.
    pub(crate) fn differs(&self, at: At, seen: Option<&str>) -> Error {
        let Self { what, operator, part_of, ty, places: [_, units] } = self;
        Error::Differs(Box::new(Difference {
            what: what.clone(),
            operator: operator.clone(),
            part_of: part_of.clone(),
            seen: seen.map(str::to_owned),
            ty: ty.to_string(),
            units: units.clone(),
            at,
        }))
    }

    /// Says which operator of `whole` the one of `base` was expanded from.
    fn tell_part(&mut self, whole: &Graph, base: &Graph) {
        let Some((op, _)) = self.operator else { return };
        let parent = base.operators()[op as usize].parent;
        self.what = format!("{}, part of {}", self.what, described(whole, parent));
        self.part_of = Some((parent, type_of(whole, parent)));
    }
}

/// The first difference found: of which operand, at which byte, and what it is.
struct Found {
    operand: usize,
    byte: u64,
    found: u8,
    expected: u8,
}

/// What came of comparing operands.
struct Outcome {
    skipped: Vec<bool>,
    difference: Option<Found>,
    bytes: u64,
}

impl Outcome {
    /// The difference as an error; `seen` is where it was noticed.
    fn error(&self, operands: &[Operand], seen: Option<&str>) -> Option<Error> {
        let &Found { operand, byte, found, expected } = self.difference.as_ref()?;
        Some(operands.get(operand)?.differs(At::Byte { at: byte, found, expected }, seen))
    }

    /// Reads the values of one round.
    fn read(&mut self, operands: &[Operand], found: &[Vec<u8>], expected: &[Vec<u8>]) {
        let values = operands.iter().zip(found.iter().zip(expected)).enumerate();
        for (number, (operand, (found, expected))) in values.filter(|(number, _)| !self.skipped[*number]) {
            self.bytes += expected.len() as u64;
            let earlier = self.difference.as_ref().is_none_or(|known| number < known.operand);
            if earlier && let Some((byte, found, expected)) = difference(&operand.ty, found, expected) {
                self.difference = Some(Found { operand: number, byte, found, expected });
            }
        }
    }

    fn add_to(&self, report: &mut Report, operands: &[Operand]) {
        report.bytes += self.bytes;
        for (operand, &skipped) in operands.iter().zip(&self.skipped) {
            let what = operand.what.clone();
            match skipped {
                true => report.skipped.push(Skipped { what, why: DRAWN.to_owned() }),
                false => report.compared.push(what),
            }
        }
    }
}

/// Compares the outputs of two circuits; where they differ, looks for the operator.
fn equivalent(
    before: &Circuit,
    after: &Circuit,
    platform: &dyn Platform,
    trials: &Trials<'_>,
) -> Result<Report> {
    same_ports(before.graph(), after.graph())?;
    let sides = [before, after].map(|circuit| Side { circuit, platform });
    let outputs = outputs(before.graph(), after.graph())?;
    let outcome = compare(&sides, &outputs, trials)?;
    let Some(error) = outcome.error(&outputs, None) else {
        let mut report = Report::default();
        outcome.add_to(&mut report, &outputs);
        return Ok(report);
    };
    let seen = outcome.difference.as_ref().and_then(|d| outputs.get(d.operand)).map(|output| &*output.what);
    let operands = common(before.graph(), after.graph())?;
    for operands in chunks(&operands, after.graph().unit_bits()) {
        if let Some(located) = compare(&sides, operands, trials)?.error(operands, seen) {
            return Err(located);
        }
    }
    Err(error)
}

/// Units, and names and types of inputs and outputs, are the same.
fn same_ports(before: &Graph, after: &Graph) -> Result<()> {
    let wrong = |at: String, found: String, expected: String| Err(Error::Task { at, found, expected });
    if before.unit_bits() != after.unit_bits() {
        return wrong("unit".into(), after.unit_bits().to_string(), before.unit_bits().to_string());
    }
    for (what, expected, found) in
        [("input", before.inputs(), after.inputs()), ("output", before.outputs(), after.outputs())]
    {
        let ty = |graph: &Graph, ports: &[Port], name: &str| {
            let port = ports.iter().find(|port| port.name == name);
            port.map_or_else(|| "nothing".to_owned(), |port| graph.ty(port.operand).to_string())
        };
        for Port { name, .. } in expected.iter().chain(found) {
            let (found, expected) = (ty(after, found, name), ty(before, expected, name));
            if found != expected {
                return wrong(format!("{what} `{name}`"), found, expected);
            }
        }
    }
    Ok(())
}

/// The outputs of both graphs; where none are declared, those that nobody reads in the first one.
fn outputs(before: &Graph, after: &Graph) -> Result<Vec<Operand>> {
    let mut outputs = Vec::new();
    for Port { name, operand } in before.outputs() {
        let Some(other) = after.outputs().iter().find(|port| port.name == *name) else { continue };
        let places = [before.pieces(*operand).to_vec(), after.pieces(other.operand).to_vec()];
        outputs.push(Operand::output(format!("output `{name}`"), before.ty(*operand), places));
    }
    if before.outputs().is_empty() {
        let written = OutputIndex::new(after)?;
        for op in derived_outputs(&analyze(before)?) {
            let output = before.operators()[op as usize].output;
            let (what, place) = (described(before, op), before.pieces(output).to_vec());
            let units = |piece: &Placeholder| -> u64 {
                written.places()[written.search(*piece)].iter().map(|w| w.intersection(piece).size()).sum()
            };
            if place.iter().any(|piece| units(piece) != piece.size()) {
                let expected = format!("{}, which nobody reads and so is an output", before.ty(output));
                return Err(Error::Task { at: what, found: "nothing".into(), expected });
            }
            outputs.push(Operand::output(what, before.ty(output), [place.clone(), place]));
        }
    }
    Ok(outputs)
}

fn type_of(graph: &Graph, op: u32) -> String {
    graph.signature(&graph.operators()[op as usize]).name.clone()
}

fn described(graph: &Graph, op: u32) -> String {
    format!("operator {op} ({})", type_of(graph, op))
}

/// Outputs of operators that both graphs have at the same units, with the same type, in a topological order of the second.
pub(crate) fn common(before: &Graph, after: &Graph) -> Result<Vec<Operand>> {
    let outputs = before.operators().iter().map(|op| op.output);
    let known: HashMap<&[Placeholder], &ValueType> =
        outputs.map(|output| (before.pieces(output), before.ty(output))).collect();
    let order = topological_order(after, &analyze(after)?)?;
    let operand = |op: u32| {
        let output = after.operators()[op as usize].output;
        let (place, ty) = (after.pieces(output), after.ty(output));
        (known.get(place) == Some(&ty)).then(|| Operand::of_operator(after, op))
    };
    Ok(order.into_iter().filter_map(operand).collect())
}

/// As many operands at a time as may be kept.
fn chunks(operands: &[Operand], unit: u32) -> impl Iterator<Item = &[Operand]> {
    let mut rest = operands;
    std::iter::from_fn(move || {
        let mut bytes = 0u64;
        let fits = |operand: &&Operand| {
            bytes = bytes.saturating_add(bytes_of(operand.ty.size.saturating_mul(unit.into())));
            bytes <= MOST_KEPT.1
        };
        let count = rest.iter().take(MOST_KEPT.0).take_while(fits).count().max(1);
        let (now, later) = rest.split_at_checked(count)?;
        rest = later;
        Some(now)
    })
}

/// A graph of what all platforms implement, and whether anything had to be expanded.
fn expanded(circuit: &Circuit, graph: &Graph, platforms: &[&dyn Platform]) -> Result<(Graph, bool)> {
    let contains = |op: &str| platforms.iter().all(|platform| platform.implements(op));
    if graph.operators().iter().all(|op| contains(&graph.signature(op).name)) {
        return Ok((graph.clone(), false));
    }
    let names: Vec<&str> = platforms.iter().map(|platform| platform.name()).collect();
    let base = BaseSet { platform: &names.join(" and "), contains: &contains };
    Ok((Expander::new(circuit.registry()).expand(graph, &base)?, true))
}

/// Compares operands on all data; of several that differ, gives the first.
fn compare(sides: &[Side<'_>; 2], operands: &[Operand], trials: &Trials<'_>) -> Result<Outcome> {
    let [(first, first_grown), (second, second_grown)] =
        [sides[0].base(operands, 0)?, sides[1].base(operands, 1)?];
    let mut limits = Limits::new();
    limit(&mut limits, first.graph(), first.registry())?;
    limit(&mut limits, second.graph(), second.registry())?;
    let skipped = incomparable([&first, &second], operands.len(), first_grown || second_grown)?;
    let plans = [sides[0].plan(&first)?, sides[1].plan(&second)?];
    let mut outcome = Outcome { skipped, difference: None, bytes: 0 };
    for round in (trials.first..).take(trials.rounds.max(1) as usize) {
        let data = trials.data(first.graph(), &limits, round)?;
        let data: Vec<(&str, &[u8])> = data.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        let [expected, found] = &plans;
        let [expected, found] = [kept(expected, &data, operands.len())?, kept(found, &data, operands.len())?];
        outcome.read(operands, &found, &expected);
    }
    Ok(outcome)
}

/// The bytes of the last `count` outputs.
fn kept(execution: &Execution, data: &[(&str, &[u8])], count: usize) -> Result<Vec<Vec<u8>>> {
    let mut run = execution.start(data, || 0.0)?;
    run.finish();
    let all = execution.outputs().count();
    (all.saturating_sub(count)..all).map(|index| execution.output(&run, index)).collect()
}
