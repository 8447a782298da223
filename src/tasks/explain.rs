//! Why a program is as it is: what was decided and for which reason, and for every operator of the task where it is computed, what its ciphertexts are like, and what
//! it costs.
//!
//! Operators say from which one they were made, from stage to stage, so that what is run can be told of what was asked for.

use super::build::{How, closed};
use super::program::Program;
use super::travel::ports;
use crate::Result;
use crate::expand::{CostModel, Expander};
use crate::graph::OperandId;
use crate::schemes::close::{Closed, Emitter, KeyName, Made, State};
use crate::schemes::{Releases, SchemeName};
use crate::sorted::{SortedMap, SortedSet};
use crate::values::types::{Kind, Place, Value};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// What a program is, and why.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What was decided.
    pub reasons: Vec<Reason>,
    /// The inputs of the task, then its operators, in the order of the literal.
    pub values: Vec<ExplainedValue>,
    /// The evaluation keys.
    pub keys: Vec<ExplainedKey>,
}

/// A decision.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    /// What was decided: `scheme`, `security`, `ring`, `plain moduli`, `scale`, `levels`, `keys`, `public key`, `releases`.
    pub about: &'static str,
    /// What, and why.
    pub text: String,
}

/// A value of the task.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedValue {
    /// Whether some of it is computed on ciphertexts, or given as such.
    pub encrypted: bool,
    /// Whether some of it is computed in clear by who evaluates.
    pub clear: bool,
    /// Whether some of it is computed by the client after decryption. What is none of these three nothing needs, or it is another value under another name.
    pub finished: bool,
    /// In how many ciphertexts it leaves its operator; 0 where it is a view of its operand, or not encrypted.
    pub ciphertexts: usize,
    /// How many primes these have left, at least.
    pub level: Option<usize>,
    /// log2 of their scale, under CKKS.
    pub scale_bits: Option<f64>,
    /// log2 of how large a number may be, under CKKS.
    pub message_bits: Option<f64>,
    /// log2 of how much it may be off, under CKKS.
    pub error_bits: Option<f64>,
    /// Bits before decryption fails.
    pub budget_bits: Option<f64>,
    /// Operators on ciphertexts that it is made by, by name.
    pub operators: SortedMap<String, usize>,
    /// Its share of the work, from 0 to 1.
    pub cost: f64,
}

/// A key.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedKey {
    /// Its name.
    pub name: String,
    /// Bytes of its words.
    pub bytes: u64,
    /// The operators of the task that need it, as numbers of operands of the literal.
    pub of: Vec<usize>,
}

impl Program {
    /// Tells why the program is as it is.
    ///
    /// # Errors
    /// `OutOfMemory`, `Cancelled`.
    pub fn explain(&self) -> Result<Explanation> {
        let mut all = Told { program: self, values: Vec::new(), keys: SortedMap::new() };
        all.places();
        all.states()?;
        all.costs()?;
        let reasons = self.reasons();
        let keys = self.key_bytes().into_iter().map(|(name, bytes)| {
            let of = all.keys.get(&name).map(|of| of.iter().copied().collect()).unwrap_or_default();
            ExplainedKey { name, bytes, of }
        });
        Ok(Explanation { reasons, keys: keys.collect(), values: all.values })
    }

