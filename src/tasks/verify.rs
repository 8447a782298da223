//! Whether what was made of a task means what the task means, on random data: its two halves by the exact interpreter, vectors of slots by their model. What is made
//! of those are graphs of a scheme, which are verified as circuits ([`crate::circuit::Circuit::verify`]).
//!
//! No secret key is asked for: between vectors of slots and ciphertexts stand the types and bounds of the scheme, and nothing is compared.

use super::decrypt::cells_of;
use super::encrypt::slots_of;
use super::evaluator::filled;
use super::halves::{Halves, ValuePass};
use super::program::Program;
use super::travel::ports;
use crate::analyze::{Facts, topological_order};
use crate::circuit::{Operand, Random, Report, Skipped, common};
use crate::graph::{Graph, OperandId};
use crate::math::Modulus;
use crate::ops::Call;
use crate::ops::types::Scheme;
use crate::packed::{Layout, Numbers, SlotVector, computed, part_name};
use crate::sorted::{SortedMap, SortedSet};
use crate::values::number::Number;
use crate::values::types::{Kind, Place, Value};
use crate::values::{Exact, GivenCells, Interpreted, Packing, Range, interpret, range_of};
use crate::watch::pause;
use crate::{At, Error, Result, memory};
use std::collections::{HashMap, HashSet};

/// What was not compared where nothing was.
const EVERYTHING: &str = "everything";

/// Of an error that tells of no difference.
const TOO_LARGE: &str = "program.too_large";

/// How often data are drawn that a task takes, before it is given up.
const ATTEMPTS: u32 = 8;

/// Why an output may be left out.
const NEAR: &str =
    "reals that it depends on were nearer to each other than the gap of their comparison, in every round";

/// A stage whose meaning is that of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The server's half: what each pass on values makes, in order, and what the cut leaves of it. Its cells lie in the ranges that all else rests on.
    Server,
    /// Both halves, one after the other: what a client gets.
    Finish,
    /// Vectors of slots: what is in them of the server's outputs, where their layouts say; all other slots are 0, or repeat them.
    Packed,
}

impl Program {
    /// Compares what a stage computes with the task as it is written, on data within its bounds: small numbers in the first round, any in the second, ends of bounds
    /// in the third, and so on; cells are missing where they may. Results of reals in slots may be off by what the program says. The same seed gives the same data.
    ///
    /// What was not compared in any round, the report says: all, where the task takes none of the data that are drawn, or too many steps of exact arithmetic; an output
    /// that depends on a comparison of reals that were too near to each other.
    ///
    /// # Errors
    /// `Differs` names the first operator that gives something else, or the output; `AtStage` around it the pass on values that is wrong; what the interpreter says of
    /// a graph that is none, or that takes other data than the task. `OutOfMemory`, `Cancelled`.
    pub fn verify(&self, stage: Meaning, seed: u64, rounds: std::ops::Range<u32>) -> Result<Report> {
        let (halves, packing) = (self.halves(), self.packing());
        Subject { program: self, halves, packing, passes: &halves.made }.verify(stage, seed, rounds)
    }
}

/// What is looked at.
struct Subject<'p> {
    program: &'p Program,
    halves: &'p Halves,
    packing: &'p Packing,
    passes: &'p [(&'static str, ValuePass)],
}

/// What is given to a task, by name.
type Data = SortedMap<String, Exact>;

