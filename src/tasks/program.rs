//! From a task to a program: cut, packed, closed over parameters; the same code rebuilds a program from its bytes, so that client and evaluator hold the
//! same graphs.

use super::body::Limbs;
use super::choose::{self, Wishes};
use super::literal::Literal;
use super::passes::Passes;
use super::travel::{Companion, Descriptor, Place, ports};
use crate::bytes::{Kind, Reader, Writer, hex, shown};
use crate::error::FormatProblem;
use crate::expand::Expander;
use crate::graph::{Attr, Graph, OperandId, print};
use crate::ops::Registry;
use crate::ops::types::{Ciphertext, Scheme};
use crate::optimize::{fuse, hoist, optimize};
use crate::packed::{Frame, Layout, PackerPasses, Slots, Source, close};
use crate::platform::Platform;
use crate::program::{MOST_MEMORY, ParameterLiteral, Parameters, SchemeName, base, memory_limit, security};
use crate::schemes::close::{
    Bgv, Chain, Ckks, Closed, Closing, Emitter, KeyName, Made, State, port_name, scales,
};
use crate::schemes::security::SecurityTable;
use crate::values::types::{Kind as ValueKind, Place as Where, Value};
use crate::values::{
    Cut, PackedValue, Packing, PackingOptions, Range, Values, balance, cut, lower, ranges, square, turns,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the caller may ask of a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// Name of the security table; "guidelines-2024" when left out.
    pub security: Option<String>,
    /// Ring dimension.
    pub n: Option<usize>,
    /// Bits that results of reals are right to, of the larger of 1 and what they may be; 20 when left out.
    pub precision: Option<f64>,
    /// Most bytes that a run may take.
    pub memory_limit: Option<f64>,
    /// Parameters that are not to be chosen: those of another program, or made by hand.
    pub parameters: Option<GivenParameters>,
    /// Which passes are made.
    pub passes: Passes,
}

/// Parameters as [`Report`] tells them; moduli are decimals.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GivenParameters {
    /// The scheme.
    pub scheme: SchemeName,
    /// Ring dimension.
    pub n: usize,
    /// Primes of the ciphertext modulus, the lowest level's first.
    pub moduli: Vec<String>,
    /// Special primes of key switching, as many as a digit has primes.
    #[serde(default)]
    pub special: Vec<String>,
    /// Plaintext moduli, of BGV.
    #[serde(default)]
    pub plain_moduli: Vec<String>,
    /// The scale of fresh ciphertexts, of CKKS.
    #[serde(default)]
    pub scale: Option<f64>,
    /// How encrypted inputs lie, by name, so that ciphertexts for one program are taken by another ([`PackingOptions::layouts`]).
    #[serde(default)]
    pub layouts: BTreeMap<String, Place>,
}

impl GivenParameters {
    fn literal(&self, table: SecurityTable) -> Result<ParameterLiteral> {
        let primes = |what: &str, all: &[String]| -> Result<Vec<u64>> {
            let prime = |text: &String| {
                text.parse().map_err(|_| Error::Parameters {
                    what: what.to_owned(),
                    found: shown(text).to_owned(),
                    expected: "primes below 2^64, as decimals".to_owned(),
                })
            };
            all.iter().map(prime).collect()
        };
        let q = primes("moduli", &self.moduli)?;
        Ok(ParameterLiteral {
            scheme: self.scheme,
            scale: self.scale,
            n: self.n,
            t: primes("plain moduli", &self.plain_moduli)?,
            special: primes("special primes", &self.special)?,
            aux: Vec::new(),
            low: q.len(),
            q,
            pack: false,
            table: table.name().to_owned(),
        })
    }
}

/// What a program's bytes hold: everything else follows from it, by code that may be another in another version, so that they also say what followed
/// ([`Decided`]).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramLiteral {
    task: Literal,
    parameters: ParameterLiteral,
    precision: f64,
    memory_limit: u64,
    /// Which passes are made.
    #[serde(default, skip_serializing_if = "Passes::all")]
    passes: Passes,
    /// How encrypted inputs lie, by name, where that was given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    layouts: BTreeMap<String, Place>,
}

