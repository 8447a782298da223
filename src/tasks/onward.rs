//! Results that other programs compute on: what a program tells of one, and what another one takes it for.

use super::halves::{Halves, cheapest, frame};
use super::travel::{Descriptor, Origin, Place, ports};
use crate::bytes::shown;
use crate::graph::{Port, parse_type};
use crate::ops::Noise;
use crate::ops::types::{Ciphertext, Form, Scheme, sized};
use crate::packed::Frame;
use crate::schemes::close::{Closed, Onward, Scales, port_name};
use crate::schemes::{ParameterLiteral, SchemeName};
use crate::sorted::{SortedMap, SortedSet};
use crate::values::types::{Place as Where, Value};
use crate::values::{PackedValue, Packing, Places};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Bounds are told in parts of a bit, rounded up: few digits, which every reader reads as the same number.
const PARTS: f64 = 1024.0;

/// What ties a program to others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ties {
    /// How encrypted inputs lie, by name, where that was given.
    pub layouts: SortedMap<String, Place>,
    /// Inputs that are results of other programs, by name.
    pub results: SortedMap<String, GivenResult>,
    /// Outputs that other programs compute on, by name.
    pub kept: SortedSet<String>,
    /// Outputs that the parties of the key refresh for others, by name.
    pub refreshed: SortedSet<String>,
}

/// A result of one program, as an input of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GivenResult {
    /// Identity of the program that makes it, in hexadecimal digits: bounds hold for what that one makes.
    pub program: String,
    /// What it is called there.
    pub name: String,
    /// Whether the parties of the key refreshed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refreshed: bool,
    /// How it lies.
    pub layout: Place,
    /// Its ciphertexts, in the order in which they travel.
    pub ciphertexts: Vec<GivenCiphertext>,
}

/// A ciphertext of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GivenCiphertext {
    /// Its type in text form.
    #[serde(rename = "type")]
    pub ty: String,
    /// log2 of a bound on what it holds, under CKKS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<f64>,
    /// log2 of a bound on its error.
    pub error: f64,
}

impl GivenCiphertext {
    fn of(ty: &Ciphertext, noise: Noise) -> Self {
        // Of what is 0 no number bounds it from above so closely.
        let told = |bits: f64| if bits == f64::NEG_INFINITY { 0.0 } else { bits };
        let up = |bits: f64| (told(bits) * PARTS).ceil() / PARTS;
        let message = matches!(ty.scheme, Scheme::Ckks { .. }).then(|| up(noise.message));
        Self { ty: ty.ty().to_string(), message, error: up(noise.error) }
    }

    fn noise(&self) -> Noise {
        Noise { message: self.message.unwrap_or(Noise::error(self.error).message), error: self.error }
    }
}

impl GivenResult {
    /// The outputs of a program that others can take, by name: those that are whole ciphertexts of two parts, share none and have no missing cells; as they are, or `refreshed`, where they are to be.
    pub fn all(
        program: &str,
        packing: &Packing,
        outputs: &[Closed],
        (literal, frame): (&ParameterLiteral, Frame),
        refreshed: bool,
    ) -> SortedMap<String, Self> {
        let alone =
            |value: &&PackedValue| value.with.is_empty() && value.base == 0 && value.present.is_none();
        let result = |value: &PackedValue| {
            let names = ciphertexts(value, literal, frame);
            let own = |(name, _): &(String, _)| outputs.iter().find(|closed| closed.name == *name);
            let all: Vec<&Closed> = names.iter().filter_map(own).collect();
            let whole = |closed: &&Closed| closed.ty.is_whole() && closed.ty.ciphertext.parts == 2;
            let told = |closed: &&Closed| match &closed.refresh {
                _ if !refreshed => Some(GivenCiphertext::of(&closed.ty.ciphertext, closed.noise)),
                refresh => refresh.as_ref().map(|refresh| GivenCiphertext::of(&refresh.ty, refresh.noise)),
            };
            let ciphertexts: Option<Vec<GivenCiphertext>> = all.iter().map(told).collect();
            let result = Self {
                program: program.to_owned(),
                name: value.name.clone(),
                refreshed,
                layout: Place::of(&value.layout, value.base),
                ciphertexts: ciphertexts?,
            };
            all.iter().all(whole).then(|| (value.name.clone(), result))
        };
        packing.outputs.iter().filter(alone).filter_map(result).collect()
    }