impl Subject<'_> {
    fn verify(&self, stage: Meaning, seed: u64, rounds: std::ops::Range<u32>) -> Result<Report> {
        let (written, given) = self.program.task().assemble(&self.halves.registry, &self.halves.values)?;
        let mut found = Found::default();
        for round in rounds {
            pause()?;
            let compared = self.round(stage, &written, &given, Draw::new(seed, round), &mut found);
            let why = match compared {
                Ok(why) => why,
                // What a pass makes may take more steps than what it makes it of.
                Err(error) if error.code() == TOO_LARGE => Some(error.to_string()),
                Err(error) => return Err(error),
            };
            if let Some(why) = why {
                found.skip(
                    EVERYTHING,
                    &format!("it is not computed exactly of the data that are drawn ({why})"),
                );
            }
        }
        Ok(found.report())
    }

    /// One round; or why there is none: what the task says of data of which no more are drawn.
    fn round(
        &self,
        stage: Meaning,
        written: &Graph,
        given: &SortedMap<String, Range>,
        mut draw: Draw,
        found: &mut Found,
    ) -> Result<Option<String>> {
        let (data, exact) = loop {
            let data = draw.all(written, given)?;
            match self.interpret(written, &data) {
                Ok(exact) => break (data, exact),
                // What it is not made for: divisors that are 0, what lies beyond `value.within`.
                Err(error @ (Error::Operator { .. } | Error::TooLarge { .. })) => {
                    draw.attempt += 1;
                    if draw.attempt == ATTEMPTS {
                        return Ok(Some(error.to_string()));
                    }
                }
                Err(error) => return Err(error),
            }
        };
        let cut = &self.halves.cut;
        let server = self.interpret(&cut.server, &data)?;
        if stage == Meaning::Packed {
            return self.packed(&data, &server, found).map(|()| None);
        }
        let (mut graph, mut own) = (written.clone(), exact);
        let expected = own.outputs();
        for (name, pass) in self.passes {
            let at_pass = |error| Error::AtStage { stage: format!("pass `{name}`"), error: Box::new(error) };
            graph = pass(&graph, &self.halves.registry, &self.halves.values)?;
            own = self.interpret(&graph, &data).map_err(at_pass)?;
            found.outputs(&graph, &expected, &own.outputs()).map_err(at_pass)?;
        }
        if stage == Meaning::Server {
            found.operators((&graph, &own), (&cut.server, &server))?;
            self.looked_at(&server, true)?;
            return Ok(None);
        }
        let mut joined = server.outputs();
        // What a client has: what it decrypts, and what is public.
        let mut known = joined.clone();
        for port in written.inputs() {
            if Value::of(written.ty(port.operand))?.place == Place::Public {
                known.extend(data.get(&port.name).map(|cells| (port.name.clone(), cells.clone())));
            }
        }
        let client = self.interpret(&cut.client, &known)?;
        found.operators((&graph, &own), (&cut.client, &client))?;
        joined.extend(client.outputs());
        found.outputs(written, &expected, &joined)?;
        Ok(None)
    }

    fn interpret(&self, graph: &Graph, data: &Data) -> Result<Interpreted> {
        interpret(graph, &self.halves.registry, &self.halves.values, data)
    }

    /// The values of the server's half, by their units, of which nobody says what they are in ciphertexts; with `ranges`, that cells lie in those that
    /// are known of them, too.
    fn looked_at(&self, exact: &Interpreted, ranges: bool) -> Result<HashSet<u64>> {
        let Halves { cut, values, registry, .. } = self.halves;
        let server = &cut.server;
        let mut unsure = HashSet::new();
        for number in topological_order(server, &Facts::new(server)?.dependencies)? {
            let op = &server.operators()[number as usize];
            let (signature, types, inputs) =
                (server.signature(op), server.input_types(op), server.inputs_of(op));
            let range = range_of(&self.halves.ranges, op.output);
            if let Some(cells) = exact.of(op.output).filter(|_| ranges) {
                let beyond = |&at: &usize| is_there(cells, at) && !range.contains(&cells.cells[at]);
                if let Some(at) = (0..cells.cells.len()).find(beyond) {
                    let (found, expected) = (text(&cells.cells[at]), format!("one of {range:?}"));
                    let at = At::Number { of: "cell", at: at as u64, found, expected };
                    return Err(Operand::of_operator(server, number).differs(at, None));
                }
            }
            let mut sure = !inputs.iter().any(|&input| unsure.contains(&server.first_unit(input)));
            // Integers are looked up, and what is clear is computed exactly.
            let encrypted = Value::of(server.ty(op.output))?.place == Place::Encrypted;
            if sure && !self.halves.exact && encrypted && !registry.get(&signature.name)?.moves() {
                let cells: Vec<&Exact> = inputs.iter().filter_map(|&input| exact.of(input)).collect();
                let (name, attrs) = (&signature.name, &signature.attrs);
                let call = Call { name, attrs, inputs: &types, unit: server.unit_bits() };
                sure = values.get(name)?.sure(&call, &cells)?;
            }
            if !sure {
                unsure.insert(server.first_unit(op.output));
            }
        }
        Ok(unsure)
    }

    fn packed(&self, data: &Data, exact: &Interpreted, found: &mut Found) -> Result<()> {
        let (program, server) = (self.program, &self.halves.cut.server);
        let unsure = self.looked_at(exact, false)?;
        let slots = self.slots(data)?;
        for holder in &self.packing.outputs {
            let (mut parts, mut off, mut cells) = (Vec::new(), 0f64, Data::new());
            for port in ports(holder, program.frame()) {
                off = off.max(self.off(&port));
                for t in program.moduli() {
                    parts.push(slots.get(&program.port(&port, t)).cloned().unwrap_or_default());
                }
            }
            cells_of(program, holder, &parts, &mut cells)?;
            for value in holder.all() {
                let what = format!("output `{}`", value.name);
                let port = server.outputs().iter().find(|port| port.name == value.name);
                let operand =
                    port.ok_or(Error::Job("what is in slots is an output of the server's half"))?.operand;
                if unsure.contains(&server.first_unit(operand)) {
                    found.skip(&what, NEAR);
                } else {
                    let off = if value.value.kind == Kind::Real { off } else { 0.0 };
                    found.value(server, (&what, operand), exact.of(operand), cells.get(&value.name), off)?;
                }
            }
        }
        self.others(&slots)
    }

    /// What is in slots in the end, by names of ciphertexts.
    fn slots(&self, data: &Data) -> Result<SortedMap<String, Vec<u64>>> {
        let (program, packing) = (self.program, self.packing);
        let data: SortedMap<String, GivenCells> =
            data.iter().map(|(name, cells)| (name.clone(), cells.clone().into())).collect();
        let mut given: SortedMap<String, Vec<u64>> = SortedMap::new();
        for value in &packing.inputs {
            let missing = || Error::MissingInput { name: value.name.clone() };
            let mut words = slots_of(program, value, data.get(&value.name).ok_or_else(missing)?)?.into_iter();
            for port in ports(value, program.frame()) {
                for t in program.moduli() {
                    given.extend(words.next().map(|(_, slots)| (program.port(&port, t), slots.to_vec())));
                }
            }
        }
        for (part, numbers) in [(&packing.clear, false), (&packing.fixed, true)] {
            let vectors = filled(program, part, &data, numbers)?;
            given.extend(vectors.into_iter().map(|(name, slots)| (name, slots.to_vec())));
        }
        let mut all = SortedMap::new();
        for t in program.moduli() {
            let own =
                packing.graph.inputs().iter().filter_map(|port| {
                    Some((port.name.clone(), given.remove(&program.port(&port.name, t))?))
                });
            let numbers = match t {
                Some(t) => Numbers::Modulo(Modulus::new(t)?),
                None => Numbers::Doubles,
            };
            let outputs = computed(&packing.graph, numbers, own.collect())?;
            all.extend(outputs.into_iter().map(|(name, slots)| (program.port(&name, t), slots)));
        }
        Ok(all)
    }

    /// By how much reals in slots of a ciphertext may be off.
    fn off(&self, port: &str) -> f64 {
        let closed = self.program.outputs().iter().find(|closed| closed.name == port);
        match closed.map(|closed| (closed.noise.error, closed.ty.ciphertext.scheme)) {
            Some((error, Scheme::Ckks { scale })) => libm::exp2(error) / scale.get(),
            _ => 0.0,
        }
    }

    /// Slots that are no cell's are 0, or what a cell's is.
    fn others(&self, slots: &SortedMap<String, Vec<u64>>) -> Result<()> {
        const NONE: u64 = u64::MAX;
        let (program, frame) = (self.program, self.program.frame());
        // Of every slot of every ciphertext, that of the cell that it is or repeats.
        let mut known: SortedMap<String, Vec<u64>> = SortedMap::new();
        let mut add = |name: &str, layout: &Layout, base: u64| {
            let cells = layout.addresses();
            for part in layout.parts(frame) {
                let own =
                    known.entry(part_name(name, part)).or_insert_with(|| vec![NONE; 1 << frame.slots()]);
                for cell in cells.iter().filter(|&&cell| cell >> frame.slots() == part) {
                    let cell = (cell | base) & ((1 << frame.slots()) - 1);
                    let mut gap = 0;
                    loop {
                        own[(cell | gap) as usize] = cell;
                        // The next number that has bits of gaps alone.
                        gap = gap.wrapping_sub(layout.repeated) & layout.repeated;
                        if gap == 0 {
                            break;
                        }
                    }
                }
            }
        };
        for holder in &self.packing.outputs {
            holder.all().for_each(|value| add(&holder.name, &value.layout, value.base));
            if let Some(layout) = &holder.present {
                add(&holder.present_name(), layout, 0);
            }
        }
        for (name, cells) in known {
            let off = self.off(&name);
            for t in program.moduli() {
                let Some(all) = slots.get(&program.port(&name, t)) else { continue };
                for (slot, &cell) in cells.iter().enumerate() {
                    let (found, expected) = (all[slot], if cell == NONE { 0 } else { all[cell as usize] });
                    let apart = (f64::from_bits(found) - f64::from_bits(expected)).abs();
                    if found != expected && (t.is_some() || apart.is_nan() || apart > off) {
                        let shown = |slot: u64| match t {
                            Some(_) => slot.to_string(),
                            None => f64::from_bits(slot).to_string(),
                        };
                        let (found, expected) = (shown(found), shown(expected));
                        let ty = SlotVector { frame, encrypted: true }.ty();
                        let at = At::Number { of: "slot", at: slot as u64, found, expected };
                        let what = format!("ciphertext `{}`", program.port(&name, t));
                        return Err(Operand::output(what, &ty, Default::default()).differs(at, None));
                    }
                }
            }
        }
        Ok(())
    }
}

