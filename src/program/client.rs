//! The client: holds the secret key, makes evaluation keys, encrypts and decrypts. Everything that it computes is
//! a graph, run by the same engine as the evaluator's.

use super::bytes::{Kind, Reader, Writer, check_residues, foreign};
use super::compile::{input_type, is_public, port_type};
use super::job::{Job, Outcome, OutputValues};
use super::{InputLiteral, Program};
use crate::engine::{Clock, Input, Plan, PlanOptions, Run};
use crate::expand::Expander;
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::sample::Seed;
use crate::ops::{Session, types};
use crate::platform::Platform;
use crate::schemes::columns::{KeyName, OutputCiphertext, output_ciphertexts, statistic_sums};
use crate::schemes::noise;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Bits of measured noise budget below which a decryption is refused: once noise wraps around, its largest
/// coefficient lies near Q/2 and the budget near 0.
const LEAST_BUDGET: f64 = 1.0;

/// Holder of a secret key for the parameters of a program.
pub struct Client {
    program: Arc<Program>,
    platform: Arc<dyn Platform>,
    clock: Clock,
    /// The secret key follows from it; drawn from the platform's CSPRNG.
    seed: Seed,
    key_id: [u8; 16],
    secret: OnceLock<Input>,
}

impl Client {
    /// A client with a fresh secret key.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn new(program: Arc<Program>, platform: Arc<dyn Platform>, clock: Clock) -> Result<Self> {
        Ok(Self::with_seed(program, platform, clock, Seed::generate()?))
    }

    /// A client with the secret key of a saved one.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; `Foreign` when the saved key has other parameters.
    pub fn restore(
        program: Arc<Program>,
        platform: Arc<dyn Platform>,
        clock: Clock,
        saved: &[u8],
    ) -> Result<Self> {
        let mut reader = Reader::new(saved, Kind::Client)?;
        let (parameters, seed): ([u8; 16], [u8; 32]) = (reader.id()?, reader.id()?);
        reader.end()?;
        let expected = program.parameters().id();
        if parameters != expected {
            return Err(foreign("saved client".to_owned(), "set of parameters", &parameters, &expected));
        }
        Ok(Self::with_seed(program, platform, clock, Seed::from(seed)))
    }

    fn with_seed(program: Arc<Program>, platform: Arc<dyn Platform>, clock: Clock, seed: Seed) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 key identity v1");
        hasher.update(seed.as_bytes()).update(&program.parameters().id());
        let mut key_id = [0; 16];
        hasher.finalize_xof().fill(&mut key_id);
        Self { program, platform, clock, seed, key_id, secret: OnceLock::new() }
    }

    /// The client as bytes. They contain the secret key: whoever has them can decrypt.
    pub fn save(&self) -> Vec<u8> {
        Writer::new(Kind::Client).raw(&self.program.parameters().id()).raw(self.seed.as_bytes()).finish()
    }

    /// The program that it is a client of.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Makes evaluation key number `index` of the program; the result is its bytes.
    ///
    /// # Errors
    /// `MissingKey` when the program has no such key.
    pub fn key(&self, index: usize) -> Result<Job> {
        let missing = || Error::MissingKey { name: index.to_string() };
        let keys = self.program.keys().ok_or_else(missing)?;
        let name = keys.names.get(index).ok_or_else(missing)?.clone();
        let ty = keys.key(&name);
        let mut task = self.task()?;
        let attrs = Attrs::new().with("q", ty.q.as_slice()).with("special", ty.special.as_slice());
        let attrs = attrs.with("digit", ty.digit);
        let attrs = match name {
            KeyName::Relinearization(_) => attrs.with("from", "square"),
            KeyName::Galois(g, _) => attrs.with("from", "galois").with("g", g),
        };
        let [secret, public_seed, secret_seed] = [task.secret()?, task.public_seed()?, task.secret_seed()?];
        let key = task.session.op("rlwe.switching_key", attrs, &[secret, public_seed, secret_seed])?;
        let key = [("key".to_owned(), key)];
        let (parameters, owner) = (self.program.parameters().id(), self.key_id);
        self.job(task, &key, move |run| {
            let writer = Writer::new(Kind::EvaluationKey).raw(&parameters).raw(&owner);
            Ok(Outcome::Bytes(writer.text(&name.to_string()).words(&run.output(0)?).finish()))
        })
    }

    /// Encrypts the values of an input with the secret key; the result is bytes for an evaluator. `present` tells which
    /// rows are there (1) and which are missing (0), for inputs that declare missing cells.
    ///
    /// # Errors
    /// `MissingInput` for a name that the program lacks; `InputLength` and `ValueOutOfRange` for values that were not
    /// declared; `Task` when `present` does not fit the declaration.
    pub fn encrypt(&self, input: &str, values: &[i64], present: Option<&[u8]>) -> Result<Job> {
        let declared = self.program.task().inputs.iter().find(|i| i.name == input);
        let declared = declared.ok_or_else(|| Error::MissingInput { name: input.to_owned() })?;
        check_values(declared, values, present)?;
        let ty = input_type(declared, self.program.parameters());
        let mut task = self.task()?;
        let [secret, public_seed, secret_seed] = [task.secret()?, task.public_seed()?, task.secret_seed()?];
        let data = Attrs::new().with("q", ty.q.as_slice());
        let shown = |row: usize| present.is_none_or(|p| p[row] != 0);
        let value = |row: usize| values.get(row).copied().filter(|_| shown(row)).unwrap_or(0);
        let flag = |row: usize| i64::from(row < values.len() && shown(row));
        let mut out = Vec::new();
        let blocks: &[&dyn Fn(usize) -> i64] = if ty.missing { &[&value, &flag] } else { &[&value] };
        for block in blocks {
            for &t in &ty.t {
                let modulus = Modulus::new(t)?;
                for chunk in 0..ty.chunks() {
                    let residues = (0..ty.n).map(|slot| modulus.reduce_i64(block(chunk * ty.n + slot)));
                    let slots = task.input(types::slots(ty.n, t), residues.collect())?;
                    let plain = task.session.op("bfv.encode", Attrs::new(), &[slots])?;
                    let operands = [secret, plain, public_seed, secret_seed];
                    out.push(task.session.op("bfv.encrypt_secret", data.clone(), &operands)?);
                }
            }
        }
        let column = [(input.to_owned(), task.session.merge(&out, ty.ty())?)];
        let (program, owner, name) = (self.program.id(), self.key_id, input.to_owned());
        self.job(task, &column, move |run| {
            let writer = Writer::new(Kind::Input).raw(&program).raw(&owner);
            Ok(Outcome::Bytes(writer.text(&name).words(&run.output(0)?).finish()))
        })
    }

    /// Decrypts an output of a run; the result is numbers. For an output that is public, `bytes` is empty.
    ///
    /// # Errors
    /// `MissingInput` for a name that the program lacks; `Format` and `Foreign` for bytes that are not such an output;
    /// the finished job gives `NoiseExhausted` when the noise has reached the limit.
    pub fn decrypt(&self, output: &str, bytes: &[u8]) -> Result<Job> {
        let task_literal = self.program.task();
        let index = task_literal.outputs.iter().position(|o| o.name == output);
        let index = index.ok_or_else(|| Error::MissingInput { name: output.to_owned() })?;
        let operand = task_literal.outputs[index].operand;
        let mut parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let sums = task_literal.node(operand).and_then(|n| statistic_sums(&n.op));
        if sums.is_some_and(|sums| sums.contains(&"n")) {
            // The count of complete columns is public; that of others is replaced by what is decrypted.
            parts.insert("n".into(), vec![task_literal.rows(operand).to_string()]);
        }
        let mut task = self.task()?;
        if is_public(task_literal, index) {
            return self.job(task, &[], move |_| {
                Ok(Outcome::Values(OutputValues { parts, noise_budget_bits: f64::INFINITY }))
            });
        }
        let (ty, words) = self.read_output(output, bytes)?;
        let ciphertexts = output_ciphertexts(&ty)?;
        let whole = task.input(ty, words)?;
        let secret = task.secret()?;
        let mut results = Vec::new();
        for c in &ciphertexts {
            let one = task.session.split(whole, c.offset, c.ty.ty())?;
            let plain = task.session.op("bfv.decrypt", Attrs::new(), &[secret, one])?;
            results.push(("slots".to_owned(), task.session.op("bfv.decode", Attrs::new(), &[plain])?));
            results.push(("noise".to_owned(), task.session.op("bfv.noise", Attrs::new(), &[secret, one])?));
        }
        let name = output.to_owned();
        self.job(task, &results, move |run| finish_decryption(run, &name, &ciphertexts, parts))
    }

    fn read_output(&self, output: &str, bytes: &[u8]) -> Result<(ValueType, Vec<u64>)> {
        let mut reader = Reader::new(bytes, Kind::Output)?;
        let (program, owner): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let foreign =
            |of, found: &[u8], expected: &[u8]| foreign(format!("output `{output}`"), of, found, expected);
        let id = self.program.id();
        if program != id {
            return Err(foreign("program", &program, &id));
        }
        if owner != self.key_id {
            return Err(foreign("client", &owner, &self.key_id));
        }
        let name = reader.text()?;
        if name != output {
            return Err(reader.error(format!("found output `{name}`, expected `{output}`")));
        }
        let graph = self.program.graph(super::Stage::Scheme, &*self.platform)?;
        let ty = port_type(graph.outputs(), &graph, output).cloned();
        let ty = ty.ok_or_else(|| Error::MissingInput { name: output.to_owned() })?;
        let words = reader.words()?;
        let primes = ty.attrs.uints("q")?;
        if words.len() as u64 != ty.size || !check_residues(&words, ty.dim("n")?, primes.into_iter().cycle())
        {
            return Err(reader.error(format!("`{output}` has the wrong size or words outside its primes")));
        }
        reader.end()?;
        Ok((ty, words))
    }

    fn task(&self) -> Result<ClientTask<'_>> {
        let session = Session::new(Graph::new(64), self.program.registry());
        Ok(ClientTask { client: self, session, data: Vec::new() })
    }

    /// The secret key in NTT form over all primes; worked out once.
    fn secret_words(&self) -> Result<Input> {
        if let Some(secret) = self.secret.get() {
            return Ok(Arc::clone(secret));
        }
        let n = self.program.parameters().literal().n;
        let attrs = Attrs::new().with("n", n).with("q", self.program.parameters().secret_primes());
        let mut task = self.task()?;
        let seed = task.input(types::secret_seed(), seed_words(&self.seed))?;
        let secret = [("secret".to_owned(), task.session.op("rlwe.secret_key", attrs, &[seed])?)];
        let mut run = self.run(task, &secret)?;
        run.finish();
        let words: Input = run.output(0)?.into();
        Ok(Arc::clone(self.secret.get_or_init(|| words)))
    }

    fn run(&self, mut task: ClientTask<'_>, outputs: &[(String, OperandId)]) -> Result<Run> {
        for (name, operand) in outputs {
            task.session.graph_mut().declare_output(name, *operand);
        }
        let graph = task.session.finish();
        let mut expander = Expander::new(self.program.registry());
        let graph = super::compile::base(&mut expander, &graph, &*self.platform)?;
        let options = PlanOptions { memory_limit: self.program.memory_limit(), wipe: true };
        let plan = Plan::new(&graph, &*self.platform, options)?;
        Run::new(Arc::new(plan), task.data, self.clock)
    }

    fn job(
        &self,
        task: ClientTask<'_>,
        outputs: &[(String, OperandId)],
        finish: impl FnOnce(&Run) -> Result<Outcome> + Send + 'static,
    ) -> Result<Job> {
        Ok(Job::new(self.run(task, outputs)?, finish))
    }
}