    /// Checks that a value which was read is this result.
    ///
    /// # Errors
    /// `Foreign` for a result of another program; `Task` for another one, and for what is fresh.
    pub fn check(&self, at: &str, origin: &Origin, found: &Descriptor) -> Result<()> {
        let what = || format!("value for `{}`", shown(at));
        let how = |refreshed: bool| if refreshed { ", refreshed" } else { "" };
        let expected =
            || format!("the result `{}`{} of program {}", self.name, how(self.refreshed), self.program);
        match &found.program {
            Some(program) if *program != self.program => Err(Error::Foreign {
                what: what(),
                of: "program",
                found: shown(program).to_owned(),
                expected: self.program.clone(),
            }),
            Some(_) if found.name == self.name && found.refreshed == self.refreshed => Ok(()),
            Some(_) => Err(Error::Task {
                at: what(),
                found: format!("the result `{}`{}", shown(&found.name), how(found.refreshed)),
                expected: expected(),
            }),
            None => Err(not_taken(what(), origin, expected())),
        }
    }
}

fn not_taken(at: String, origin: &Origin, expected: String) -> Error {
    let found = if origin.is_fresh() { "what was encrypted" } else { "a result" };
    Error::Task { at, found: found.to_owned(), expected }
}

/// Checks that a value which was read was encrypted: of what was computed bounds are others.
///
/// # Errors
/// `Task`.
pub fn check_fresh(at: &str, origin: &Origin) -> Result<()> {
    if origin.is_fresh() {
        return Ok(());
    }
    let expected = "what was encrypted: a task says which of its inputs are results".to_owned();
    Err(not_taken(format!("value for `{}`", shown(at)), origin, expected))
}

impl Ties {
    /// Where values lie that others have, too.
    ///
    /// # Errors
    /// `Parameters` for one that is none in such a ring.
    pub fn places(&self, frame: Frame) -> Result<Places> {
        let layout = |(name, place): (&String, &Place), is_result| match place.layout(frame, is_result) {
            Some(layout) => Ok((name.clone(), layout)),
            None => Err(Error::Parameters {
                what: format!("layout of input `{}`", shown(name)),
                found: serde_json::to_string(place).unwrap_or_default(),
                expected: format!("one of a value in ciphertexts of 2^{} slots", frame.slots()),
            }),
        };
        let results = self.results.iter().map(|(name, result)| layout((name, &result.layout), true));
        Ok(Places {
            layouts: self.layouts.iter().map(|own| layout(own, false)).collect::<Result<_>>()?,
            results: results.collect::<Result<_>>()?,
            kept: self.left().cloned().collect(),
        })
    }

    /// The outputs that are not decrypted, those that are both twice.
    fn left(&self) -> impl Iterator<Item = &String> {
        self.kept.iter().chain(&self.refreshed)
    }

    /// Checks names and numbers against a task.
    ///
    /// # Errors
    /// `Task` for a result that is no encrypted input, or that may have missing cells; for what is kept and is no output of the server's.
    pub fn check(&self, halves: &Halves) -> Result<()> {
        let server = &halves.cut.server;
        for name in self.results.keys() {
            let port = server.inputs().iter().find(|port| port.name == *name);
            let value = port.map(|port| Value::of(server.ty(port.operand))).transpose()?;
            let found = match value {
                None => "no input of that name".to_owned(),
                Some(value) if value.place != Where::Encrypted || value.missing => value.to_string(),
                Some(_) => continue,
            };
            let (at, expected) =
                (format!("result `{}`", shown(name)), "a complete encrypted input".to_owned());
            return Err(Error::Task { at, found, expected });
        }
        for name in SortedSet::from_iter(self.left()) {
            let own = |port: &&Port| port.name == *name;
            if !server.outputs().iter().any(|port| own(&port)) {
                let at = format!("kept output `{}`", shown(name));
                let (found, expected) = (
                    "no such output of the server's".to_owned(),
                    "one that the client does not finish".to_owned(),
                );
                return Err(Error::Task { at, found, expected });
            }
        }
        Ok(())
    }