    fn reasons(&self) -> Vec<Reason> {
        let l = self.parameters().literal();
        let mut all = Vec::new();
        let mut say = |about, text| all.push(Reason { about, text });
        let server = self.server();
        let encrypted = |kind: fn(&Kind) -> bool| {
            server.inputs().iter().find(|port| {
                Value::of(server.ty(port.operand))
                    .is_ok_and(|value| value.place == Place::Encrypted && kind(&value.kind))
            })
        };
        say(
            "scheme",
            match encrypted(|kind| *kind == Kind::Real) {
                _ if self.halves().exact => {
                    format!("{}: nothing real is encrypted, and results are exact", l.scheme.text())
                }
                Some(port) => {
                    format!("CKKS: `{}` is encrypted and real; results are off by a little", port.name)
                }
                None => "CKKS: what is encrypted becomes real; results are off by a little".to_owned(),
            },
        );
        let parameters = self.parameters();
        let level = parameters.level();
        say("security", self.warning().unwrap_or_else(|| format!("{level}, for uniform ternary secrets")));
        let below = level.rows().iter().rev().find(|row| row.0 < l.n);
        let below = below.map_or(String::new(), |row| format!(", at n = {} at most {}", row.0, row.1));
        let total = parameters.total_bits();
        let most = parameters.max_bits().map_or("none".to_owned(), |most| most.to_string());
        say(
            "ring",
            format!(
                "n = {}: moduli of {total:.0} bits, of which {} allows {most}{below}; {} slots in a ciphertext",
                l.n,
                level.table.name(),
                1u64 << self.frame().slots(),
            ),
        );
        if l.scheme != SchemeName::Ckks {
            let least = self.halves().least_modulus().unwrap_or(0);
            let bits = l.t.iter().map(|&t| libm::log2(t as f64)).sum::<f64>().ceil();
            let (moduli, below) = match l.t.len() {
                1 => (format!("one of {bits} bits"), "results"),
                count => (format!("{count} of {bits} bits together"), "results modulo their product"),
            };
            say(
                "plain moduli",
                format!(
                    "{moduli}: {below} are right below {}, and may be up to {}",
                    in_thousands(l.t.iter().map(|&t| u128::from(t)).product::<u128>() / 2),
                    in_thousands(least / 2),
                ),
            );
        }
        if let Some(scale) = l.scale {
            let text = format!(
                "2^{:.0}: the least of those tried with which every result has {} bits",
                libm::log2(scale),
                self.precision(),
            );
            say("scale", text);
        }
        let lowest = self.outputs().iter().map(|output| output.ty.ciphertext.q.len()).min().unwrap_or(1);
        let least = self.outputs().iter().min_by(|a, b| a.budget.total_cmp(&b.budget));
        let least = least.map_or(String::new(), |least| {
            format!("; least budget: {:.1} bits at `{}`", least.budget, least.name)
        });
        let bits = l.q.iter().map(|&q| libm::log2(q as f64)).sum::<f64>();
        say(
            "levels",
            format!(
                "{} primes of {bits:.0} bits together, of which results keep {lowest} or more{least}",
                l.q.len()
            ),
        );
        let bytes: u64 = self.key_bytes().iter().map(|key| key.1).sum();
        let text = match self.keys().len() {
            0 => "none: no ciphertexts are multiplied, and none is turned".to_owned(),
            count => {
                let digits = match l.digit() {
                    1 => "digits of one prime, with a special one".to_owned(),
                    digit => format!("digits of {digit} primes, with as many special ones"),
                };
                let others = match self.turns().len() {
                    0 => String::new(),
                    others => format!("; {others} other turns are made of several that have keys"),
                };
                format!("{count} of {:.1} MB together, in {digits}{others}", bytes as f64 / 1e6)
            }
        };
        say("keys", text);
        if let Some(bytes) = self.public_key_bytes() {
            let bits = match l.special.len() {
                0 => "what is encrypted with it keeps all of its noise, since there is no special prime",
                _ => "what is encrypted with it is divided by the special primes, and its noise with it",
            };
            say("public key", format!("{:.1} MB, for data owners: {bits}", bytes as f64 / 1e6));
        }
        say("releases", self.shared());
        all
    }

    /// Whether results may be published, and what hides the key in them.
    fn shared(&self) -> String {
        let Some(Releases { count, statistical_bits }) = self.releases() else {
            return "none: results are for who holds the key alone".to_owned();
        };
        let noise: Vec<f64> = self.outputs().iter().filter_map(Closed::noise_bits).collect();
        let largest = noise.into_iter().reduce(f64::max).map_or_else(
            || "results are exact, so that no noise is added, and how much they have is not told".to_owned(),
            |most| {
                format!("noise of a deviation of up to 2^{most:.1} hides errors, by {statistical_bits} bits")
            },
        );
        format!("{count} under one key: {largest}")
    }
}

/// A number's digits, three at a time.
fn in_thousands(number: u128) -> String {
    let digits = number.to_string();
    let marked = |(at, digit): (usize, char)| {
        let mark = if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
        format!("{mark}{digit}")
    };
    digits.chars().enumerate().map(marked).collect()
}

/// What was found so far.
struct Told<'p> {
    program: &'p Program,
    values: Vec<ExplainedValue>,
    keys: SortedMap<String, SortedSet<usize>>,
}