/// What was compared so far.
#[derive(Default)]
struct Found {
    report: Report,
    known: SortedSet<String>,
}

impl Found {
    fn skip(&mut self, what: &str, why: &str) {
        let skipped = Skipped { what: what.to_owned(), why: why.to_owned() };
        if !self.report.skipped.contains(&skipped) {
            self.report.skipped.push(skipped);
        }
    }

    /// What was skipped in some rounds is compared if it was in one.
    fn report(self) -> Report {
        let Self { mut report, known } = self;
        let known = |what: &String| known.contains(what) || what == EVERYTHING && !known.is_empty();
        report.skipped.retain(|skipped| !known(&skipped.what));
        report
    }

    /// Compares an output's cells, of which reals may be `off` by so much.
    fn value(
        &mut self,
        graph: &Graph,
        (what, operand): (&str, OperandId),
        expected: Option<&Exact>,
        found: Option<&Exact>,
        off: f64,
    ) -> Result<()> {
        let places = [graph.pieces(operand).to_vec(), graph.pieces(operand).to_vec()];
        self.operand(&Operand::output(what.to_owned(), graph.ty(operand), places), expected, found, off)
    }

    fn operand(
        &mut self,
        operand: &Operand,
        expected: Option<&Exact>,
        found: Option<&Exact>,
        off: f64,
    ) -> Result<()> {
        let (Some(expected), Some(found)) = (expected, found) else {
            let at = operand.what.clone();
            return Err(Error::Task {
                at,
                found: "nothing".into(),
                expected: "a value, as in the task".into(),
            });
        };
        if let Some(at) = first_difference(found, expected, off) {
            return Err(operand.differs(at, None));
        }
        if self.known.insert(operand.what.clone()) {
            self.report.compared.push(operand.what.clone());
        }
        self.report.bytes += 8 * expected.cells.len() as u64;
        Ok(())
    }