/// A graph of the client under construction, with its data.
struct ClientTask<'c> {
    client: &'c Client,
    session: Session<'c>,
    data: Vec<Input>,
}

impl ClientTask<'_> {
    fn input(&mut self, ty: ValueType, words: Vec<u64>) -> Result<OperandId> {
        self.shared(ty, words.into())
    }

    fn shared(&mut self, ty: ValueType, words: Input) -> Result<OperandId> {
        let name = self.data.len().to_string();
        self.data.push(words);
        Ok(self.session.graph_mut().add_input(&name, ty)?)
    }

    fn secret(&mut self) -> Result<OperandId> {
        let parameters = self.client.program.parameters();
        let ty = types::secret_key(parameters.literal().n, &parameters.secret_primes());
        let words = self.client.secret_words()?;
        self.shared(ty, words)
    }

    /// A fresh seed that may be shown.
    fn public_seed(&mut self) -> Result<OperandId> {
        self.input(types::public_seed(), seed_words(&Seed::generate()?))
    }

    /// A fresh seed that is never shown.
    fn secret_seed(&mut self) -> Result<OperandId> {
        self.input(types::secret_seed(), seed_words(&Seed::generate()?))
    }
}

fn seed_words(seed: &Seed) -> Vec<u64> {
    seed.as_bytes().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect()
}

