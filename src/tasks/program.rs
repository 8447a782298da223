//! From a task to a program: cut, packed, closed over parameters; the same code rebuilds a program from its bytes, so that client and evaluator hold the
//! same graphs.

use super::body::Limbs;
use super::build::{Asked, Built, build, chain};
use super::choose::{self, Wishes};
use super::halves::{Halves, cheapest, frame};
use super::literal::{InputLiteral, Literal};
use super::onward::{self, GivenResult, Member, ResultOf, Ties};
use super::passes::Passes;
use super::travel::{Companion, Descriptor, Place, ports};
use crate::bytes::{Kind, Reader, Writer, hex, shown};
use crate::error::FormatProblem;
use crate::expand::{BaseSet, Expander};
use crate::graph::{Graph, ValueType, print};
use crate::math::Modulus;
use crate::ops::Registry;
use crate::ops::types::{self, Extract};
use crate::optimize::{fuse, optimize};
use crate::packed::Frame;
use crate::place::gather;
use crate::platform::Platform;
use crate::schemes::close::{Chain, Closed, KeyName, Turns, port_name};
use crate::schemes::security::{SecurityBits, SecurityLevel, SecurityTable};
use crate::schemes::{ParameterLiteral, Parameters, Releases, SchemeName};
use crate::sorted::{SortedMap, SortedSet};
use crate::values::{PackedValue, Packing};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most bytes of a run: what a 32-bit address space leaves.
const MOST_MEMORY: u64 = 3_500 << 20;

/// What the caller may ask of a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// The scheme; when left out, CKKS where something real is encrypted, and BGV else. Integers may be computed on as reals, and are rounded in the end.
    pub scheme: Option<SchemeName>,
    /// Name of the security table; "guidelines-2024" when left out.
    pub security: Option<String>,
    /// Bits of security by that table: 128, 192 or 256.
    pub security_bits: SecurityBits,
    /// Whether they are to hold against quantum computers, too.
    pub quantum: bool,
    /// For teaching: takes `parameters`, or a small `n`, that are below that level. What is made of it says so.
    pub allow_insecure: bool,
    /// Ring dimension.
    pub n: Option<usize>,
    /// Bits that results of reals are right to, of the larger of 1 and what they may be; 20 when left out.
    pub precision: Option<f64>,
    /// Most bytes that a run may take.
    pub memory_limit: Option<f64>,
    /// Parameters that are not to be chosen: those of another program, or made by hand.
    pub parameters: Option<GivenParameters>,
    /// Most bytes of evaluation keys, as they travel; as many as turns take without detours when left out.
    pub key_bytes: Option<f64>,
    /// Which passes are made.
    pub passes: Passes,
    /// Whether data owners who hold the public key alone may encrypt inputs; as the parameters that are given say, or not, when left out.
    pub public_key: Option<bool>,
    /// Results that may be published; none when left out: they are for who holds the key alone.
    pub releases: Option<Releases>,
    /// How many parties share the secret key ([`crate::joint`]), 2 or more: it takes `public_key` along, and wants `releases`. As the parameters that are given say, or one, when
    /// left out.
    pub parties: Option<usize>,
}

/// A task, and what ties it to others.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The task.
    pub task: Literal,
    /// Inputs that are results of the tasks before: type and range are theirs, whatever the task says.
    #[serde(default)]
    pub from: SortedMap<String, ResultOf>,
    /// Inputs that are results of programs under the parameters that are given, as these tell ([`ResultReport::given`](super::ResultReport)).
    #[serde(default)]
    pub results: SortedMap<String, GivenResult>,
    /// Outputs that other programs compute on: they have ciphertexts of their own, and all levels that are left. Those that later steps take are among them.
    #[serde(default)]
    pub kept: SortedSet<String>,
    /// Outputs that the parties of the key refresh, so that others compute on them with all levels: kept, with room for masks. Those that later steps take so are among them.
    #[serde(default)]
    pub refreshed: SortedSet<String>,
}

