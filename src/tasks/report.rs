//! What a program is and costs, for people.

use super::body::{Limbs, size_of_body};
use super::build::key_size;
use super::literal::InputLiteral;
use super::onward::GivenResult;
use super::program::Program;
use super::travel::{Place, ports};
use crate::Result;
use crate::analyze::{analyze, depth};
use crate::bytes::{Length, hex};
use crate::engine::{Plan, PlanOptions};
use crate::expand::{CostModel, Expander};
use crate::graph::Graph;
use crate::platform::Platform;
use crate::schemes::close::Closed;
use crate::schemes::{Releases, SchemeName};
use crate::sorted::SortedMap;
use crate::values::PackedValue;
use serde::Serialize;

/// What is told in place of a security table where parameters are below the level that was asked for.
const INSECURE: &str = "insecure";

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
    /// The security table that holds; `insecure` where none does.
    pub security: &'static str,
    /// Bits of security by that table; 0 where it does not hold.
    pub security_bits: u32,
    /// Whether they are against quantum computers, too.
    pub quantum: bool,
    /// Names of the evaluation keys, and bytes of each as it travels, but for what says whose it is.
    pub keys: Vec<(String, u64)>,
    /// Bytes of the public key, where data owners may encrypt with one.
    pub public_key: Option<u64>,
    /// Results that may be published; none where they are for who holds the key alone.
    pub releases: Option<Releases>,
    /// How many parties share the secret key; left out for one.
    #[serde(skip_serializing_if = "is_one")]
    pub parties: usize,
    /// Operators of the scheme, by name.
    pub operators: SortedMap<String, usize>,
    /// Bits of all primes of ciphertexts and keys, and the most that the table allows for the level that was asked for: 0 where it lacks the ring.
    pub total_bits: f64,
    /// See `total_bits`.
    pub max_total_bits: u32,
    /// About how long a run takes on one thread.
    pub seconds: f64,
    /// Its encrypted inputs, by name.
    pub inputs: SortedMap<String, InputReport>,
    /// The outputs.
    pub outputs: Vec<OutputReport>,
    /// Outputs that other programs under these parameters may compute on, by name.
    pub results: SortedMap<String, ResultReport>,
    /// Bytes of all results of a run.
    pub download_bytes: u64,
}

// What serde asks fields is asked by reference.
fn is_one(parties: &usize) -> bool {
    *parties == 1
}

/// What is known of an encrypted input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputReport {
    /// How it lies.
    pub layout: Place,
    /// In how many ciphertexts.
    pub ciphertexts: usize,
    /// Length of its byte form.
    pub bytes: u64,
    /// Of a result of another program: what it is called there.
    pub result: Option<String>,
}

/// What is known of an output that another program may compute on.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultReport {
    /// As an input: its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// As an input: the least that a cell can be, where that is known.
    pub min: Option<String>,
    /// The most.
    pub max: Option<String>,
    /// What the other program is told of it ([`Options::results`](super::Options::results)).
    pub given: GivenResult,
    /// The same of it, refreshed, where it is to be ([`Step::refreshed`](super::Step::refreshed)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<GivenResult>,
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
    /// log2 of how much a number may be off, under CKKS, with the noise that hides the key where results may be published.
    pub error_bits: Option<f64>,
    /// log2 of the standard deviation of that noise in a number.
    pub noise_bits: Option<f64>,
    /// Bytes of its residues.
    pub bytes: u64,
}

/// How large a program is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// Its operators, stage by stage.
    pub stages: Vec<StageSize>,
    /// Bytes of a run's storage, inputs and keys included.
    pub memory_bytes: u64,
}

/// The operators of a stage.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageSize {
    /// The stage's name.
    pub stage: &'static str,
    /// How many operators.
    pub operators: usize,
    /// The longest chain of operators that wait for each other.
    pub depth: usize,
    /// How many of each type.
    pub by_type: SortedMap<String, usize>,
}

/// Seconds that a multiplication modulo a prime takes, with everything around it: measured on the simd platform in WebAssembly, one thread.
const SECONDS_PER_MULTIPLICATION: f64 = 1e-9;

impl Program {
    /// Names of the evaluation keys, and bytes of each as it travels, but for what says whose it is.
    pub(super) fn key_bytes(&self) -> Vec<(String, u64)> {
        let chain = self.chain();
        self.keys().iter().map(|(name, &level)| (name.to_string(), key_size(&chain, name, level))).collect()
    }

    /// Bytes of the public key, where data owners may encrypt with one.
    pub(super) fn public_key_bytes(&self) -> Option<u64> {
        let (_, limbs) = self.public_key();
        let takes = self.parameters().literal().public_key;
        takes.then(|| Length::new().id().id().raw(limbs.seeded_bytes()))
    }