    /// Compares all outputs, by name.
    fn outputs(&mut self, graph: &Graph, expected: &Data, found: &Data) -> Result<()> {
        for port in graph.outputs() {
            let (name, what) = (&port.name, format!("output `{}`", port.name));
            self.value(graph, (&what, port.operand), expected.get(name), found.get(name), 0.0)?;
        }
        Ok(())
    }

    /// Compares what operators of the second graph give with what is at the same units of the first.
    fn operators(
        &mut self,
        (before, expected): (&Graph, &Interpreted),
        (after, found): (&Graph, &Interpreted),
    ) -> Result<()> {
        let outputs = before.operators().iter().map(|op| op.output);
        let known: HashMap<u64, OperandId> =
            outputs.map(|output| (before.first_unit(output), output)).collect();
        for operand in common(before, after)? {
            let Some((number, _)) = operand.operator else { continue };
            let output = after.operators()[number as usize].output;
            let same = known.get(&after.first_unit(output)).and_then(|&same| expected.of(same));
            self.operand(&operand, same, found.of(output), 0.0)?;
        }
        Ok(())
    }
}

fn is_there(cells: &Exact, at: usize) -> bool {
    cells.present.as_ref().is_none_or(|present| present.get(at).copied().unwrap_or(false))
}

fn text(cell: &Number) -> String {
    cell.small().map_or_else(|| cell.to_f64().to_string(), |integer| integer.to_string())
}

