//! The client: holds the secret key, makes evaluation keys, encrypts and decrypts. Everything that it computes is
//! a graph, run by the same engine as the evaluator's.

use super::bundle::Bundle;
use super::compile::{input_type, is_public};
use super::holder::{Given, Holder, Setting, plan_name};
use super::job::{Job, Named, Outcome, OutputValues};
use super::{InputLiteral, Program, TaskLiteral};
use crate::bytes::{Kind, Reader, Writer, check_residues, foreign, shown};
use crate::engine::{Clock, Input, Run};
use crate::error::FormatProblem;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::{Session, types};
use crate::platform::Platform;
use crate::schemes::columns::{Column, KeyName, OutputCiphertext, statistic_sums};
use crate::schemes::noise;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bits of measured noise budget below which a decryption is refused: once noise wraps around, its largest
/// coefficient lies near Q/2 and the budget near 0.
pub(crate) const LEAST_BUDGET: f64 = 1.0;

/// Holder of a secret key for the parameters of a program.
pub struct Client {
    program: Arc<Program>,
    holder: Holder,
}

impl Client {
    /// A client with a fresh secret key.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn new(program: Arc<Program>, platform: Arc<dyn Platform>, clock: Clock) -> Result<Self> {
        let holder = Holder::new(setting(&program, platform, clock))?;
        Ok(Self { program, holder })
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
        let holder = Holder::restore(setting(&program, platform, clock), saved)?;
        Ok(Self { program, holder })
    }

    /// The client as bytes, overwritten when they are dropped. They contain the secret key: whoever has them can decrypt.
    pub fn save(&self) -> Zeroizing<Vec<u8>> {
        self.holder.save()
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
        let name = keys.names.get(index).ok_or_else(missing)?;
        let from = match *name {
            KeyName::Relinearization(_) => Attrs::new().with("from", "square"),
            KeyName::Galois(g, _) => Attrs::new().with("from", "galois").with("g", g),
        };
        let (parameters, owner) = (self.program.parameters().id(), self.holder.key_id());
        let (name, ty) = (name.to_string(), keys.key(name));
        let size = ty.units() as usize;
        self.holder.switching_key(&ty, from, move |run, _| {
            let writer = Writer::new(Kind::EvaluationKey).raw(&parameters).raw(&owner).text(&name);
            Ok(writer.blocks(size, run.output_blocks(0, 0, size)?)?.finish())
        })
    }

    /// Encrypts the values of inputs with the secret key; the result is for each of them bytes for an evaluator.
    ///
    /// # Errors
    /// `MissingInput` for a name that the program lacks; `InputLength` and `ValueOutOfRange` for values that were not
    /// declared; `Task` when `present` does not fit the declaration.
    pub fn encrypt(&self, inputs: &[Values<'_>]) -> Result<Job> {
        let mut given = Given::default();
        given.secret(&self.holder)?;
        let mut columns = Vec::with_capacity(inputs.len());
        for values in inputs {
            let declared = self.program.task().inputs.iter().find(|i| i.name == values.input);
            let declared = declared.ok_or_else(|| Error::MissingInput { name: values.input.to_owned() })?;
            check_values(declared, values.values, values.present)?;
            let ty = input_type(declared, self.program.parameters());
            // Of each input its own seeds: the numbers of its samples are its own, too.
            given.seeds()?;
            let slots = values.slots(&ty)?;
            columns.push((ty, slots.len()));
            for (ty, words) in slots {
                given.add(ty, words);
            }
        }
        let names: Vec<String> = inputs.iter().map(|values| values.input.to_owned()).collect();
        let (program, owner) = (self.program.id(), self.holder.key_id());
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            let (secret, mut rest) = (given[0], &given[1..]);
            let mut out = Vec::new();
            for (ty, pieces) in columns {
                let (own, others) = rest.split_at(2 + pieces);
                rest = others;
                let data = Attrs::new().with("q", ty.q.as_slice());
                let mut ciphertexts = Vec::new();
                for &slots in &own[2..] {
                    let plain = s.op("slots.encode", Attrs::new(), &[slots])?;
                    let operands = [secret, plain, own[0], own[1]];
                    ciphertexts.push(s.op("bfv.encrypt_secret", data.clone(), &operands)?);
                }
                out.push(("column".to_owned(), s.merge(&ciphertexts, ty.ty())?));
            }
            Ok(out)
        };
        self.holder.job(Some(plan_name("encrypt", &names)), given, build, move |run| {
            let write = |(index, name): (usize, &String)| {
                let size = run.plan().graph().ty(run.plan().graph().outputs()[index].operand).size as usize;
                let writer = Writer::new(Kind::Input).raw(&program).raw(&owner).text(name);
                let bytes = writer.blocks(size, run.output_blocks(index, 0, size)?)?.finish();
                Ok(Named { names: vec![name.clone()], bytes, secret: false })
            };
            Ok(Outcome::Objects(names.par_iter().enumerate().map(write).collect::<Result<_>>()?))
        })
    }

    /// Decrypts outputs of a run, given by name with their bytes, all at once; the result is numbers. A ciphertext that
    /// several share is decrypted once. For an output that is public, the bytes are empty. All must be of one run; with
    /// `run`, of that one ([`Program::run_id`]).
    ///
    /// # Errors
    /// `MissingInput` for a name that the program lacks; `Format` and `Foreign` for bytes that are not such an output;
    /// `OutOfMemory`; the finished job gives `NoiseExhausted` when the noise has reached the limit.
    pub fn decrypt(&self, outputs: &[(&str, &[u8])], mut run: Option<[u8; 16]>) -> Result<Job> {
        let mut given = Given::default();
        given.secret(&self.holder)?;
        let task = self.program.task();
        let numbers: HashMap<&str, usize> =
            task.outputs.iter().enumerate().map(|(number, output)| (output.name.as_str(), number)).collect();
        let sources = task.sources();
        // The same bytes are read once, for all outputs in them.
        let mut distinct: Vec<(&str, &[u8])> = Vec::new();
        let mut wanted = Vec::with_capacity(outputs.len());
        for &(name, bytes) in outputs {
            let &index = numbers.get(name).ok_or_else(|| Error::MissingInput { name: name.to_owned() })?;
            let at = (!is_public(task, index)).then(|| {
                let known = distinct.iter().position(|(_, known)| std::ptr::eq(*known, bytes));
                known.unwrap_or_else(|| {
                    distinct.push((name, bytes));
                    distinct.len() - 1
                })
            });
            wanted.push((Wanted::new(task, index, &sources), at));
        }
        let read = distinct.par_iter().map(|&(name, bytes)| self.read_bundle(name, bytes));
        let read = read.collect::<Result<Vec<_>>>()?;
        // Copies of the same outputs may come in several byte strings.
        let mut copies: HashMap<*const Bundle, usize> = HashMap::new();
        read.iter().for_each(|(bundle, ..)| *copies.entry(std::ptr::from_ref(*bundle)).or_default() += 1);
        let mut known: HashMap<(ValueType, &[u64]), usize> = HashMap::new();
        let mut numbered = Vec::with_capacity(distinct.len());
        for (&(name, _), (bundle, of_run, words)) in distinct.iter().zip(&read) {
            let expected = *run.get_or_insert(*of_run);
            if *of_run != expected {
                return Err(foreign(format!("output `{name}`"), "run", of_run, &expected));
            }
            let copied = copies.get(&std::ptr::from_ref(*bundle)).is_some_and(|&count| count > 1);
            let mut numbers = Vec::with_capacity(bundle.ciphertexts.len());
            let mut rest = words.as_slice();
            for c in &bundle.ciphertexts {
                let (own, others) = rest.split_at(c.ty.units() as usize);
                rest = others;
                // The secret key comes first.
                let next = given.data.len() - 1;
                let number = if copied { *known.entry((c.ty.ty(), own)).or_insert(next) } else { next };
                if number == next {
                    given.add(c.ty.ty(), memory::copy(own)?.into());
                }
                numbers.push(number);
            }
            numbered.push((bundle, numbers));
        }
        for (output, at) in &mut wanted {
            let Some((bundle, numbers)) = at.map(|at| &numbered[at]) else { continue };
            let member = bundle.outputs.iter().find(|member| member.name == output.name);
            let member = member.ok_or_else(|| {
                let found: Vec<&str> = bundle.names().collect();
                let problem = format!("found {}, expected `{}`", quoted(&found), output.name);
                Error::Format { what: Kind::Output.name(), problem: FormatProblem::Content(problem) }
            })?;
            let own = member.ciphertexts.iter().map(|(number, c)| (numbers[*number], c.clone()));
            output.ciphertexts.extend(own);
        }
        let types: Vec<String> = given.types.iter().map(ToString::to_string).collect();
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            let mut results = Vec::new();
            for &ciphertext in &given[1..] {
                let plain = s.op("bfv.decrypt", Attrs::new(), &[given[0], ciphertext])?;
                results.push(("slots".to_owned(), s.op("slots.decode", Attrs::new(), &[plain])?));
                let noise = s.op("bfv.noise", Attrs::new(), &[given[0], ciphertext])?;
                results.push(("noise".to_owned(), noise));
            }
            Ok(results)
        };
        self.holder.job(Some(plan_name("decrypt", &types)), given, build, move |run| {
            let values = wanted.iter().map(|(output, _)| Ok((output.name.clone(), output.read(run)?)));
            Ok(Outcome::Values(values.collect::<Result<_>>()?))
        })
    }

    /// Reads the outputs that travel with output `output`, the run that they are of, and the words of their ciphertexts.
    fn read_bundle(&self, output: &str, bytes: &[u8]) -> Result<(&Bundle, [u8; 16], Vec<u64>)> {
        let mut reader = Reader::new(bytes, Kind::Output)?;
        let (program, owner): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let foreign =
            |of, found: &[u8], expected: &[u8]| foreign(format!("output `{output}`"), of, found, expected);
        let id = self.program.id();
        if program != id {
            return Err(foreign("program", &program, &id));
        }
        if owner != self.holder.key_id() {
            return Err(foreign("client", &owner, &self.holder.key_id()));
        }
        let run = reader.id()?;
        let names = reader.texts()?;
        let own = |bundle: &&Bundle| bundle.names().eq(names.iter().copied());
        let bundle = self.program.bundles().iter().find(own);
        let bundle =
            bundle.ok_or_else(|| reader.error(format!("no outputs travel as {}", quoted(&names))))?;
        let words = reader.words(bundle.units())?;
        let n = self.program.parameters().literal().n;
        if !check_residues(&words, n, bundle.primes()) {
            return Err(reader.error(format!("`{output}` has words outside its primes")));
        }
        reader.end()?;
        Ok((bundle, run, words))
    }
}