    /// The same by ports of graphs that are closed over parameters.
    ///
    /// # Errors
    /// `Parameters` for a result whose ciphertexts are none under these.
    pub fn closed(&self, packing: &Packing, literal: &ParameterLiteral, frame: Frame) -> Result<Onward> {
        shared(&self.refreshed, literal.parties > 1)?;
        let mut onward = Onward::default();
        for value in &packing.inputs {
            let Some(result) = self.results.get(&value.name) else { continue };
            let mut given = result.ciphertexts.iter();
            for (port, t) in ciphertexts(value, literal, frame) {
                let found = given.next();
                let ty = found.and_then(|found| found.under(literal, t));
                let (Some(ty), Some(found)) = (ty, found) else {
                    return Err(Error::Parameters {
                        what: format!("ciphertexts of result `{}`", shown(&value.name)),
                        found: found.map_or("too few".into(), |found| shown(&found.ty).to_owned()),
                        expected: "those of a program under the same parameters that keeps it for others"
                            .into(),
                    });
                };
                onward.given.insert(port, (ty, found.noise()));
            }
        }
        let ports = |names: &SortedSet<String>| -> SortedSet<String> {
            let own = packing.outputs.iter().filter(|value| names.contains(&value.name));
            own.flat_map(|value| ciphertexts(value, literal, frame)).map(|(port, _)| port).collect()
        };
        onward.refreshed = ports(&self.refreshed);
        onward.kept = ports(&self.kept);
        Ok(onward)
    }
}

impl GivenCiphertext {
    /// Its type, if that is one of ciphertexts under these parameters, modulo that plaintext modulus, and bounds are numbers.
    fn under(&self, literal: &ParameterLiteral, t: Option<u64>) -> Option<Ciphertext> {
        let (head, size, attrs) = parse_type(&self.ty).ok().filter(|ty| ty.0 == "ciphertext")?;
        let ty = Ciphertext::of(&sized(&head, size, attrs, 64).ok()?).ok()?;
        let level = ty.q.len();
        let own = match (ty.scheme, t) {
            (Scheme::Bfv { t: found }, Some(t)) => literal.scheme == SchemeName::Bfv && found == t,
            (Scheme::Bgv { t: found, factor }, Some(t)) => {
                literal.scheme == SchemeName::Bgv && found == t && (1..t).contains(&factor)
            }
            (Scheme::Ckks { scale }, None) => {
                let all = Scales::new(&literal.q, literal.scale.unwrap_or(0.0));
                all.and_then(|all| all.of(level)) == Some(scale)
            }
            _ => false,
        };
        let plain = ty.n == literal.n && ty.parts == 2 && ty.form == Form::Ntt;
        let bounded = self.error.is_finite() && self.message.is_none_or(f64::is_finite);
        let bounded = bounded && self.message.is_some() == t.is_none();
        (own && plain && bounded && level > 0 && literal.q.get(..level) == Some(&ty.q[..])).then_some(ty)
    }
}

/// Checks that what is refreshed is of a key that several parties share.
///
/// # Errors
/// `Task`.
pub fn shared(refreshed: &SortedSet<String>, shared: bool) -> Result<()> {
    let Some(name) = refreshed.first().filter(|_| !shared) else { return Ok(()) };
    let at = format!("output `{}` that is refreshed", shown(name));
    let (found, expected) = ("a key of one holder".to_owned(), "one that several parties share".to_owned());
    Err(Error::Task { at, found, expected })
}

/// The ports of a value's ciphertexts, in the order in which they travel, each with its plaintext modulus.
fn ciphertexts(value: &PackedValue, literal: &ParameterLiteral, frame: Frame) -> Vec<(String, Option<u64>)> {
    let moduli: Vec<Option<u64>> = match literal.t.as_slice() {
        [] => vec![None],
        all => all.iter().map(|&t| Some(t)).collect(),
    };
    let several = moduli.len() > 1;
    let name = |port: &String, t: Option<u64>| (port_name(port, t.filter(|_| several)), t);
    let ports = ports(value, frame);
    ports.iter().flat_map(|port| moduli.iter().map(move |&t| name(port, t))).collect()
}