fn check_values(input: &InputLiteral, values: &[i64], present: Option<&[u8]>) -> Result<()> {
    let length = |found: usize| {
        let (input, expected) = (input.name.clone(), input.rows);
        Err(Error::InputLength { input, found, expected })
    };
    if values.len() != input.rows {
        return length(values.len());
    }
    if let Some(present) = present {
        if !input.missing {
            return Err(Error::Task {
                at: format!("input `{}`", input.name),
                found: "missing cells".into(),
                expected: "a value in every row: the input was declared without missing cells".into(),
            });
        }
        if present.len() != input.rows {
            return length(present.len());
        }
    }
    let (min, max) = input.bounds()?;
    for (row, &found) in values.iter().enumerate() {
        let here = present.is_none_or(|p| p[row] != 0);
        if here && !(min..=max).contains(&i128::from(found)) {
            return Err(Error::ValueOutOfRange { input: input.name.clone(), row, found, min, max });
        }
    }
    Ok(())
}

fn finish_decryption(
    run: &Run,
    name: &str,
    ciphertexts: &[OutputCiphertext],
    mut parts: BTreeMap<String, Vec<String>>,
) -> Result<Outcome> {
    let mut worst = f64::INFINITY;
    // Residues of one integer, by (part, row): one for each plaintext modulus, in order.
    let mut residues: BTreeMap<(&str, usize), Vec<(u64, u64)>> = BTreeMap::new();
    for (index, c) in ciphertexts.iter().enumerate() {
        let log2_noise = f64::from_bits(run.output(2 * index + 1)?[0]);
        worst = worst.min(noise::log2(&c.ty.q) - 1.0 - log2_noise);
        for (slot, value) in run.output(2 * index)?.into_iter().take(c.rows).enumerate() {
            residues.entry((&c.part, c.first_row + slot)).or_default().push((value, c.ty.t));
        }
    }
    if worst < LEAST_BUDGET {
        return Err(Error::NoiseExhausted { what: name.into(), budget: worst, needed: LEAST_BUDGET });
    }
    let mut fresh: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((part, _), residues) in &residues {
        fresh.entry(part).or_default().push(combine(residues)?.to_string());
    }
    parts.extend(fresh.into_iter().map(|(part, values)| (part.to_owned(), values)));
    Ok(Outcome::Values(OutputValues { parts, noise_budget_bits: worst }))
}

/// The integer of least absolute value with these (residue, modulus) pairs: mixed radix digits (Garner). The product of
/// the moduli is below 2^126.
fn combine(residues: &[(u64, u64)]) -> Result<i128> {
    let (mut value, mut product) = (0u128, 1u128);
    for &(residue, t) in residues {
        let t = Modulus::new(t)?;
        let so_far = t.reduce_u128(value);
        let digit = t.mul(t.sub(residue, so_far), t.inv(t.reduce_u128(product))?);
        value += product * u128::from(digit);
        product *= u128::from(t.value());
    }
    Ok(if value > product / 2 { value as i128 - product as i128 } else { value as i128 })
}
