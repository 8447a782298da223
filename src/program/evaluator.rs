//! The evaluator: a program, evaluation keys, ciphertexts. It never holds a secret key.

use super::Program;
use super::bundle::Bundle;
use super::compile::port_type;
use super::job::{Job, Named, Outcome};
use super::literal::KEYS;
use super::view::Stage;
use crate::bytes::{Kind, Reader, Writer, check_residues, checksum_of, foreign, shown};
use crate::engine::{Clock, Input, Plan, PlanOptions, Run};
use crate::graph::ValueType;
use crate::ops::types::SwitchingKey;
use crate::platform::Platform;
use crate::schemes::columns::{Column, KeyName};
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs one program.
pub struct Evaluator {
    program: Program,
    plan: Arc<Plan>,
    key_words: Vec<u64>,
    /// The keys, shared by all runs, once they are complete.
    keys: Option<Input>,
    missing: BTreeSet<KeyName>,
    /// Whose keys: the first one decides.
    key_id: Option<[u8; 16]>,
    clock: Clock,
}

impl Evaluator {
    /// Rebuilds a program from its bytes and plans it for a platform.
    ///
    /// # Errors
    /// As [`Program::from_bytes`] and [`Plan::new`]; `OutOfMemory` when there is no room for the keys.
    pub fn new(bytes: &[u8], platform: &dyn Platform, clock: Clock) -> Result<Self> {
        let program = Program::from_bytes(bytes)?;
        let graph = program.graph(Stage::Base, platform)?;
        let options = PlanOptions { memory_limit: program.memory_limit(), ..PlanOptions::default() };
        let plan = Arc::new(Plan::new(&graph, program.registry(), platform, options)?);
        let missing = program.keys().map_or(BTreeSet::new(), |k| k.names.iter().cloned().collect());
        // The plan was within the limit, with the keys.
        let key_words = memory::zeros(program.keys().map_or(0, |k| k.ty().size) as usize)?;
        Ok(Self { program, plan, key_words, keys: None, missing, key_id: None, clock })
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes one evaluation key.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; `Foreign` for keys of other parameters or of another client; `OutOfMemory`.
    pub fn load_key(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes, Kind::EvaluationKey)?;
        let (parameters, owner) = (reader.id()?, reader.id()?);
        let text = reader.text()?;
        let foreign = |of, found: &[u8], expected: &[u8]| {
            foreign(format!("evaluation key `{}`", shown(text)), of, found, expected)
        };
        let expected = self.program.parameters().id();
        if parameters != expected {
            return Err(foreign("set of parameters", &parameters, &expected));
        }
        if let Some(first) = self.key_id.filter(|first| *first != owner) {
            return Err(foreign("client", &owner, &first));
        }
        let name =
            KeyName::parse(text).ok_or_else(|| reader.error(format!("no such key: `{}`", shown(text))))?;
        let keys = self.program.keys().filter(|k| k.names.contains(&name));
        // A key that this program does not need, such as one made for another program.
        let Some((keys, offset)) = keys.and_then(|k| Some((k, k.offset(&name)?))) else { return Ok(()) };
        let ty = keys.key(&name);
        let words = reader.words(ty.units())?;
        if !check_residues(&words, ty.n, key_primes(&ty)) {
            return Err(reader.error(format!("`{text}` has words outside its primes")));
        }
        reader.end()?;
        let at = offset as usize;
        if self.keys.is_some() {
            // Loaded again: the runs under way keep what they have.
            return Ok(());
        }
        self.key_words[at..at + words.len()].copy_from_slice(&words);
        self.key_id = Some(owner);
        self.missing.remove(&name);
        if self.missing.is_empty() {
            self.keys = Some(std::mem::take(&mut self.key_words).into());
        }
        Ok(())
    }

    /// Keys that the program needs and that were not loaded yet.
    pub fn missing_keys(&self) -> Vec<String> {
        self.missing.iter().map(ToString::to_string).collect()
    }