/// Which result an input is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResultOf {
    /// Of which of several tasks: the number of one before.
    pub task: usize,
    /// What it is called there.
    pub output: String,
    /// Whether the parties of the key refresh it first.
    #[serde(default)]
    pub refreshed: bool,
}

/// A task of those for which parameters are chosen together.
pub struct Member {
    /// The ways in which passes may leave it.
    pub ways: Vec<Halves>,
    /// Which inputs are results of those before.
    pub from: SortedMap<String, ResultOf>,
}

/// A task in vectors of slots of one ring, in the cheapest way.
pub struct Placed {
    pub halves: Halves,
    pub packing: Arc<Packing>,
    pub from: SortedMap<String, ResultOf>,
}

/// Lays tasks out in a ring, with keys or without: what several have lies as in the first of them.
///
/// # Errors
/// As [`cheapest`]; `Task` for a result that its task does not give as others take it.
pub fn placed(all: &[Member], n: usize, keyless: bool) -> Result<Vec<Placed>> {
    let mut done: Vec<Placed> = Vec::with_capacity(all.len());
    let mut layouts = SortedMap::new();
    for Member { ways, from } in all {
        let mut results = SortedMap::new();
        for (name, of) in from {
            let before = done.get(of.task);
            let output = before.and_then(|task| {
                let mut outputs = task.packing.outputs.iter();
                outputs.find(|value| value.name == of.output && value.present.is_none())
            });
            let value = output.ok_or_else(|| Error::Task {
                at: format!("input `{}`", shown(name)),
                found: format!("output `{}` of task {}", shown(&of.output), of.task),
                expected:
                    "an output of a task before, complete and encrypted, that the client does not finish"
                        .into(),
            })?;
            let layout = Place::of(&value.layout, value.base);
            let result = GivenResult {
                program: String::new(),
                name: of.output.clone(),
                refreshed: of.refreshed,
                layout,
                ciphertexts: Vec::new(),
            };
            results.insert(name.clone(), result);
        }
        let tied = |halves: &Halves| {
            halves.tied(|ties| {
                ties.results.extend(results.clone());
                for (name, place) in &layouts {
                    ties.layouts.entry(String::clone(name)).or_insert_with(|| Place::clone(place));
                }
            })
        };
        let ways: Vec<Halves> = ways.iter().map(tied).collect();
        let (way, packing) = cheapest(&ways, n, keyless)?;
        let fresh = packing.inputs.iter().filter(|value| !from.contains_key(&value.name));
        for value in fresh {
            layouts.entry(value.name.clone()).or_insert_with(|| Place::of(&value.layout, value.base));
        }
        done.push(Placed { halves: ways[way].clone(), packing, from: from.clone() });
    }
    Ok(done)
}

/// What is known of results, while tasks are closed one after the other.
#[derive(Default)]
pub struct Known(SortedMap<ResultOf, GivenResult>);

impl Known {
    /// A task that is told of the results which it is given.
    pub fn told<'a>(&self, task: &'a Placed) -> Cow<'a, Halves> {
        if task.from.is_empty() {
            return Cow::Borrowed(&task.halves);
        }
        Cow::Owned(task.halves.tied(|ties| {
            for (name, of) in &task.from {
                if let Some(result) = self.0.get(of) {
                    ties.results.insert(name.clone(), result.clone());
                }
            }
        }))
    }

    /// What came of the task of that number.
    pub fn add(&mut self, number: usize, task: &Placed, outputs: &[Closed], literal: &ParameterLiteral) {
        let frame = frame(literal.n, task.halves.exact);
        for refreshed in [false, true] {
            let results = GivenResult::all("", &task.packing, outputs, (literal, frame), refreshed);
            let named = |(output, result)| (ResultOf { task: number, output, refreshed }, result);
            self.0.extend(results.into_iter().map(named));
        }
    }
}