/// The first cell that is another one, or further off than it may be.
fn first_difference(found: &Exact, expected: &Exact, off: f64) -> Option<At> {
    let there = |cells: &Exact, at: usize| cells.cells.get(at).filter(|_| is_there(cells, at)).cloned();
    (0..found.cells.len().max(expected.cells.len())).find_map(|at| {
        let [found, expected] = [there(found, at), there(expected, at)];
        let same = match (&found, &expected) {
            (Some(found), Some(expected)) => {
                found == expected || (found.to_f64() - expected.to_f64()).abs() <= off && off > 0.0
            }
            (found, expected) => found == expected,
        };
        let [found, expected] =
            [found, expected].map(|cell| cell.as_ref().map_or_else(|| "missing".to_owned(), text));
        (!same).then_some(At::Number { of: "cell", at: at as u64, found, expected })
    })
}

/// Data within bounds. The first attempt is what the round is for; each one after that takes numbers that are nearer to 0, of few bits, and all cells.
struct Draw {
    random: Random,
    round: u32,
    attempt: u32,
}

impl Draw {
    fn new(seed: u64, round: u32) -> Self {
        Self { random: Random(seed ^ u64::from(round) << 32), round: round % 3, attempt: 0 }
    }

    /// The cells of all inputs.
    fn all(&mut self, graph: &Graph, ranges: &SortedMap<String, Range>) -> Result<Data> {
        let mut data = Data::new();
        for (number, port) in (0..).zip(graph.inputs()) {
            let value = Value::of(graph.ty(port.operand))?;
            let range = ranges.get(&port.name).copied().unwrap_or_else(|| Range::of_kind(value.kind));
            let mut cells = memory::room(usize::try_from(value.cells()).unwrap_or(usize::MAX))?;
            // In the last of three rounds most are missing.
            let there = if self.round == 2 { 4 } else { 12 };
            for _ in 0..value.cells() {
                let cell = match range {
                    Range::Integers { min, max } => self.integer(min, max),
                    Range::Reals { min, max } => self.real(min, max, number),
                    Range::Unknown => self.integer(-8, 8),
                };
                let kept = !value.missing || self.attempt > 0 || self.random.upto(15) < there;
                cells.push(kept.then_some(cell));
            }
            let cells = match value.missing {
                true => Exact::with_missing(cells),
                false => Exact::new(cells.into_iter().flatten().collect()),
            };
            data.insert(port.name.clone(), cells);
        }
        Ok(data)
    }

    fn integer(&mut self, min: i128, max: i128) -> Number {
        let near = 0.clamp(min, max);
        let (below, above) = (near.abs_diff(min), near.abs_diff(max));
        let [below, above] = [below, above].map(|span| match (self.attempt, self.round) {
            (0, 0) => span.min(8),
            (attempt, _) => span >> (8 * attempt.min(15)),
        });
        let (low, span) = (near.wrapping_sub_unsigned(below), below.saturating_add(above));
        let any = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
        let uniform = span.checked_add(1).map_or(any, |count| any % count);
        let above = match (self.round, self.random.upto(7)) {
            (2, 0) => 0,
            (2, 1) => span,
            (2, 2) => span.min(1),
            (2, 3) => span.saturating_sub(1),
            (2, 4) => below,
            _ => uniform,
        };
        low.wrapping_add_unsigned(above).into()
    }