    /// A run over encrypted inputs, in any order.
    ///
    /// # Errors
    /// `MissingKey`, `MissingInput`, `Format`, `Foreign`, `OutOfMemory`.
    pub fn run(&self, inputs: &[&[u8]]) -> Result<Job> {
        if let Some(name) = self.missing.first() {
            return Err(Error::MissingKey { name: name.to_string() });
        }
        let id = self.program.id();
        let read = inputs.par_iter().map(|bytes| self.read_input(&id, bytes));
        let data: Vec<EncryptedInput> = read.collect::<Result<_>>()?;
        let owner = self.key_id.or(data.first().map(|first| first.owner)).unwrap_or_default();
        if let Some(other) = data.iter().find(|input| input.owner != owner) {
            return Err(foreign(format!("input `{}`", other.name), "client", &other.owner, &owner));
        }
        let mut ordered = Vec::new();
        let mut checksums = Vec::new();
        for port in self.plan.graph().inputs() {
            if port.name == KEYS {
                ordered.push(self.keys.clone().ok_or(Error::Job("keys are complete here"))?);
                continue;
            }
            let found = data.iter().find(|d| d.name == port.name);
            let found = found.ok_or_else(|| Error::MissingInput { name: port.name.clone() })?;
            ordered.push(found.words.clone());
            checksums.push(found.checksum);
        }
        let of_run = self.program.run_id(&checksums);
        let run = Run::new(Arc::clone(&self.plan), ordered, self.clock)?;
        let bundles = Arc::clone(self.program.bundles());
        Ok(Job::new(run, move |run| {
            let write = |bundle: &Bundle| {
                let names: Vec<&str> = bundle.names().collect();
                let mut blocks = Vec::new();
                for c in &bundle.ciphertexts {
                    blocks.extend(run.output_blocks(c.output, c.offset as usize, c.ty.units() as usize)?);
                }
                let writer = Writer::new(Kind::Output).raw(&id).raw(&owner).raw(&of_run).texts(&names);
                let bytes = writer.blocks(bundle.units() as usize, blocks)?.finish();
                Ok(Named { names: names.into_iter().map(str::to_owned).collect(), bytes, secret: false })
            };
            Ok(Outcome::Objects(bundles.par_iter().map(write).collect::<Result<_>>()?))
        }))
    }

    /// Reads an encrypted input of the program with identity `id`.
    fn read_input(&self, id: &[u8; 16], bytes: &[u8]) -> Result<EncryptedInput> {
        let mut reader = Reader::new(bytes, Kind::Input)?;
        let (program, owner): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let name = reader.text()?;
        if program != *id {
            return Err(foreign(format!("input `{}`", shown(name)), "program", &program, id));
        }
        let graph = self.plan.graph();
        let ty = port_type(graph.inputs(), graph, name)
            .filter(|_| name != KEYS)
            .ok_or_else(|| reader.error(format!("the program has no input `{}`", shown(name))))?;
        let words = reader.words(ty.size)?;
        if !check_residues(&words, ty.dim("n")?, column_primes(ty)?) {
            return Err(reader.error(format!("`{name}` has words outside its primes")));
        }
        reader.end()?;
        let checksum = checksum_of(bytes);
        Ok(EncryptedInput { name: name.to_owned(), owner, words: words.into(), checksum })
    }
}

/// An encrypted input that was read.
struct EncryptedInput {
    name: String,
    /// Whose it is.
    owner: [u8; 16],
    words: Input,
    checksum: [u8; 16],
}

fn key_primes(key: &SwitchingKey) -> impl Iterator<Item = u64> {
    key.all().into_iter().cycle().take(2 * key.digits() * (key.q.len() + key.special.len()))
}

/// The prime of each limb of a column.
fn column_primes(ty: &ValueType) -> Result<impl Iterator<Item = u64> + use<>> {
    Ok(Column::of(ty)?.q.into_iter().cycle())
}