    /// What is known of the program.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn report(&self) -> Result<Report> {
        let l = self.parameters().literal();
        let decimals = |list: &[u64]| list.iter().map(u64::to_string).collect();
        let mut values = SortedMap::new();
        for value in &self.packing().outputs {
            let names: Vec<String> = value.all().map(|one| one.name.clone()).collect();
            for port in ports(value, self.frame()) {
                values.extend(self.moduli().into_iter().map(|t| (self.port(&port, t), names.clone())));
            }
        }
        let output = |closed: &Closed| OutputReport {
            name: closed.name.clone(),
            values: values.get(&closed.name).cloned().unwrap_or_default(),
            level: closed.ty.ciphertext.q.len(),
            budget_bits: closed.budget,
            error_bits: closed.error_bits(),
            noise_bits: closed.noise_bits(),
            bytes: Limbs::of_ciphertext(&closed.ty).bytes(),
        };
        // Of a value, as it travels.
        let length = |value: &PackedValue, given: bool| {
            let (descriptor, types) = self.descriptor(value, given)?;
            let limbs = Limbs::of_ciphertexts(types);
            let head = Length::new().id().id().id().text(&descriptor.text());
            let fresh = given && self.result(&value.name).is_none();
            Ok::<_, crate::Error>((types.len(), head.raw(size_of_body(&limbs, fresh))))
        };
        let mut inputs = SortedMap::new();
        for value in &self.packing().inputs {
            let (ciphertexts, bytes) = length(value, true)?;
            let layout = Place::of(&value.layout, value.base);
            let result = self.result(&value.name).map(|result| result.name.clone());
            inputs.insert(value.name.clone(), InputReport { layout, ciphertexts, bytes, result });
        }
        let downloads = self.packing().outputs.iter().map(|value| Ok(length(value, false)?.1));
        let (level, insecure) = (self.parameters().level(), self.parameters().insecure());
        let cost = CostModel::default().cost(&mut Expander::new(self.registry()), self.scheme())?;
        Ok(Report {
            scheme: l.scheme,
            n: l.n,
            plain_moduli: decimals(&l.t),
            moduli: decimals(&l.q),
            special: decimals(&l.special),
            scale: l.scale,
            security: if insecure { INSECURE } else { level.table.name() },
            security_bits: if insecure { 0 } else { level.bits.get() },
            quantum: level.quantum && !insecure,
            total_bits: self.parameters().total_bits(),
            max_total_bits: self.parameters().max_bits().unwrap_or(0),
            seconds: cost * SECONDS_PER_MULTIPLICATION,
            keys: self.key_bytes(),
            public_key: self.public_key_bytes(),
            releases: self.releases(),
            parties: self.chain().parties,
            operators: by_type(self.scheme()),
            inputs,
            outputs: self.outputs().iter().map(output).collect(),
            results: self.results()?,
            download_bytes: downloads.sum::<Result<u64>>()?,
        })
    }

    /// Outputs that the server gives and that have ciphertexts of their own.
    pub(super) fn results(&self) -> Result<SortedMap<String, ResultReport>> {
        let declared = |name: &str| self.task().outputs.iter().any(|output| output.name == name);
        let mut all = SortedMap::new();
        let literal = self.parameters().literal();
        let results = |refreshed: bool| {
            let under = (literal, self.frame());
            GivenResult::all(&hex(&self.id()), self.packing(), self.outputs(), under, refreshed)
        };
        let mut again = results(true);
        for (name, given) in results(false).into_iter().filter(|(name, _)| declared(name)) {
            let Some(InputLiteral { ty, min, max, .. }) = self.halves().as_input(&name)? else { continue };
            let refreshed = again.remove(&name);
            all.insert(name, ResultReport { ty, min, max, given, refreshed });
        }
        Ok(all)
    }

    /// How many operators every stage has, and how much memory a run takes.
    ///
    /// # Errors
    /// As [`Program::base`] and [`Plan::new`].
    pub fn sizes(&self, platform: &dyn Platform) -> Result<Sizes> {
        let mut stages = Vec::new();
        let mut memory_bytes = 0;
        for stage in Self::STAGES {
            let graph = self.stage(stage, platform)?;
            let depth = depth(&graph, &analyze(&graph)?)?;
            stages.push(StageSize {
                stage,
                operators: graph.operators().len(),
                depth,
                by_type: by_type(&graph),
            });
            if stage == "base" {
                let options = PlanOptions { memory_limit: self.memory_limit(), ..PlanOptions::default() };
                memory_bytes = Plan::new(&graph, self.registry(), platform, options)?.memory_bytes();
            }
        }
        Ok(Sizes { stages, memory_bytes })
    }
}

/// How many operators of each type a graph has.
fn by_type(graph: &Graph) -> SortedMap<String, usize> {
    let mut all = SortedMap::new();
    for op in graph.operators() {
        *all.entry(graph.signature(op).name.clone()).or_default() += 1;
    }
    all
}