impl Options {
    /// Whether data owners encrypt, where the parameters that are given say so or not: they do wherever several parties share the key.
    fn takes_public(&self, given: bool, parties: usize) -> bool {
        self.public_key.unwrap_or(given || self.parties.unwrap_or(parties) > 1)
    }
}

impl From<Literal> for Step {
    fn from(task: Literal) -> Self {
        let (from, results, kept, refreshed) = Default::default();
        Self { task, from, results, kept, refreshed }
    }
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
    /// How encrypted inputs lie, by name, so that ciphertexts for one program are taken by another ([`Places::layouts`](crate::values::Places::layouts)).
    #[serde(default)]
    pub layouts: SortedMap<String, Place>,
    /// Whether values may be encrypted with a public key, where the options do not say.
    #[serde(default)]
    pub public_key: bool,
    /// How many parties share the secret key, where the options do not say.
    #[serde(default = "one")]
    pub parties: usize,
}

fn one() -> usize {
    1
}

impl GivenParameters {
    fn literal(&self, level: SecurityLevel, options: &Options) -> Result<ParameterLiteral> {
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
            q,
            table: level.table.name().to_owned(),
            bits: level.bits.get(),
            quantum: level.quantum,
            insecure: false,
            public_key: options.takes_public(self.public_key, self.parties),
            releases: options.releases,
            parties: options.parties.unwrap_or(self.parties),
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
    /// Most bytes of evaluation keys, where that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_bytes: Option<u64>,
    /// Which passes are made.
    #[serde(default, skip_serializing_if = "Passes::all")]
    passes: Passes,
    /// How encrypted inputs lie, by name, where that was given.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    layouts: SortedMap<String, Place>,
    /// Inputs that are results of other programs.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    results: SortedMap<String, GivenResult>,
    /// Outputs that other programs compute on.
    #[serde(default, skip_serializing_if = "SortedSet::is_empty")]
    kept: SortedSet<String>,
    /// Outputs that the parties of the key refresh.
    #[serde(default, skip_serializing_if = "SortedSet::is_empty")]
    refreshed: SortedSet<String>,
}

impl ProgramLiteral {
    fn ties(&self) -> Ties {
        Ties {
            layouts: self.layouts.clone(),
            results: self.results.clone(),
            kept: self.kept.clone(),
            refreshed: self.refreshed.clone(),
        }
    }

    fn asked(&self) -> Asked {
        Asked { precision: self.precision, key_bytes: self.key_bytes }
    }
}

/// Hashes of what was made of a task, as far as keys, values and results depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Decided([[u8; 16]; 3]);

impl Decided {
    /// On what: types, ranges and places of what is encrypted, given and resulting; names and levels of keys; what the server computes, and what of it
    /// the client.
    const WHAT: [&str; 3] = ["values", "keys", "halves"];

