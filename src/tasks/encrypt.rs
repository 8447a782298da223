//! Values in clear, encrypted: what a client does with the secret key, and a data owner with the public one.

use super::body::{self, Limbs, Streams};
use super::program::Program;
use super::runner::{Given, PublicSeed, Runner, plan_name};
use super::slots;
use super::travel::{self, Descriptor, FRESH, Origin};
use crate::bytes::hex;
use crate::circuit::{Job, Named, Outcome};
use crate::engine::Input;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::{Modulus, swept};
use crate::ops::Session;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::{self, Ciphertext, Extract, Scheme};
use crate::packed::Layout;
use crate::schemes::Operators;
use crate::values::{GivenCells, PackedValue, Range};
use crate::{Error, Result, parallel};
use zeroize::Zeroizing;

/// What a value becomes: what it is in bytes, the types of its ciphertexts, and the seed of its uniform halves.
type Fresh = (Descriptor, Vec<Extract>, Option<PublicSeed>);

/// Who encrypts, and with what.
pub struct Encryption<'a> {
    /// For which program.
    pub program: &'a Program,
    /// What plans and runs its graphs.
    pub runner: &'a Runner,
    /// The secret key or the public one, as graphs take it.
    pub key: (ValueType, Input),
    /// Identity of the secret key.
    pub key_id: [u8; 16],
    /// Whether it is the public one.
    pub public: bool,
}

impl Encryption<'_> {
    /// Encrypts values, by the names of inputs; the result is for each of them bytes for an evaluator.
    ///
    /// # Errors
    /// `MissingInput` for a name that is no encrypted input; `InputLength` and `ValueOutOfRange` for cells that were not declared; `Task` for cells of another kind, and
    /// for an input that is a result.
    pub fn job(self, inputs: &[(&str, &GivenCells)]) -> Result<Job> {
        let Self { program, runner, key, key_id, public } = self;
        let literal = program.parameters().literal();
        let mut given = Given::default();
        given.add(key.0, key.1);
        let mut values: Vec<Fresh> = Vec::new();
        let prepared = |&(name, cells): &(&str, &GivenCells)| -> Result<_> {
            let value = program.packing().inputs.iter().find(|value| value.name == name);
            let value = value.ok_or_else(|| Error::MissingInput { name: name.to_owned() })?;
            if let Some(result) = program.result(name) {
                let (at, found) = (format!("input `{name}`"), "cells that are to be encrypted".to_owned());
                let expected = format!("the result `{}` of program {}", result.name, result.program);
                return Err(Error::Task { at, found, expected });
            }
            swept(|| check(value, cells, program.halves().given.get(name).copied()))?;
            Ok((program.descriptor(value, true)?.clone(), slots_of(program, value, cells)?))
        };
        let cells = inputs.iter().map(|(_, cells)| cells.len()).sum();
        for prepared in parallel::map(cells, inputs, prepared) {
            let ((mut descriptor, types), slots) = prepared?;
            descriptor.public = public;
            // Of each value its own seeds: the numbers of its samples are its own, too. What a public key encrypts has no half that a seed gives.
            let seed = if public { None } else { Some(given.public_seed()?) };
            given.secret_seed()?;
            for (t, mut words) in slots {
                given.add(slot_type(literal.n, t)?, Input::secret(std::mem::take(&mut *words)));
            }
            values.push((descriptor, types, seed));
        }
        let origin = Origin { parameters: program.parameters().id(), owner: key_id, run: FRESH };
        let (names, special) = (literal.scheme.operators(), public.then_some(literal.special.as_slice()));
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            let (key, mut rest) = (given[0], &given[1..]);
            let mut out = Vec::new();
            for (_, types, seed) in &values {
                let seeds = 1 + usize::from(seed.is_some());
                let (own, others) = rest.split_at(seeds + types.len());
                rest = others;
                let (seeds, slots) = own.split_at(seeds);
                for (&slots, ty) in slots.iter().zip(types) {
                    let encrypted = encrypted(s, [key, slots], seeds, &ty.ciphertext, names, special)?;
                    out.push(("ciphertext".to_owned(), encrypted));
                }
            }
            Ok(out)
        };
        let given_names: Vec<String> = inputs.iter().map(|(name, _)| (*name).to_owned()).collect();
        // Of one key's program: another program has another graph.
        let name = plan_name(&format!("encrypt {}", hex(&program.id())), &given_names);
        let plan = runner.planned(Some(name), &given, build)?;
        runner.run(plan, given, move |run| {
            let limbs: Vec<Vec<Limbs>> =
                values.iter().map(|(_, types, _)| Limbs::of_ciphertexts(types)).collect();
            let words = limbs.iter().map(|limbs| body::words(limbs)).sum();
            // Outputs are numbered through all values.
            let mut next = 0;
            let numbered = values.iter().zip(&limbs).map(|(value, limbs)| {
                next += limbs.len();
                (value, limbs, next - limbs.len())
            });
            let object = |((descriptor, _, seed), limbs, first): (&Fresh, &Vec<Limbs>, usize)| {
                let outputs: Vec<(usize, &Limbs)> = (first..).zip(limbs).collect();
                let seed = seed.as_ref();
                let streams = seed.and_then(|seed| Streams::of(run.plan().graph(), seed, &outputs));
                let mut blocks = Vec::new();
                for (output, limbs) in outputs {
                    blocks.extend(run.output_blocks(output, 0, limbs.words())?);
                }
                let bytes =
                    body::write(travel::writer(&origin, descriptor), limbs, streams.as_ref(), blocks)?;
                Ok(Named { names: vec![descriptor.name.clone()], bytes, secret: false })
            };
            Ok(Outcome::Objects(parallel::map(words, numbered, object).into_iter().collect::<Result<_>>()?))
        })
    }
}