    /// Of few bits, but for any and for ends; those of two inputs of one range are apart, so that they can be compared.
    fn real(&mut self, min: f64, max: f64, input: u64) -> Number {
        let near = 0f64.clamp(min, max);
        let part = libm::exp2(-8.0 * f64::from(self.attempt));
        let (low, high) = (near - (near - min) * part, near + (max - near) * part);
        let few = (16 * self.random.upto(7) + 8 + input % 8) as f64 / 128.0;
        let (few, any) = (
            low + (high - low) * few,
            low + (high - low) * self.random.upto(1 << 20) as f64 / (1 << 20) as f64,
        );
        let step = libm::exp2(libm::floor(libm::log2(high - low)) - 9.0);
        let short = (few / step).round_ties_even() * step;
        let short = if short >= min && short <= max { short } else { few };
        let drawn = match (self.attempt, self.round, self.random.upto(7)) {
            (0, 1, _) => any,
            (0, 2, 0) => min,
            (0, 2, 1) => max,
            (0, 2, 2) => near,
            _ => short,
        };
        Number::from_f64(drawn.clamp(min, max)).unwrap_or(Number::ZERO)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use crate::Difference;
    use crate::graph::{parse, print};
    use crate::tasks::onward::Ties;
    use crate::tasks::{InputLiteral, Literal, NodeLiteral, Options, OutputLiteral};

    fn program() -> Program {
        let input = |name: &str, attrs: &str, bound: &str| InputLiteral {
            name: name.into(),
            ty: format!("value[1]{{kind=\"integer\", {attrs}}}"),
            min: Some(format!("-{bound}")),
            max: Some(bound.into()),
            digits: None,
        };
        let node = |op: &str, inputs: &[usize], attrs: &str| NodeLiteral {
            op: op.into(),
            inputs: inputs.to_vec(),
            attrs: attrs.into(),
        };
        let task = Literal {
            inputs: vec![
                input("x", r#"shape=[3, 5], where="encrypted""#, "20"),
                input("w", r#"shape=[5], where="plain""#, "9"),
                input("gappy", r#"shape=[6], where="encrypted", missing=1"#, "9"),
                input("p", r#"shape=[], where="public""#, "9"),
            ],
            nodes: vec![
                node("value.broadcast", &[1], "{shape=[3, 5]}"),
                node("value.multiply", &[0, 4], ""),
                node("value.sum", &[5], "{axis=1}"),
                node("value.rotate", &[6], "{axis=0, steps=1}"),
                node("value.multiply", &[7, 7], ""),
                node("stats.mean", &[2], ""),
                node("value.sum", &[6], ""),
                node("value.finish", &[10], ""),
                node("value.add", &[11, 3], ""),
            ],
            outputs: [("square", 8), ("mean", 9), ("total", 12)]
                .map(|(name, operand)| OutputLiteral { name: name.into(), operand })
                .into(),
        };
        Program::compile(task, &Options::default()).unwrap()
    }

    fn changed(graph: &Graph, from: &str, to: &str) -> Graph {
        let text = print(graph);
        assert!(text.contains(from), "{text}");
        parse(&text.replace(from, to)).unwrap()
    }

    fn differs(error: Error) -> Difference {
        match error {
            Error::Differs(difference) => *difference,
            other => panic!("{other}"),
        }
    }

    /// What is told of a program of which a part is another.
    fn verified(change: impl FnOnce(&mut Halves, &mut Packing), stage: Meaning) -> Result<Report> {
        let program = program();
        let mut halves =
            Halves::all(program.task(), program.halves().passes, Ties::default()).unwrap().swap_remove(0);
        let mut packing = program.packing().clone();
        change(&mut halves, &mut packing);
        Subject { program: &program, halves: &halves, packing: &packing, passes: &halves.made }.verify(
            stage,
            3,
            0..6,
        )
    }

    #[test]
    fn what_is_right_passes() {
        let all = ["square", "mean", "total"].map(|name| format!("output `{name}`"));
        for stage in [Meaning::Server, Meaning::Finish, Meaning::Packed] {
            let report = verified(|_, _| {}, stage).unwrap();
            assert_eq!(report.skipped, [], "{stage:?}");
            let whole = report.compared.iter().filter(|what| all.contains(what)).count();
            assert_eq!(whole, if stage == Meaning::Packed { 1 } else { 3 }, "{:?}", report.compared);
            assert!(report.bytes > 0);
        }
    }

    #[test]
    fn a_wrong_pass_is_told_by_its_name() {
        let wrong: ValuePass = |graph, _, _| Ok(changed(graph, "steps=1", "steps=2"));
        let error = verified(|halves, _| halves.made.push(("wrong", wrong)), Meaning::Server).unwrap_err();
        let Error::AtStage { stage, error } = error else { panic!("{error}") };
        assert_eq!((&*stage, &*differs(*error).what), ("pass `wrong`", "output `square`"));
    }

    #[test]
    fn a_wrong_operator_is_told_in_either_half() {
        let server = |halves: &mut Halves, _: &mut Packing| {
            halves.cut.server = changed(&halves.cut.server, "steps=1", "steps=2");
        };
        let Difference { what, operator, at, .. } = differs(verified(server, Meaning::Server).unwrap_err());
        assert!(what.ends_with("(value.rotate)") && operator.unwrap().1 == "value.rotate", "{what}");
        let At::Number { of, found, expected, .. } = at else { panic!("{at}") };
        assert!(of == "cell" && found != expected);
        assert_eq!(differs(verified(server, Meaning::Finish).unwrap_err()).what, "output `square`");
        let client = |halves: &mut Halves, _: &mut Packing| {
            halves.cut.client = changed(&halves.cut.client, "value.add", "value.sub");
        };
        assert!(verified(client, Meaning::Server).is_ok());
        assert_eq!(differs(verified(client, Meaning::Finish).unwrap_err()).operator.unwrap().1, "value.sub");
    }

    #[test]
    fn a_cell_beyond_its_range_is_told() {
        let narrow = |halves: &mut Halves, _: &mut Packing| {
            let server = &halves.cut.server;
            let rotate = server.operators().iter().find(|op| server.signature(op).name == "value.rotate");
            halves.ranges[rotate.unwrap().output.0 as usize] = Some(Range::Integers { min: 0, max: 5 });
        };
        let Difference { operator, at, .. } = differs(verified(narrow, Meaning::Server).unwrap_err());
        assert_eq!(operator.unwrap().1, "value.rotate");
        assert!(at.to_string().ends_with("expected one of Integers { min: 0, max: 5 }"), "{at}");
    }

    #[test]
    fn wrong_slots_are_told() {
        let turned = |_: &mut Halves, packing: &mut Packing| {
            packing.graph = changed(&packing.graph, "steps=512}", "steps=513}");
        };
        let Difference { what, at, .. } = differs(verified(turned, Meaning::Packed).unwrap_err());
        assert!(what.starts_with("output `") && matches!(at, At::Number { of: "cell", .. }), "{what}");
        // Slots that are said to be 0, and are not.
        let said = |_: &mut Halves, packing: &mut Packing| {
            packing.outputs.iter_mut().for_each(|value| value.layout.repeated = 0);
        };
        let Difference { what, at, .. } = differs(verified(said, Meaning::Packed).unwrap_err());
        assert!(what.starts_with("ciphertext `") && matches!(at, At::Number { of: "slot", .. }), "{what}");
    }

    #[test]
    fn data_lie_within_bounds_and_at_their_ends() {
        let (min, max) = (i128::MIN, i128::MAX);
        for (min, max) in [(min, max), (-3, 2), (5, 5), (100, 1 << 80), (-(1 << 80), -7)] {
            let mut seen = SortedSet::new();
            for round in 0..3 {
                for attempt in 0..ATTEMPTS {
                    let mut draw = Draw { attempt, ..Draw::new(1, round) };
                    for _ in 0..60 {
                        let cell = draw.integer(min, max).small().unwrap();
                        assert!((min..=max).contains(&cell), "{cell}");
                        seen.insert(cell);
                        let (low, high) = (min as f64, max as f64);
                        let range = Range::Reals { min: low, max: high };
                        assert!(range.contains(&draw.real(low, high, 3)));
                    }
                }
            }
            assert!(seen.contains(&min) && seen.contains(&max), "{min} {max}");
        }
    }
}