fn setting(program: &Program, platform: Arc<dyn Platform>, clock: Clock) -> Setting {
    let (registry, parameters) = (Arc::clone(program.registry()), program.parameters().clone());
    Setting { registry, parameters, memory_limit: program.memory_limit(), platform, clock }
}

/// The values of an input.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// Its name.
    pub input: &'a str,
    /// One integer per row.
    pub values: &'a [i64],
    /// Which rows are there (1) and which are missing (0), for inputs that declare missing cells.
    pub present: Option<&'a [u8]>,
}

impl Values<'_> {
    /// The slots of each ciphertext of the column.
    fn slots(&self, ty: &Column) -> Result<Vec<(ValueType, Input)>> {
        let shown = |row: usize| self.present.is_none_or(|p| p[row] != 0);
        let value = |row: usize| self.values.get(row).copied().filter(|_| shown(row)).unwrap_or(0);
        let flag = |row: usize| i64::from(row < self.values.len() && shown(row));
        let blocks: &[&Cells<'_>] = if ty.missing { &[&value, &flag] } else { &[&value] };
        let moduli = |block| ty.t.iter().map(move |&t| (block, t));
        let chunks = |(block, t)| (0..ty.chunks()).map(move |chunk| (block, t, chunk));
        let pieces: Vec<(&Cells<'_>, u64, usize)> =
            blocks.iter().flat_map(|&block| moduli(block)).flat_map(chunks).collect();
        let slots = pieces.par_iter().map(|&(block, t, chunk)| {
            let modulus = Modulus::new(t)?;
            let words = ty.slots(chunk, |row| modulus.reduce_i64(block(row)));
            Ok((types::slots(ty.n, t), Input::secret(words)))
        });
        slots.collect()
    }
}

/// The integer of each row.
type Cells<'a> = dyn Fn(usize) -> i64 + Sync + 'a;

/// Names as they stand in errors.
fn quoted(names: &[&str]) -> String {
    const MOST: usize = 10;
    let mut all: Vec<String> = names.iter().take(MOST).map(|name| format!("`{}`", shown(name))).collect();
    if names.len() > MOST {
        all.push(format!("{} more", names.len() - MOST));
    }
    all.join(", ")
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
    for (row, &value) in values.iter().enumerate() {
        let here = present.is_none_or(|p| p[row] != 0);
        if here && !(min..=max).contains(&i128::from(value)) {
            return Err(Error::ValueOutOfRange { input: input.name.clone(), row, min, max });
        }
    }
    Ok(())
}

/// An output to be decrypted.
struct Wanted {
    name: String,
    /// Parts that are not encrypted.
    public: BTreeMap<String, Vec<i128>>,
    /// Its ciphertexts, each with its number among those that are decrypted.
    ciphertexts: Vec<(usize, OutputCiphertext)>,
}

impl Wanted {
    /// Output number `index`, without ciphertexts yet; `sources` of the task.
    fn new(task: &TaskLiteral, index: usize, sources: &[Option<usize>]) -> Self {
        let (name, operand) = (task.outputs[index].name.clone(), task.outputs[index].operand);
        let mut wanted = Self { name, public: BTreeMap::new(), ciphertexts: Vec::new() };
        let sums = task.node(operand).and_then(|n| statistic_sums(&n.op));
        if sums.is_some_and(|sums| sums.contains(&"n")) {
            // The count of complete columns is public; that of others is replaced by what is decrypted.
            let rows = sources[operand].map_or(0, |input| task.inputs[input].rows);
            wanted.public.insert("n".into(), vec![rows as i128]);
        }
        wanted
    }

    /// Puts the integers together from their residues modulo each plaintext modulus.
    fn read(&self, run: &Run) -> Result<OutputValues> {
        let mut worst = f64::INFINITY;
        let mut residues: BTreeMap<&str, Vec<Residues>> = BTreeMap::new();
        for (at, c) in &self.ciphertexts {
            let log2_noise = f64::from_bits(run.output(2 * at + 1)?[0]);
            worst = worst.min(noise::log2(&c.ty.q) - 1.0 - log2_noise);
            let slots = Zeroizing::new(run.output(2 * at)?);
            for read in &c.reads {
                let part = residues.entry(&read.part).or_default();
                if part.last().is_none_or(|last| last.t != c.t) {
                    let rows = Zeroizing::new(memory::room(self.rows(&read.part))?);
                    part.push(Residues { t: c.t, rows });
                }
                if let Some(last) = part.last_mut() {
                    // Rows come in order.
                    let values = slots.iter().skip(read.rows.slot).step_by(read.rows.stride);
                    last.rows.extend(values.take(read.rows.count));
                }
            }
        }
        let enough = worst >= LEAST_BUDGET;
        if !enough {
            let what = self.name.clone();
            return Err(Error::NoiseExhausted { what, budget: worst, needed: LEAST_BUDGET });
        }
        let mut parts = self.public.clone();
        for (part, residues) in residues {
            parts.insert(part.to_owned(), combine(&residues)?);
        }
        Ok(OutputValues { parts, noise_budget_bits: worst })
    }

    /// Rows of a part.
    fn rows(&self, part: &str) -> usize {
        let reads = self.ciphertexts.iter().flat_map(|(_, c)| &c.reads).filter(|read| read.part == part);
        reads.map(|read| read.rows.first + read.rows.count).max().unwrap_or(0)
    }
}

/// The rows of a part modulo one plaintext modulus.
pub(crate) struct Residues {
    pub t: u64,
    pub rows: Zeroizing<Vec<u64>>,
}

/// The integers of least absolute value with these residues: mixed radix digits (Garner). The product of the moduli is
/// below 2^126.
pub(crate) fn combine(residues: &[Residues]) -> Result<Vec<i128>> {
    let mut values = Zeroizing::new(memory::zeros::<u128>(residues.first().map_or(0, |r| r.rows.len()))?);
    let mut product = 1u128;
    for Residues { t, rows } in residues {
        let t = Modulus::new(*t)?;
        let inverse = t.inv(t.reduce_u128(product))?;
        for (value, &residue) in values.iter_mut().zip(rows.iter()) {
            let digit = t.mul(t.sub(residue, t.reduce_u128(*value)), inverse);
            *value += product * u128::from(digit);
        }
        product *= u128::from(t.value());
    }
    let center = |v: u128| if v > product / 2 { v as i128 - product as i128 } else { v as i128 };
    let mut centered = memory::room(values.len())?;
    centered.extend(values.iter().copied().map(center));
    Ok(centered)
}