    fn of(program: &Program) -> Self {
        let mut values = Vec::new();
        let [outputs, inputs] = &program.travelling;
        for all in [inputs, outputs] {
            values.extend(all.iter().map(|(descriptor, _)| descriptor.text()));
            // What comes after are the outputs.
            values.push(String::new());
        }
        let keys = program.keys.iter().map(|(name, level)| format!("{name} {level}")).collect();
        let halves = vec![print(&program.halves.cut.server), print(&program.halves.cut.client)];
        Self([values, keys, halves].map(|texts: Vec<String>| {
            let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 task decisions v1");
            for text in texts {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
            let mut hash = [0; 16];
            hasher.finalize_xof().fill(&mut hash);
            hash
        }))
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

/// A compiled task: checked, immutable, run many times.
pub struct Program {
    id: [u8; 16],
    literal: ProgramLiteral,
    decided: Decided,
    parameters: Parameters,
    halves: Halves,
    packing: Arc<Packing>,
    registry: Arc<Registry>,
    keys: SortedMap<KeyName, usize>,
    outputs: Vec<Closed>,
    /// Whether products are rescaled after turns.
    late: bool,
    /// How slots are turned by what has no key of its own.
    turns: Turns,
    scheme: Graph,
    /// How outputs and encrypted inputs travel: it takes long to write the types of many ciphertexts out.
    travelling: [Vec<(Descriptor, Vec<Extract>)>; 2],
}

impl Program {
    /// Chooses a scheme and parameters for a task, and builds its graphs.
    ///
    /// # Errors
    /// `Task`, `Operator` and `UnknownOperator` for a task that makes no sense or that no scheme computes; `RangeOverflow`; `TooLarge`; `NoParameters` when it is too
    /// deep; `Parameters` for options that do not fit; `Insecure` for those that are below the security level, where that is not allowed.
    pub fn compile(task: Literal, options: &Options) -> Result<Self> {
        let mut all = Self::compile_all(vec![task.into()], options)?;
        all.pop().ok_or(Error::Job("a task makes a program"))
    }

    /// The same of tasks whose programs share parameters and a key: what several of them take lies alike, and results are inputs of later ones.
    ///
    /// # Errors
    /// As [`Program::compile`]; `Task` for a result that is no output of a task before which others can take.
    pub fn compile_all(mut steps: Vec<Step>, options: &Options) -> Result<Vec<Self>> {
        let level = options.level()?;
        let precision = options.precision.unwrap_or(20.0);
        if !(1.0..=40.0).contains(&precision) {
            let (what, found) = ("precision".to_owned(), precision.to_string());
            return Err(Error::Parameters { what, found, expected: "1 to 40 bits".to_owned() });
        }
        let memory_limit = memory_limit(options.memory_limit);
        let key_bytes = options.key_bytes.map(|most| most.max(0.0) as u64);
        let asked = Asked { precision, key_bytes };
        let passes = options.passes;
        let layouts = options.parameters.as_ref().map(|given| given.layouts.clone()).unwrap_or_default();
        let given = steps.iter().flat_map(|step| step.results.values()).next();
        if let (Some(result), None) = (given, &options.parameters) {
            let expected = format!("those of program {}: its results are inputs", shown(&result.program));
            let what = "parameters".to_owned();
            return Err(Error::Parameters { what, found: "none".to_owned(), expected });
        }
        let wished = options.scheme;
        let onward = steps.iter().any(|step| !(step.kept.is_empty() && step.refreshed.is_empty()));
        let members = members(&mut steps, passes, &layouts, wished)?;
        if let (Some(scheme), Some(given)) = (wished, &options.parameters)
            && given.scheme != scheme
        {
            let (what, found) = ("scheme".to_owned(), scheme.text().to_owned());
            let expected = format!("{}, that of the parameters that are given", given.scheme.text());
            return Err(Error::Parameters { what, found, expected });
        }
        let (n, insecure) = (options.n, options.allow_insecure);
        let (public_key, parties) = (options.takes_public(false, 1), options.parties.unwrap_or(1));
        let releases = options.releases.map(Releases::check).transpose()?;
        let given_parties = options.parameters.as_ref().map_or(1, |given| given.parties);
        let shared = options.parties.unwrap_or(given_parties) > 1;
        if shared && releases.is_none() {
            let (what, found) = ("releases".to_owned(), "none".to_owned());
            let expected = "how many decryptions there are to be: parties that share a key hide errors from each other by it";
            return Err(Error::Parameters { what, found, expected: expected.to_owned() });
        }
        for step in &steps {
            onward::shared(&step.refreshed, shared)?;
        }
        let memory = memory_limit;
        let wishes = Wishes {
            scheme: wished,
            level,
            n,
            insecure,
            asked,
            memory,
            public_key,
            releases,
            parties,
            onward,
        };
        let registry = Arc::new(crate::schemes::registry());
        let parameters = match &options.parameters {
            Some(given) if n.is_none_or(|n| n == given.n) => {
                given.literal(level, options)?.allowed(insecure)?
            }
            Some(given) => {
                let (what, found) = ("n".to_owned(), n.unwrap_or_default().to_string());
                let expected = format!("{}, that of the parameters that are given", given.n);
                return Err(Error::Parameters { what, found, expected });
            }
            None => choose::choose(&members, &wishes, &registry)?.literal().clone(),
        };
        let (mut programs, mut layouts): (Vec<Self>, _) = (Vec::new(), layouts);
        for (step, Member { mut ways, .. }) in steps.into_iter().zip(members) {
            let Step { task, from, mut results, kept, refreshed } = step;
            for (name, of) in from {
                let result = programs[of.task].results()?.remove(&of.output);
                let result = result
                    .and_then(|result| if of.refreshed { result.refreshed } else { Some(result.given) });
                results.insert(name, result.ok_or(Error::Job("what a task takes was given"))?);
            }
            let ties = Ties { layouts: layouts.clone(), results, kept, refreshed };
            ways = ways.iter().map(|halves| halves.tied(|own| own.clone_from(&ties))).collect();
            let (parameters, Ties { layouts: _, results, kept, refreshed }) = (parameters.clone(), ties);
            let literal = ProgramLiteral {
                task,
                parameters,
                precision,
                memory_limit,
                key_bytes,
                passes,
                layouts: layouts.clone(),
                results,
                kept,
                refreshed,
            };
            let program = Self::build(literal, ways, Arc::clone(&registry))?;
            for value in program.packing.inputs.iter().filter(|value| program.result(&value.name).is_none()) {
                let place = || Place::of(&value.layout, value.base);
                layouts.entry(value.name.clone()).or_insert_with(place);
            }
            programs.push(program);
        }
        Ok(programs)
    }

    fn build(literal: ProgramLiteral, mut all: Vec<Halves>, registry: Arc<Registry>) -> Result<Self> {
        let parameters = Parameters::new(literal.parameters.clone())?;
        // All ways have one kind of numbers, and outputs in one range.
        if literal.parameters.scheme == SchemeName::Ckks {
            // Of integers alone it may be a task beside others that have reals.
            all.iter_mut().for_each(|halves| halves.exact = false);
        }
        let any = all.first().ok_or(Error::Job("there is a way to compute a task"))?;
        let fits = any.exact != (literal.parameters.scheme == SchemeName::Ckks);
        if !fits {
            let (what, found) = ("scheme".to_owned(), literal.parameters.scheme.text().to_owned());
            let expected = if any.exact { "BFV or BGV" } else { "CKKS" }.to_owned();
            return Err(Error::Parameters { what, found, expected });
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
        let (way, packing) = cheapest(&all, literal.parameters.n, literal.parameters.keyless())?;
        let mut halves = all.swap_remove(way);
        halves.forget();
        let Built { keys, outputs, late, turns, graph: scheme } =
            build(&halves, &packing, &literal.parameters, literal.asked(), &registry)?;
        choose::precise(&halves, &packing, &outputs, literal.precision)?;
        let (id, decided) = ([0; 16], Decided(Default::default()));
        let mut program = Self {
            id,
            literal,
            decided,
            parameters,
            halves,
            packing,
            registry,
            keys,
            outputs,
            late,
            turns,
            scheme,
            travelling: Default::default(),
        };
        let packing = Arc::clone(&program.packing);
        let described = |values: &[PackedValue], given| -> Result<Vec<_>> {
            values.iter().map(|value| program.described(value, given)).collect()
        };
        program.travelling = [described(&packing.outputs, false)?, described(&packing.inputs, true)?];
        program.decided = Decided::of(&program);
        let hash = blake3::hash(&program.bytes());
        program.id.copy_from_slice(&hash.as_bytes()[..16]);
        let own = hex(&program.id);
        for (descriptor, _) in &mut program.travelling[0] {
            descriptor.program = Some(own.clone());
        }
        Ok(program)
    }

    /// What an evaluator and other clients need: task, parameters, hashes of what was made of them; nothing secret.
    pub fn bytes(&self) -> Vec<u8> {
        // A literal of texts and numbers always has a JSON form.
        let text = serde_json::to_string(&self.literal).unwrap_or_default();
        Writer::new(Kind::Task).text(&text).raw(self.decided.0.as_flattened()).finish()
    }

    /// Rebuilds a program from its bytes, with all checks. One that is not secure is refused: whoever made it may want others to use it.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode, and for a task of which this version makes other values, keys or halves; otherwise as [`Program::compile`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::opened(bytes, false)
    }

    /// The same, of one whose parameters may be below the level that they name, for teaching.
    ///
    /// # Errors
    /// As [`Program::from_bytes`].
    pub fn opened(bytes: &[u8], allow_insecure: bool) -> Result<Self> {
        let mut reader = Reader::new(bytes, Kind::Task)?;
        let text = reader.text()?;
        let literal: ProgramLiteral =
            serde_json::from_str(text).map_err(|error| reader.error(error.to_string()))?;
        if !(1.0..=40.0).contains(&literal.precision) {
            return Err(reader.error("a precision that is not 1 to 40 bits"));
        }
        let found = Decided([reader.id()?, reader.id()?, reader.id()?]);
        reader.end()?;
        if literal.parameters.insecure && !allow_insecure {
            // Says by how much it is.
            let parameters = ParameterLiteral { insecure: false, ..literal.parameters };
            return Parameters::new(parameters).and(Err(reader.error("secure parameters, said not to be")));
        }
        let all = Halves::all(&literal.task, literal.passes, literal.ties())?;
        let program = Self::build(literal, all, Arc::new(crate::schemes::registry()))?;
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
    pub fn keys(&self) -> &SortedMap<KeyName, usize> {
        &self.keys
    }

    /// How slots are turned by what has no key of its own.
    pub(super) fn turns(&self) -> &Turns {
        &self.turns
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

    /// The names of the stages, from the server's half of the task down to what is run.
    pub const STAGES: [&str; 6] = ["server", "finish", "packed", "scheme", "polynomial", "base"];

    /// The graph of a stage, by its name.
    ///
    /// # Errors
    /// `Task` for another name; as [`Expander::expand`].
    pub fn stage(&self, name: &str, platform: &dyn Platform) -> Result<Graph> {
        Ok(match name {
            "server" => self.server().clone(),
            "finish" => self.finish().clone(),
            "packed" => self.packed().clone(),
            "scheme" => self.scheme.clone(),
            "polynomial" => self.polynomial()?,
            "base" => self.base(platform)?,
            found => {
                let expected = Self::STAGES.join(", ");
                return Err(Error::Task { at: "stage".into(), found: shown(found).to_owned(), expected });
            }
        })
    }

    /// The text form of a stage; of a program that is not secure it says so.
    ///
    /// # Errors
    /// As [`Program::stage`].
    pub fn text(&self, name: &str, platform: &dyn Platform) -> Result<String> {
        let mut text = print(&self.stage(name, platform)?);
        if let (Some(warning), Some(line)) = (self.warning(), text.find('\n')) {
            text.insert_str(line, &format!("\n// {warning}"));
        }
        Ok(text)
    }

    /// What there is to say of parameters that are below their level.
    pub fn warning(&self) -> Option<String> {
        let parameters = &self.parameters;
        let (level, n, total) = (parameters.level(), parameters.literal().n, parameters.total_bits());
        let most = match parameters.max_bits() {
            Some(most) => format!("for which {most} are the most at n = {n}"),
            None => format!("which has no n = {n}"),
        };
        parameters.insecure().then(|| {
            format!("INSECURE, for teaching only: moduli of {total:.0} bits are not {level}, {most}")
        })
    }

    /// Checks that data owners may encrypt for it.
    ///
    /// # Errors
    /// `NoPublicKey`, which names `what` was given.
    pub(super) fn takes_public(&self, what: impl FnOnce() -> String) -> Result<()> {
        if self.parameters.literal().public_key { Ok(()) } else { Err(Error::NoPublicKey { what: what() }) }
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

    /// An input that is a result of another program.
    pub(super) fn result(&self, name: &str) -> Option<&GivenResult> {
        self.literal.results.get(name)
    }

    /// Whether the parties of the key refresh an output.
    pub(super) fn refreshes(&self, name: &str) -> bool {
        self.literal.refreshed.contains(name)
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

    /// The type of a public key, and its limbs: modulo all primes, special ones too, by which what is encrypted with it is divided.
    pub(super) fn public_key(&self) -> (ValueType, Limbs) {
        let (n, primes) = (self.parameters.literal().n, self.parameters.secret_primes());
        (
            types::public_key(n, &primes, self.chain().factor, self.chain().parties),
            Limbs::of_public_key(n, &primes),
        )
    }

    pub(super) fn frame(&self) -> Frame {
        frame(self.parameters.literal().n, self.halves.exact)
    }

    /// The plaintext moduli, one after the other; one that is none under CKKS.
    pub(super) fn moduli(&self) -> Vec<Option<u64>> {
        let t = &self.parameters.literal().t;
        if t.is_empty() { vec![None] } else { t.iter().map(|&t| Some(t)).collect() }
    }

    /// The same, to compute with.
    pub(super) fn plain_moduli(&self) -> Result<Vec<Option<Modulus>>> {
        self.moduli().into_iter().map(|t| Ok(t.map(Modulus::new).transpose()?)).collect()
    }

    /// What the ciphertext of a port is called modulo one of them.
    pub(super) fn port(&self, name: &str, t: Option<u64>) -> String {
        port_name(name, t.filter(|_| self.parameters.literal().t.len() > 1))
    }

    /// The ciphertexts of an output, in the order in which they travel.
    pub(super) fn closed(&self, value: &PackedValue) -> Result<Vec<&Closed>> {
        let names = ports(value, self.frame());
        let all = names.iter().flat_map(|port| self.moduli().into_iter().map(|t| self.port(port, t)));
        let own = |name| self.outputs.iter().find(|closed| closed.name == name);
        all.map(|name| own(name).ok_or(Error::Job("every ciphertext of an output was closed"))).collect()
    }

    /// Results that may be published.
    pub(super) fn releases(&self) -> Option<Releases> {
        self.parameters.literal().releases
    }

    /// How an encrypted input or output travels, and the types of its ciphertexts.
    pub(super) fn descriptor(&self, value: &PackedValue, given: bool) -> Result<&(Descriptor, Vec<Extract>)> {
        let all = &self.travelling[usize::from(given)];
        let own = all.iter().find(|(descriptor, _)| descriptor.name == value.name);
        own.ok_or(Error::Job("what travels is an input or an output"))
    }

    /// The same, worked out; results have a program's identity only once it has one.
    fn described(&self, value: &PackedValue, given: bool) -> Result<(Descriptor, Vec<Extract>)> {
        let mut types = Vec::new();
        for port in ports(value, self.frame()) {
            for t in self.moduli() {
                let name = self.port(&port, t);
                let ports = if given { self.scheme.inputs() } else { self.scheme.outputs() };
                let port = ports.iter().find(|port| port.name == name);
                let port = port.ok_or(Error::Job("every ciphertext of a value is a port of the graph"))?;
                types.push(Extract::of(self.scheme.ty(port.operand))?);
            }
        }
        let companion = |other: &PackedValue| {
            let (value, cells) = (other.value.ty()?.to_string(), Place::of(&other.layout, other.base));
            Ok(Companion { name: other.name.clone(), value, cells })
        };
        // A result is told as in the program that makes it.
        let result = self.literal.results.get(&value.name).filter(|_| given);
        let fresh = given && result.is_none();
        let range = self.literal.task.inputs.iter().find(|input| fresh && input.name == value.name);
        let range = range.and_then(|input| Some([input.min.clone()?, input.max.clone()?]));
        let descriptor = Descriptor {
            name: value.name.clone(),
            value: value.value.ty()?.to_string(),
            range,
            cells: Place::of(&value.layout, value.base),
            present: value.present.as_ref().map(|layout| Place::of(layout, 0)),
            with: value.with.iter().map(companion).collect::<Result<_>>()?,
            program: result
                .map(|result| result.program.clone())
                .or_else(|| (!given).then(|| hex(&self.id()))),
            refreshed: result.is_some_and(|result| result.refreshed),
            public: false,
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
        base(&mut expander, &polynomial, platform, self.literal.passes.fuse)
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

/// What follows from tasks alone: inputs that are results of tasks before get their types and ranges, and these outputs are kept.
///
/// # Errors
/// As [`Halves::all`]; `Task` for a result of no task before; `Parameters` for a scheme of integers where something real is encrypted.
fn members(
    steps: &mut [Step],
    passes: Passes,
    layouts: &SortedMap<String, Place>,
    scheme: Option<SchemeName>,
) -> Result<Vec<Member>> {
    for number in 0..steps.len() {
        let (before, own) = steps.split_at_mut(number);
        for of in own[0].from.values() {
            if let Some(step) = before.get_mut(of.task) {
                let names = if of.refreshed { &mut step.refreshed } else { &mut step.kept };
                names.insert(of.output.clone());
            }
        }
    }
    let mut all: Vec<Member> = Vec::with_capacity(steps.len());
    for step in steps {
        for (name, of) in &step.from {
            let output = all.get(of.task).and_then(|member| member.ways.first());
            let output = output.map(|halves| halves.as_input(&of.output)).transpose()?.flatten();
            let input = step.task.inputs.iter_mut().find(|input| input.name == *name);
            let (Some(input), Some(output)) = (input, output) else {
                let (at, found) = (
                    format!("input `{}`", shown(name)),
                    format!("output `{}` of task {}", shown(&of.output), of.task),
                );
                let expected = "an encrypted input, and an output of a task before".to_owned();
                return Err(Error::Task { at, found, expected });
            };
            *input = InputLiteral { name: name.clone(), ..output };
        }
        let (results, kept, refreshed) = (step.results.clone(), step.kept.clone(), step.refreshed.clone());
        let ties = Ties { layouts: layouts.clone(), results, kept, refreshed };
        all.push(Member { ways: Halves::all(&step.task, passes, ties)?, from: step.from.clone() });
    }
    let real = all.iter().flat_map(|member| &member.ways).any(|halves| !halves.exact);
    if let Some(found) = scheme.filter(|&scheme| real && scheme != SchemeName::Ckks) {
        let (what, expected) = ("scheme".to_owned(), "CKKS: something real is encrypted".to_owned());
        return Err(Error::Parameters { what, found: found.text().to_owned(), expected });
    }
    if real || scheme == Some(SchemeName::Ckks) {
        all.iter_mut().flat_map(|member| &mut member.ways).for_each(|halves| halves.exact = false);
    }
    Ok(all)
}

/// Expands a graph to the base set of a platform, optimizes it, makes one operator of several where `fuses`, and gathers operands into blocks, so that a trace names its operators.
///
/// # Errors
/// As [`Expander::expand`].
pub fn base(
    expander: &mut Expander<'_>,
    graph: &Graph,
    platform: &dyn Platform,
    fuses: bool,
) -> Result<Graph> {
    let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
    let graph = optimize(&expander.expand(graph, &base)?, expander.registry())?;
    gather(&if fuses { fuse(&graph, expander.registry())? } else { graph })
}

impl Options {
    /// The security level that is asked for.
    ///
    /// # Errors
    /// `Parameters` for a table that there is not.
    fn level(&self) -> Result<SecurityLevel> {
        let name = self.security.as_deref().unwrap_or(SecurityTable::default().name());
        let table = SecurityTable::named(name).ok_or_else(|| Error::Parameters {
            what: "security".into(),
            found: shown(name).into(),
            expected: "guidelines-2024 or standard-2018".into(),
        })?;
        Ok(SecurityLevel { table, bits: self.security_bits, quantum: self.quantum })
    }
}

/// The bytes that a run may take, of those that are asked for.
fn memory_limit(asked: Option<f64>) -> u64 {
    asked.map_or(MOST_MEMORY, |m| m.max(0.0) as u64).min(MOST_MEMORY)
}