/// Hashes of what was made of a task, as far as keys, values and results depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Decided([[u8; 16]; 3]);

impl Decided {
    /// On what: types, ranges and places of what is encrypted, given and resulting; names and levels of keys; what the server computes, and what of it
    /// the client.
    const WHAT: [&str; 3] = ["values", "keys", "halves"];

    fn of(program: &Program) -> Result<Self> {
        let mut values = Vec::new();
        for (all, given) in [(&program.packing.inputs, true), (&program.packing.outputs, false)] {
            for value in all {
                let (descriptor, _) = program.descriptor(value, given)?;
                values.push(descriptor.text());
            }
            // What comes after are the outputs.
            values.push(String::new());
        }
        let keys = program.keys.iter().map(|(name, level)| format!("{name} {level}")).collect();
        let halves = vec![print(&program.halves.cut.server), print(&program.halves.cut.client)];
        Ok(Self([values, keys, halves].map(|texts: Vec<String>| {
            let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 task decisions v1");
            for text in texts {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
            let mut hash = [0; 16];
            hasher.finalize_xof().fill(&mut hash);
            hash
        })))
    }

    /// Checks that bytes say the same.
    fn check(self, reader: &Reader<'_>, found: Self) -> Result<()> {
        for ((what, expected), found) in Self::WHAT.into_iter().zip(self.0).zip(found.0) {
            if found != expected {
                let (found, expected) = (hex(&found), hex(&expected));
                return Err(reader.wrong(FormatProblem::Decisions { what, found, expected }));
            }
        }
        Ok(())
    }
}

/// What follows from a task alone.
pub struct Halves {
    pub values: Values,
    pub registry: Registry,
    pub cut: Cut,
    /// Of the operands of the server's half.
    pub ranges: Vec<Option<Range>>,
    /// Of the inputs.
    pub given: BTreeMap<String, Range>,
    /// False where reals are encrypted.
    pub exact: bool,
    /// Which passes are made.
    pub passes: Passes,
    /// Those on values, in order.
    pub made: Vec<(&'static str, ValuePass)>,
    /// How encrypted inputs lie, by name, where that was given.
    pub layouts: Arc<BTreeMap<String, Place>>,
}

impl Halves {
    /// Of a task, in each of the ways in which passes may leave it that pay for some tasks only; the operators of both halves have those of the literal as parents.
    /// Encrypted inputs lie as `layouts` says of them, by name.
    ///
    /// # Errors
    /// As [`Literal::assemble`], [`Values`]' rules and [`cut`].
    pub fn all(task: &Literal, passes: Passes, layouts: &BTreeMap<String, Place>) -> Result<Vec<Self>> {
        let values = Values::new();
        let registry = values.registry();
        let (written, given) = task.assemble(&registry, &values)?;
        let (mut all, mut known, layouts) = (Vec::new(), Vec::new(), Arc::new(layouts.clone()));
        for turned in std::iter::once(false).chain(passes.turns.then_some(true)) {
            let made = value_passes(passes, turned);
            let graph =
                made.iter().try_fold(written.clone(), |graph, (_, pass)| pass(&graph, &registry, &values))?;
            let text = print(&graph);
            if !known.contains(&text) {
                known.push(text);
                all.push(Self::new(graph, given.clone(), passes, made, Arc::clone(&layouts))?);
            }
        }
        Ok(all)
    }

    fn new(
        graph: Graph,
        given: BTreeMap<String, Range>,
        passes: Passes,
        made: Vec<(&'static str, ValuePass)>,
        layouts: Arc<BTreeMap<String, Place>>,
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
            exact &= value.place != Where::Encrypted || value.kind != ValueKind::Real;
        }
        Ok(Self { values, registry, cut, ranges: server, given, exact, passes, made, layouts })
    }