impl Told<'_> {
    /// The operand of the literal that an operator of the server's half belongs to.
    fn operand(&self, server: u32) -> Option<usize> {
        let parent = self.program.server().operators().get(server as usize)?.parent;
        (parent != u32::MAX).then(|| self.program.task().inputs.len() + parent as usize)
    }

    /// The one that an operator on vectors of slots belongs to.
    fn of_packed(&self, packed: u32) -> Option<usize> {
        self.operand(self.program.packed().operators().get(packed as usize)?.parent)
    }

    /// Who computes what.
    fn places(&mut self) {
        let task = self.program.task();
        self.values = vec![ExplainedValue::default(); task.inputs.len() + task.nodes.len()];
        let (server, finish) = (self.program.server(), self.program.finish());
        let encrypted = |operand: OperandId| {
            Value::of(server.ty(operand)).is_ok_and(|value| value.place == Place::Encrypted)
        };
        let (mut hidden, mut clear) = (Vec::new(), Vec::new());
        for port in server.inputs() {
            let number = task.inputs.iter().position(|input| input.name == port.name);
            let list = if encrypted(port.operand) { &mut hidden } else { &mut clear };
            list.extend(number);
        }
        for (number, op) in server.operators().iter().enumerate() {
            let list = if encrypted(op.output) { &mut hidden } else { &mut clear };
            list.extend(self.operand(number as u32));
        }
        let finished = finish.operators().iter().filter(|op| op.parent != u32::MAX);
        let finished: Vec<usize> = finished.map(|op| task.inputs.len() + op.parent as usize).collect();
        let mut mark = |list: &[usize], set: fn(&mut ExplainedValue)| {
            list.iter().filter_map(|&number| self.values.get_mut(number).map(set)).count()
        };
        mark(&hidden, |value| value.encrypted = true);
        mark(&clear, |value| value.clear = true);
        mark(&finished, |value| value.finished = true);
    }

    /// What ciphertexts are like where they leave their operators.
    fn states(&mut self) -> Result<()> {
        let program = self.program;
        let registry = program.registry();
        let judge = Emitter::judge(registry).with_dedup(program.halves().passes.dedup);
        let mut judge = judge.turning(program.turns().clone());
        let (literal, how) =
            (program.parameters().literal(), How { late: program.late(), told: true, worst: false });
        let states = closed(program.halves(), program.packing(), literal, &mut judge, how)?.states;
        let leaving = self.leaving();
        let moduli = program.moduli().len();
        let (packing, frame) = (program.packing(), program.frame());
        let mut inputs: SortedMap<String, usize> = SortedMap::new();
        for value in &packing.inputs {
            let number = program.task().inputs.iter().position(|input| input.name == value.name);
            let cells = value.layout.parts(frame).len();
            let names = ports(value, frame).into_iter().take(cells);
            inputs.extend(names.filter_map(|name| Some((name, number?))));
        }
        for (made, mut state) in states {
            if let Made::Operator(packed) = made
                && let Some(multiple) =
                    packing.multiples.get(&packing.graph.operators()[packed as usize].parent)
            {
                state.noise.message -= libm::log2(multiple.abs());
                state.noise.error -= libm::log2(multiple.abs());
            }
            let operand = match made {
                Made::Input(name) => inputs.get(&name).copied(),
                Made::Operator(packed) if leaving.contains(&packed) => self.of_packed(packed),
                Made::Operator(_) => None,
            };
            if let Some(value) = operand.and_then(|operand| self.values.get_mut(operand)) {
                value.take(&state);
            }
        }
        // One for each plaintext modulus.
        self.values.iter_mut().for_each(|value| value.ciphertexts /= moduli);
        Ok(())
    }

    /// The operators on vectors of slots that others than those of the same operator of the task read, or that are results.
    fn leaving(&self) -> HashSet<u32> {
        let graph = self.program.packed();
        let writers: HashMap<u64, u32> =
            (0..).zip(graph.operators()).map(|(number, op)| (graph.first_unit(op.output), number)).collect();
        let writer = |operand: OperandId| writers.get(&graph.first_unit(operand)).copied();
        let mut leaving: HashSet<u32> =
            graph.outputs().iter().filter_map(|port| writer(port.operand)).collect();
        for (number, op) in (0..).zip(graph.operators()) {
            let read = graph.inputs_of(op).iter().filter_map(|&input| writer(input));
            leaving.extend(read.filter(|&read| self.of_packed(read) != self.of_packed(number)));
        }
        leaving
    }

    /// What operators cost, and for whom keys are.
    fn costs(&mut self) -> Result<()> {
        let (program, registry) = (self.program, self.program.registry());
        let graph = program.scheme();
        let (mut costs, mut expander) = (CostModel::default(), Expander::new(registry));
        // Of lower levels they are parts.
        let keys: Vec<(&str, std::ops::Range<u64>)> = graph
            .inputs()
            .iter()
            .filter(|port| KeyName::parse(&port.name).is_some())
            .map(|port| {
                let start = graph.first_unit(port.operand);
                (port.name.as_str(), start..start + graph.ty(port.operand).size)
            })
            .collect();
        let mut total = 0.0;
        for op in graph.operators() {
            let cost = costs.of(&mut expander, graph, op)?;
            total += cost;
            let Some(operand) = self.of_packed(op.parent) else { continue };
            let read: Vec<u64> = graph.inputs_of(op).iter().map(|&input| graph.first_unit(input)).collect();
            for (name, _) in keys.iter().filter(|(_, units)| read.iter().any(|unit| units.contains(unit))) {
                self.keys.entry((*name).to_owned()).or_default().insert(operand);
            }
            if let Some(value) = self.values.get_mut(operand) {
                *value.operators.entry(graph.signature(op).name.clone()).or_default() += 1;
                value.cost += cost;
            }
        }
        self.values.iter_mut().for_each(|value| value.cost /= f64::max(total, 1.0));
        Ok(())
    }
}

impl ExplainedValue {
    fn take(&mut self, state: &State) {
        let less = |known: Option<f64>, new: f64| Some(known.map_or(new, |known| known.min(new)));
        let more = |known: Option<f64>, new: f64| Some(known.map_or(new, |known| known.max(new)));
        self.ciphertexts += 1;
        self.level = Some(self.level.map_or(state.level, |known| known.min(state.level)));
        self.budget_bits = less(self.budget_bits, state.budget);
        if let Some(scale) = state.scale {
            self.scale_bits = less(self.scale_bits, scale);
            self.message_bits = more(self.message_bits, state.noise.message - scale);
            self.error_bits = more(self.error_bits, state.noise.error - scale);
        }
    }
}