/// The type of slots, modulo a plaintext modulus or as reals.
fn slot_type(n: usize, t: Option<u64>) -> Result<ValueType> {
    match t {
        Some(t) => Ok(types::slots(n, t)),
        None => Tensor::new(Element::F64, [n as u64 / 2]).ty(64),
    }
}

/// Slots to a fresh ciphertext of that type. `seeds`: with the secret key a public one and a secret one; with the public key a secret one alone, and `special` are the
/// primes by which what is encrypted is divided.
fn encrypted(
    s: &mut Session<'_>,
    [key, slots]: [OperandId; 2],
    seeds: &[OperandId],
    ty: &Ciphertext,
    names: &Operators,
    special: Option<&[u64]>,
) -> Result<OperandId> {
    let attrs = match ty.scheme {
        Scheme::Ckks { scale } => Attrs::new().with("scale", scale),
        Scheme::Bfv { .. } | Scheme::Bgv { .. } => Attrs::new(),
    };
    let plain = s.op(names.encode, attrs, &[slots])?;
    let inputs = [&[key, plain], seeds].concat();
    let attrs = match special {
        None => {
            let attrs = Attrs::new().with("q", ty.q.as_slice()).with("form", ty.form.name());
            return s.op(names.encrypt_secret, attrs, &inputs);
        }
        Some([]) => Attrs::new(),
        Some(special) => Attrs::new().with("drop", special),
    };
    let ciphertext = s.op(names.encrypt_public, attrs, &inputs)?;
    s.op("rlwe.ntt", Attrs::new(), &[ciphertext])
}

/// Slots of a ciphertext, and its plaintext modulus where they are residues.
pub type OneVector = (Option<u64>, Zeroizing<Vec<u64>>);

/// The slots of every ciphertext of a value, in the order in which they travel, each with its plaintext modulus.
pub fn slots_of(program: &Program, value: &PackedValue, cells: &GivenCells) -> Result<Vec<OneVector>> {
    let (frame, moduli) = (program.frame(), program.plain_moduli()?);
    let mut all = Vec::new();
    let mut add = |layout: &Layout, cells: Vec<Zeroizing<Vec<u64>>>| -> Result<()> {
        let of = |(part, at): (u64, usize)| -> Result<_> {
            let vector = slots::whole(layout, frame, part);
            let words = match &moduli[at] {
                Some(t) => slots::integers(&vector, t, &cells[at])?,
                None => slots::reals(&vector, &cells[at])?,
            };
            Ok((moduli[at].as_ref().map(Modulus::value), Zeroizing::new(words)))
        };
        let parts = layout.parts(frame);
        let words = (parts.len() * moduli.len()) << frame.slots();
        let parts = parts.into_iter().flat_map(|part| (0..moduli.len()).map(move |at| (part, at)));
        for words in parallel::map(words, parts, of) {
            all.push(words?);
        }
        Ok(())
    };
    let words = moduli.iter().map(|t| swept(|| words(cells, t.as_ref(), value)));
    add(&value.layout, words.collect::<Result<_>>()?)?;
    if let (Some(layout), Some(present)) = (&value.present, cells.present()) {
        let flags = |t: &Option<Modulus>| {
            let word =
                |is: &bool| if t.is_some() { u64::from(*is) } else { f64::from(u8::from(*is)).to_bits() };
            Zeroizing::new(present.iter().map(word).collect::<Vec<u64>>())
        };
        add(layout, moduli.iter().map(|t| swept(|| flags(t))).collect())?;
    }
    Ok(all)
}

/// Cells as slots hold them: residues, or the bits of doubles.
fn words(cells: &GivenCells, t: Option<&Modulus>, value: &PackedValue) -> Result<Zeroizing<Vec<u64>>> {
    match t {
        Some(t) => cells.residues(t, &value.name),
        None => cells.bits_of_reals(slots::unit(&value.value)),
    }
}

fn check(value: &PackedValue, cells: &GivenCells, range: Option<Range>) -> Result<()> {
    if cells.len() as u64 != value.value.cells() {
        let expected = usize::try_from(value.value.cells()).unwrap_or(usize::MAX);
        return Err(Error::InputLength { input: value.name.clone(), found: cells.len(), expected });
    }
    if !cells.fits(&value.value) {
        let (at, found) = (format!("input `{}`", value.name), "cells of another kind".to_owned());
        return Err(Error::Task { at, found, expected: value.value.to_string() });
    }
    check_cells(&value.name, cells, range)
}

/// Checks that cells that are there lie in the declared range.
pub fn check_cells(name: &str, cells: &GivenCells, range: Option<Range>) -> Result<()> {
    let Some(range) = range else { return Ok(()) };
    let Some(row) = cells.outside(range) else { return Ok(()) };
    let bounds = match range {
        Range::Integers { min, max } => (min, max),
        Range::Reals { min, max } => (min.floor() as i128, max.ceil() as i128),
        Range::Unknown => (i128::MIN, i128::MAX),
    };
    Err(Error::ValueOutOfRange { input: name.to_owned(), row, min: bounds.0, max: bounds.1 })
}