    /// The smallest product of plaintext moduli that holds all outputs; `RangeOverflow` beyond 126 bits.
    pub fn least_modulus(&self) -> Result<u128> {
        let mut least = 3u128;
        for port in self.cut.server.outputs() {
            let at = || format!("output `{}`", port.name);
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
            if largest >= 1 << 125 {
                return Err(Error::RangeOverflow {
                    at: at(),
                    found: 129 - largest.leading_zeros(),
                    limit: 126,
                });
            }
            least = least.max(2 * largest + 1);
        }
        Ok(least)
    }

    /// The server's half in vectors of slots: of early and late sums the cheaper one.
    pub fn packing(&self, n: usize) -> Result<Packing> {
        let (frame, exact) = (frame(n, self.exact), self.exact);
        let layouts = &self.layouts(frame)?;
        let Passes { dedup, factors, flatten, giant_steps, .. } = self.passes;
        let lowered = |late_sums| {
            let passes = PackerPasses { dedup, factors, flatten, giant_steps, late_sums };
            let lowered = |hopes| {
                let options = PackingOptions { frame, exact, passes, hopes, layouts };
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

    /// The layouts that inputs were given.
    fn layouts(&self, frame: Frame) -> Result<BTreeMap<String, Layout>> {
        let layout = |(name, place): (&String, &Place)| match place.layout(frame) {
            Some(layout) => Ok((name.clone(), layout)),
            None => Err(Error::Parameters {
                what: format!("layout of input `{}`", shown(name)),
                found: serde_json::to_string(place).unwrap_or_default(),
                expected: format!("one of a fresh value in ciphertexts of 2^{} slots", frame.slots()),
            }),
        };
        self.layouts.iter().map(layout).collect()
    }

    /// log2 of the largest number in slots of every input of the packed graph.
    pub fn largest(&self, packing: &Packing, frame: Frame) -> Result<BTreeMap<String, f64>> {
        let mut all = BTreeMap::new();
        let unknown = |name: &str| Error::Task {
            at: format!("input `{name}`"),
            found: "a range that is not known".into(),
            expected: "bounds: precision follows from them".into(),
        };
        for value in &packing.inputs {
            let range = self.given.get(&value.name).copied().unwrap_or(Range::Unknown);
            let log = log2_of(range.in_units(value.value.decimals)).ok_or_else(|| unknown(&value.name))?;
            let cells = value.layout.parts(frame).len();
            for (number, port) in ports(value, frame).into_iter().enumerate() {
                // Which cells are there is 0 or 1.
                all.insert(port, if number < cells { log } else { 0.0 });
            }
        }
        let mut clear = BTreeMap::new();
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
            all.insert(vector.name.clone(), times + log.ok_or_else(|| unknown(&vector.name))?);
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

/// The way that is the cheapest in rings of that dimension, and its vectors of slots: the first of equal ones.
pub fn cheapest(all: &[Halves], n: usize) -> Result<(usize, Packing)> {
    let mut best: Option<(usize, Packing)> = None;
    for (index, halves) in all.iter().enumerate() {
        let packing = halves.packing(n)?;
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

/// The chain of parameters.
pub fn chain(literal: &ParameterLiteral) -> Chain {
    let factor = if literal.scheme == SchemeName::Bgv { literal.t.iter().product() } else { 1 };
    Chain {
        n: literal.n,
        q: literal.q.clone(),
        special: literal.special.clone(),
        digit: literal.digit(),
        factor,
    }
}

/// How a task is closed.
#[derive(Clone, Copy)]
pub struct How {
    /// Products of reals are rescaled after turns ([`Ckks::late`]).
    pub late: bool,
    /// States are to be known.
    pub told: bool,
}

/// Closes a packed task over parameters.
pub fn closed(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    emitter: &mut Emitter<'_>,
    How { late, told }: How,
) -> Result<ClosedTask> {
    let chain = chain(literal);
    let Passes { lazy_relinearization: lazy, early_switching: early, .. } = halves.passes;
    if halves.exact {
        let several = literal.t.len() > 1;
        let mut all = ClosedTask::default();
        for &t in &literal.t {
            let closing = Closing::new(emitter, &chain, Bgv { t, several, early }, lazy);
            let mut closing = if told { closing.told() } else { closing };
            close(&packing.graph, &mut closing)?;
            all.outputs.extend(closing.outputs);
            all.states.extend(closing.states.into_iter().flatten());
        }
        return Ok(all);
    }
    let scales = scales(&literal.q, literal.scale.unwrap_or(0.0)).ok_or_else(|| Error::Parameters {
        what: "scales".into(),
        found: "one that is no number above 0".into(),
        expected: "primes next to the scale".into(),
    })?;
    let largest = halves.largest(packing, frame(literal.n, false))?;
    let closing = Closing::new(emitter, &chain, Ckks { scales: &scales, largest: &largest, late }, lazy);
    let mut closing = if told { closing.told() } else { closing };
    close(&packing.graph, &mut closing)?;
    Ok(ClosedTask { outputs: closing.outputs, states: closing.states.unwrap_or_default() })
}

/// What came of closing a task.
#[derive(Default)]
pub struct ClosedTask {
    pub outputs: Vec<Closed>,
    /// Of its inputs and operators on vectors of slots, where these were to be told.
    pub states: Vec<(Made, State)>,
}

/// A compiled task: checked, immutable, run many times.
pub struct Program {
    id: [u8; 16],
    literal: ProgramLiteral,
    decided: Decided,
    parameters: Parameters,
    halves: Halves,
    packing: Packing,
    registry: Arc<Registry>,
    keys: BTreeMap<KeyName, usize>,
    outputs: Vec<Closed>,
    /// Whether products are rescaled after turns.
    late: bool,
    scheme: Graph,
}

/// What a program is, for people.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The scheme.
    pub scheme: SchemeName,
    /// Ring dimension.
    pub n: usize,
    /// Plaintext moduli, as decimals.
    pub plain_moduli: Vec<String>,
    /// Primes of the ciphertext modulus.
    pub moduli: Vec<String>,
    /// Special primes of key switching.
    pub special: Vec<String>,
    /// The scale of fresh ciphertexts.
    pub scale: Option<f64>,
    /// The security table that holds.
    pub security: &'static str,
    /// Names of the evaluation keys, and bytes of each as it travels, but for what says whose it is.
    pub keys: Vec<(String, u64)>,
    /// Operators of the scheme, by name.
    pub operators: BTreeMap<String, usize>,
    /// How its encrypted inputs lie, by name.
    pub layouts: BTreeMap<String, Place>,
    /// The outputs.
    pub outputs: Vec<OutputReport>,
}

/// What is known of a ciphertext that a run gives.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputReport {
    /// Its ciphertext's name.
    pub name: String,
    /// The values of which it has cells: outputs of the task, and what the client finishes others from.
    pub values: Vec<String>,
    /// How many primes it has left.
    pub level: usize,
    /// Bits before decryption fails.
    pub budget_bits: f64,
    /// log2 of how much a number may be off, under CKKS.
    pub error_bits: Option<f64>,
}

impl Program {
    /// Chooses a scheme and parameters for a task, and builds its graphs.
    ///
    /// # Errors
    /// `Task`, `Operator` and `UnknownOperator` for a task that makes no sense or that no scheme computes; `RangeOverflow`; `TooLarge`; `NoParameters` when it is too
    /// deep; `Parameters` for options that do not fit.
    pub fn compile(task: Literal, options: &Options) -> Result<Self> {
        let table = security(options.security.as_deref(), options.n)?;
        let precision = options.precision.unwrap_or(20.0);
        if !(1.0..=40.0).contains(&precision) {
            let (what, found) = ("precision".to_owned(), precision.to_string());
            return Err(Error::Parameters { what, found, expected: "1 to 40 bits".to_owned() });
        }
        let memory_limit = memory_limit(options.memory_limit);
        let passes = options.passes;
        let layouts = options.parameters.as_ref().map(|given| given.layouts.clone()).unwrap_or_default();
        let all = Halves::all(&task, passes, &layouts)?;
        let wishes = Wishes { table, n: options.n, precision, memory: memory_limit };
        let registry = Arc::new(crate::schemes::close::registry());
        let parameters = match &options.parameters {
            Some(given) if options.n.is_none_or(|n| n == given.n) => given.literal(table)?,
            Some(given) => {
                let (what, found) = ("n".to_owned(), options.n.unwrap_or_default().to_string());
                let expected = format!("{}, that of the parameters that are given", given.n);
                return Err(Error::Parameters { what, found, expected });
            }
            None => choose::choose(&all, &wishes, &registry)?.literal().clone(),
        };
        let literal = ProgramLiteral { task, parameters, precision, memory_limit, passes, layouts };
        Self::build(literal, all, registry)
    }

    fn build(literal: ProgramLiteral, mut all: Vec<Halves>, registry: Arc<Registry>) -> Result<Self> {
        let parameters = Parameters::new(literal.parameters.clone())?;
        // All ways have one kind of numbers, and outputs in one range.
        let any = all.first().ok_or(Error::Job("there is a way to compute a task"))?;
        let expected = if any.exact { SchemeName::Bgv } else { SchemeName::Ckks };
        if literal.parameters.scheme != expected {
            let (what, found) = ("scheme".to_owned(), literal.parameters.scheme.text().to_owned());
            return Err(Error::Parameters { what, found, expected: expected.text().to_owned() });
        }
        if any.exact {
            let held: u128 = literal.parameters.t.iter().map(|&t| u128::from(t)).product();
            let least = any.least_modulus()?;
            if held < least {
                let (what, found) = ("product of the plain moduli".to_owned(), held.to_string());
                return Err(Error::Parameters {
                    what,
                    found,
                    expected: format!("at least {least}: the outputs need it"),
                });
            }
        }
        let (way, packing) = cheapest(&all, literal.parameters.n)?;
        let halves = all.swap_remove(way);
        let Built { keys, outputs, late, graph: scheme } =
            build(&halves, &packing, &literal.parameters, literal.precision, &registry)?;
        choose::precise(&halves, &packing, &outputs, literal.precision)?;
        let (id, decided) = ([0; 16], Decided(Default::default()));
        let mut program =
            Self { id, literal, decided, parameters, halves, packing, registry, keys, outputs, late, scheme };
        program.decided = Decided::of(&program)?;
        let hash = blake3::hash(&program.bytes());
        program.id.copy_from_slice(&hash.as_bytes()[..16]);
        Ok(program)
    }

    /// What an evaluator and other clients need: task, parameters, hashes of what was made of them; nothing secret.
    pub fn bytes(&self) -> Vec<u8> {
        // A literal of texts and numbers always has a JSON form.
        let text = serde_json::to_string(&self.literal).unwrap_or_default();
        Writer::new(Kind::Task).text(&text).raw(self.decided.0.as_flattened()).finish()
    }

    /// Rebuilds a program from its bytes, with all checks.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode, and for a task of which this version makes other values, keys or halves; otherwise as [`Program::compile`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, Kind::Task)?;
        let text = reader.text()?;
        let literal: ProgramLiteral =
            serde_json::from_str(text).map_err(|error| reader.error(error.to_string()))?;
        if !(1.0..=40.0).contains(&literal.precision) {
            return Err(reader.error("a precision that is not 1 to 40 bits"));
        }
        let found = Decided([reader.id()?, reader.id()?, reader.id()?]);
        reader.end()?;
        let all = Halves::all(&literal.task, literal.passes, &literal.layouts)?;
        let program = Self::build(literal, all, Arc::new(crate::schemes::close::registry()))?;
        program.decided.check(&reader, found)?;
        Ok(program)
    }

    /// Identity of the program.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The task as it was given.
    pub fn task(&self) -> &Literal {
        &self.literal.task
    }

    /// Most bytes that a run may take.
    pub fn memory_limit(&self) -> u64 {
        self.literal.memory_limit.min(MOST_MEMORY)
    }

    /// Operator types of the scheme.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The keys that a run needs, and at which level.
    pub fn keys(&self) -> &BTreeMap<KeyName, usize> {
        &self.keys
    }

    /// The graph of the scheme.
    pub fn scheme(&self) -> &Graph {
        &self.scheme
    }

    /// The graph of slot vectors.
    pub fn packed(&self) -> &Graph {
        &self.packing.graph
    }

    /// The server's half of the task, of primitive operators.
    pub fn server(&self) -> &Graph {
        &self.halves.cut.server
    }

    /// The finish, which the client computes after decryption.
    pub fn finish(&self) -> &Graph {
        &self.halves.cut.client
    }

    /// What is known of the program.
    pub fn report(&self) -> Report {
        let l = self.parameters.literal();
        let decimals = |list: &[u64]| list.iter().map(u64::to_string).collect();
        let mut operators = BTreeMap::new();
        for op in self.scheme.operators() {
            *operators.entry(self.scheme.signature(op).name.clone()).or_default() += 1;
        }
        let chain = chain(l);
        let layout = |value: &PackedValue| (value.name.clone(), Place::of(&value.layout, value.base));
        let mut values = BTreeMap::new();
        for value in &self.packing.outputs {
            let names: Vec<String> = value.all().map(|one| one.name.clone()).collect();
            for port in ports(value, self.frame()) {
                values.extend(self.moduli().into_iter().map(|t| (self.port(&port, t), names.clone())));
            }
        }
        let output = |closed: &Closed| OutputReport {
            name: closed.name.clone(),
            values: values.get(&closed.name).cloned().unwrap_or_default(),
            level: closed.ty.q.len(),
            budget_bits: closed.budget,
            error_bits: match closed.ty.scheme {
                Scheme::Ckks { scale } => Some(closed.noise.error - libm::log2(scale.get())),
                _ => None,
            },
        };
        Report {
            scheme: l.scheme,
            n: l.n,
            plain_moduli: decimals(&l.t),
            moduli: decimals(&l.q),
            special: decimals(&l.special),
            scale: l.scale,
            security: self.parameters.table().name(),
            keys: self
                .keys
                .iter()
                .map(|(name, &level)| (name.to_string(), Limbs::of_key(&chain.key(level)).seeded_bytes()))
                .collect(),
            operators,
            layouts: self.packing.inputs.iter().map(layout).collect(),
            outputs: self.outputs.iter().map(output).collect(),
        }
    }

    /// What came of the declared outputs.
    pub(super) fn outputs(&self) -> &[Closed] {
        &self.outputs
    }

    /// Bits that results of reals are right to.
    pub(super) fn precision(&self) -> f64 {
        self.literal.precision
    }

    /// Whether products are rescaled after turns.
    pub(super) fn late(&self) -> bool {
        self.late
    }

    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    pub(super) fn halves(&self) -> &Halves {
        &self.halves
    }

    pub(super) fn chain(&self) -> Chain {
        chain(self.parameters.literal())
    }

    pub(super) fn frame(&self) -> Frame {
        frame(self.parameters.literal().n, self.halves.exact)
    }

    /// The plaintext moduli, one after the other; one that is none under CKKS.
    pub(super) fn moduli(&self) -> Vec<Option<u64>> {
        let t = &self.parameters.literal().t;
        if t.is_empty() { vec![None] } else { t.iter().map(|&t| Some(t)).collect() }
    }

    /// What the ciphertext of a port is called modulo one of them.
    pub(super) fn port(&self, name: &str, t: Option<u64>) -> String {
        port_name(name, t.filter(|_| self.parameters.literal().t.len() > 1))
    }

    /// How an encrypted input or output travels, and the types of its ciphertexts.
    pub(super) fn descriptor(
        &self,
        value: &PackedValue,
        given: bool,
    ) -> Result<(Descriptor, Vec<Ciphertext>)> {
        let mut types = Vec::new();
        for port in ports(value, self.frame()) {
            for t in self.moduli() {
                let name = self.port(&port, t);
                let ports = if given { self.scheme.inputs() } else { self.scheme.outputs() };
                let port = ports.iter().find(|port| port.name == name);
                let port = port.ok_or(Error::Job("every ciphertext of a value is a port of the graph"))?;
                types.push(Ciphertext::of(self.scheme.ty(port.operand))?);
            }
        }
        let companion = |other: &PackedValue| {
            let (value, cells) = (other.value.ty()?.to_string(), Place::of(&other.layout, other.base));
            Ok(Companion { name: other.name.clone(), value, cells })
        };
        let range = self.literal.task.inputs.iter().find(|input| given && input.name == value.name);
        let range = range.and_then(|input| Some([input.min.clone()?, input.max.clone()?]));
        let descriptor = Descriptor {
            name: value.name.clone(),
            value: value.value.ty()?.to_string(),
            range,
            cells: Place::of(&value.layout, value.base),
            present: value.present.as_ref().map(|layout| Place::of(layout, 0)),
            with: value.with.iter().map(companion).collect::<Result<_>>()?,
            ciphertexts: types.iter().map(|ty| ty.ty().to_string()).collect(),
        };
        Ok((descriptor, types))
    }

    /// The graph that a platform runs.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn base(&self, platform: &dyn Platform) -> Result<Graph> {
        let mut expander = Expander::new(&self.registry);
        let polynomial = self.expanded(&mut expander)?;
        base(&mut expander, &polynomial, platform)
    }

    /// The graph of polynomials.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn polynomial(&self) -> Result<Graph> {
        self.expanded(&mut Expander::new(&self.registry))
    }

    fn expanded(&self, expander: &mut Expander<'_>) -> Result<Graph> {
        let polynomial = expander.expand_to_level(&self.scheme, crate::ops::Level::Polynomial)?;
        optimize(&polynomial, &self.registry)
    }
}

/// A task, closed over parameters.
pub struct Built {
    /// The keys that it needs, and at which level.
    pub keys: BTreeMap<KeyName, usize>,
    pub outputs: Vec<Closed>,
    /// Whether products are rescaled after turns: only where results would not be precise otherwise.
    pub late: bool,
    /// The graph of the scheme, optimized.
    pub graph: Graph,
}

/// Closes a task, with the keys that it asks for.
pub fn build(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    precision: f64,
    registry: &Registry,
) -> Result<Built> {
    let Passes { dedup, hoist: hoists, fuse: fuses, .. } = halves.passes;
    let judged = |late| {
        let mut judge = Emitter::judge(registry).with_dedup(dedup);
        let outputs = closed(halves, packing, literal, &mut judge, How { late, told: false })?.outputs;
        Ok::<_, Error>((
            judge.levels().clone(),
            choose::precise(halves, packing, &outputs, precision).is_err(),
        ))
    };
    let (mut keys, late) = judged(false)?;
    if late {
        keys = judged(true)?.0;
    }
    let mut emitter = Emitter::build(registry, &chain(literal), &keys)?.with_dedup(dedup);
    let outputs = closed(halves, packing, literal, &mut emitter, How { late, told: false })?.outputs;
    let mut graph = emitter.finish().ok_or(Error::Job("an emitter that builds has a graph"))?;
    if dedup {
        graph = optimize(&graph, registry)?;
    }
    if hoists {
        graph = hoist(&graph, registry)?;
    }
    if fuses {
        graph = fuse(&graph, registry)?;
    }
    Ok(Built { keys, outputs, late, graph })
}
