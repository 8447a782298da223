//! The client: holds the secret key, makes evaluation keys, encrypts values, decrypts results and finishes them.

use super::body::{self, Limbs, Streams};
use super::encrypt::{Encryption, check_cells};
use super::finish::{self, Decrypted};
use super::holder::Holder;
use super::program::Program;
use super::residues::{Residues, combine};
use super::runner::{Given, Setting, plan_name};
use super::slots;
use super::travel;
use crate::bytes::{Kind, Writer, checksum_of, foreign, shown};
use crate::circuit::{Job, Outcome, OutputCells};
use crate::engine::{Clock, Run};
use crate::graph::{Attrs, OperandId, Real};
use crate::ops::Session;
use crate::ops::types::{self, Extract};
use crate::packed::Layout;
use crate::platform::Platform;
use crate::schemes::close::KeyName;
use crate::schemes::noise;
use crate::values::number::Number;
use crate::values::types::{Kind as ValueKind, Value};
use crate::values::{Exact, GivenCells, PackedValue};
use crate::{Error, Result, memory};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bits of measured noise budget below which a decryption is refused: once noise wraps around, its largest coefficient lies near Q/2 and the budget near 0.
const LEAST_BUDGET: f64 = 1.0;

/// Bits that a budget may be less than bounds promise, of an extract: it has few coefficients, of which the largest may lie anywhere.
const SLACK: f64 = 1.0;

/// Holder of a secret key for the parameters of a program.
pub struct Client {
    program: Arc<Program>,
    holder: Arc<Holder>,
}

impl Client {
    /// A client with a fresh secret key.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn new(program: Arc<Program>, platform: Arc<dyn Platform>, clock: Clock) -> Result<Self> {
        let holder = Arc::new(Holder::new(Setting::of(&program, platform, clock))?);
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
        let holder = Arc::new(Holder::restore(Setting::of(&program, platform, clock), saved)?);
        Ok(Self { program, holder })
    }

    /// The same key, for another program under the same parameters.
    ///
    /// # Errors
    /// `Foreign` for other parameters.
    pub fn for_program(&self, program: Arc<Program>) -> Result<Self> {
        let (found, expected) = (program.parameters().id(), self.program.parameters().id());
        if found != expected {
            return Err(foreign("program".to_owned(), "set of parameters", &found, &expected));
        }
        Ok(Self { program, holder: Arc::clone(&self.holder) })
    }

    /// The client as bytes, overwritten when they are dropped: whoever has them can decrypt.
    pub fn save(&self) -> Zeroizing<Vec<u8>> {
        self.holder.save()
    }

    /// How many results were decrypted under this key to be published, as far as it and the saved keys that it comes from know.
    pub fn released(&self) -> u64 {
        self.holder.used()
    }

    /// The program that it is a client of.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Makes an evaluation key of the program, by name; the result is its bytes.
    ///
    /// # Errors
    /// `MissingKey` when the program has no such key.
    pub fn key(&self, name: &str) -> Result<Job> {
        let missing = || Error::MissingKey { name: name.to_owned() };
        let key = KeyName::parse(name).ok_or_else(missing)?;
        let &level = self.program.keys().get(&key).ok_or_else(missing)?;
        let from = match key {
            KeyName::Relinearization => Attrs::new().with("from", "square"),
            KeyName::Galois(g) => Attrs::new().with("from", "galois").with("g", g),
        };
        let ty = self.program.chain().key(level);
        let attrs = from.with("q", ty.q.as_slice()).with("special", ty.special.as_slice());
        let attrs = types::with_error_factor(attrs.with("digit", ty.digit), ty.factor);
        let head = self.head(Kind::ValueKey).text(&key.to_string());
        self.made("rlwe.switching_key", attrs, head, Limbs::of_key(&ty))
    }

    /// Makes the public key, with which data owners encrypt; the result is its bytes.
    ///
    /// # Errors
    /// `NoPublicKey` for a program that was not compiled for data owners.
    pub fn public_key(&self) -> Result<Job> {
        self.program.takes_public(|| "public key of a client".to_owned())?;
        let primes = self.program.parameters().secret_primes();
        let attrs = types::with_error_factor(Attrs::new().with("q", primes), self.program.chain().factor);
        let (_, limbs) = self.program.public_key();
        self.made("rlwe.public_key", attrs, self.head(Kind::PublicKey), limbs)
    }

    /// Begins the bytes of a key: whose it is.
    fn head(&self, kind: Kind) -> Writer {
        Writer::new(kind).raw(&self.program.parameters().id()).raw(&self.holder.key_id())
    }

    /// A key of these limbs as bytes, of which `head` is there.
    fn made(&self, op: &str, attrs: Attrs, head: Writer, limbs: Limbs) -> Result<Job> {
        self.holder.key(op, attrs, move |run, seed| {
            let streams = Streams::of(run.plan().graph(), seed, &[(0, &limbs)]);
            let blocks = run.output_blocks(0, 0, limbs.words())?;
            body::write(head, &[limbs], streams.as_ref(), blocks)
        })
    }

    /// Encrypts values, by the names of inputs; the result is for each of them bytes for an evaluator.
    ///
    /// # Errors
    /// `MissingInput` for a name that is no encrypted input; `InputLength` and `ValueOutOfRange` for cells that were not declared.
    pub fn encrypt(&self, inputs: &[(&str, &GivenCells)]) -> Result<Job> {
        let Self { program, holder } = self;
        let (key, key_id) = (holder.secret()?, holder.key_id());
        Encryption { program, runner: holder.runner(), key, key_id, public: false }.job(inputs)
    }

    /// Decrypts results of a run, all of them, and finishes them: every declared output of the task, by name. `public` are the public inputs; `inputs`, where they
    /// are given, all encrypted inputs of the run. Where results may be published ([`Options::releases`](super::Options::releases)), each time counts: under CKKS
    /// noise is drawn anew, of which the mean of many would be free, and no budget is told.
    ///
    /// # Errors
    /// `MissingInput` for a result or an input that is not given; `Foreign` for results of another program, and of other inputs; `Format`, `Foreign` and `Task` for bytes that are not such a result; `Released` and
    /// `Foreign` where as many were decrypted as may be published, or others were counted by other numbers; `OutOfMemory`; the finished job gives
    /// `NoiseExhausted`, or `NoiseHidden` of what may be published, when the noise has reached the limit.
    pub fn decrypt(
        &self,
        results: &[&[u8]],
        public: &BTreeMap<String, GivenCells>,
        inputs: Option<&[(&str, &[u8])]>,
    ) -> Result<Job> {
        let program = &self.program;
        let releases = program.releases();
        if let Some(releases) = releases {
            self.holder.check_release(releases)?;
        }
        let mut given = Given::default();
        given.secret(&self.holder)?;
        let parameters = program.parameters().id();
        let mut of_run = inputs.map(|inputs| self.run_of(inputs)).transpose()?;
        let mut read = BTreeMap::new();
        for bytes in results {
            let (origin, found, reader) = travel::reader(bytes, &parameters)?;
            let at = || format!("value `{}`", crate::bytes::shown(&found.name));
            if origin.owner != self.holder.key_id() {
                return Err(foreign(at(), "client", &origin.owner, &self.holder.key_id()));
            }
            let run = *of_run.get_or_insert(origin.run);
            if origin.run != run {
                return Err(foreign(at(), "run", &origin.run, &run));
            }
            let Some(value) = program.packing().outputs.iter().find(|value| value.name == found.name) else {
                return Err(Error::MissingInput { name: shown(&found.name).to_owned() });
            };
            let (expected, types) = program.descriptor(value, false)?;
            if let (Some(found), Some(expected)) = (&found.program, &expected.program)
                && found != expected
            {
                let (found, expected) = (shown(found).to_owned(), expected.clone());
                return Err(Error::Foreign { what: at(), of: "program", found, expected });
            }
            if !expected.takes(&found) {
                return Err(travel::mismatch(&value.name, &found, &expected));
            }
            read.insert(found.name, (travel::words(reader, &types, None)?, types));
        }
        let (mut wanted, mut deviations) = (Vec::new(), Vec::new());
        for value in &program.packing().outputs {
            deviations.extend(program.closed(value)?.iter().map(|closed| closed.deviation));
            let known = read.remove(&value.name);
            let (words, types) = known.ok_or_else(|| Error::MissingInput { name: value.name.clone() })?;
            for (ty, words) in types.iter().zip(words) {
                given.add(ty.ty(), words.into());
            }
            wanted.push((value.clone(), types));
        }
        let mut parts: Vec<String> = given.types.iter().map(ToString::to_string).collect();
        let noisy = deviations.iter().any(Option::is_some);
        if noisy {
            given.secret_seed()?;
            parts.push(format!("{deviations:?}"));
        }
        let names = program.parameters().literal().scheme.operators();
        // Slots of reals are real numbers here.
        let decoded = if program.halves().exact { Attrs::new() } else { Attrs::new().with("complex", 0u64) };
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            let mut out = Vec::new();
            for (&(mut ciphertext), deviation) in given[1..].iter().zip(&deviations) {
                if let Some(log) = deviation {
                    let finite = Error::Job("deviations are finite");
                    let deviation = Real::new(libm::exp2(*log)).ok_or(finite)?;
                    let inputs = [ciphertext, given[given.len() - 1]];
                    ciphertext = s.op("ckks.release", Attrs::new().with("deviation", deviation), &inputs)?;
                }
                let inputs = [given[0], ciphertext];
                let plain = s.op(names.decrypt, Attrs::new(), &inputs)?;
                out.push(("slots".to_owned(), s.op(names.decode, decoded.clone(), &[plain])?));
                if let Some(noise) = names.noise {
                    out.push(("noise".to_owned(), s.op(noise, Attrs::new(), &inputs)?));
                }
            }
            Ok(out)
        };
        let (program, public) = (Arc::clone(program), finish::exact(public)?);
        let holder = Arc::clone(&self.holder);
        self.holder.runner().job(Some(plan_name("decrypt", &parts)), given, build, move |run| {
            // Whether decryption fails is something that is told, too.
            releases.map_or(Ok(()), |releases| holder.release(releases))?;
            let mut first = 0;
            let mut all = Decrypted::default();
            for (value, types) in &wanted {
                decrypted(&program, run, value, types, first, &mut all)?;
                first += types.len();
            }
            Ok(Outcome::Cells(finish::outputs(&program, all, &public)?))
        })
    }

    /// The whole task, nothing of it encrypted: what [`Client::decrypt`] has to give, of reals up to their bounds. Takes all inputs, by name.
    ///
    /// # Errors
    /// `MissingInput`; `InputLength` and `ValueOutOfRange` for cells that were not declared; `TooLarge`.
    pub fn plain(&self, inputs: &BTreeMap<String, GivenCells>) -> Result<Vec<OutputCells>> {
        for (name, cells) in inputs {
            check_cells(name, cells, self.program.halves().given.get(name).copied())?;
        }
        finish::plain(&self.program, &finish::exact(inputs)?)
    }

    /// Identity of the run over these encrypted inputs.
    fn run_of(&self, inputs: &[(&str, &[u8])]) -> Result<[u8; 16]> {
        let checksum = |value: &PackedValue| {
            let own = inputs.iter().find(|(name, _)| *name == value.name);
            own.map(|(_, bytes)| checksum_of(bytes))
        };
        travel::run(&self.program.id(), &self.program.packing().inputs, checksum)
    }
}

/// Adds a decrypted value, whose ciphertexts are from number `first` on, and those in the same ciphertexts.
fn decrypted(
    program: &Program,
    run: &Run,
    value: &PackedValue,
    types: &[Extract],
    first: usize,
    all: &mut Decrypted,
) -> Result<()> {
    let exact = program.halves().exact;
    let mut worst = f64::INFINITY;
    let mut parts = Vec::with_capacity(types.len());
    let hidden = program.releases().is_some();
    let all_closed = program.closed(value)?;
    for (number, (ty, closed)) in types.iter().zip(all_closed).enumerate() {
        let number = first + number;
        if exact {
            let noise = f64::from_bits(
                run.output(2 * number + 1)?.first().copied().unwrap_or(f64::INFINITY.to_bits()),
            );
            let budget = noise::log2(&ty.ciphertext.q) - 1.0 - noise;
            let held = !ty.is_whole() && closed.budget.is_finite();
            let needed = if held { LEAST_BUDGET.max(closed.budget - SLACK) } else { LEAST_BUDGET };
            if budget.is_nan() || budget < needed {
                let what = value.name.clone();
                return Err(if hidden {
                    Error::NoiseHidden { what }
                } else {
                    Error::NoiseExhausted { what, budget, needed }
                });
            }
            worst = worst.min(budget);
        }
        let own = Zeroizing::new(run.output(if exact { 2 * number } else { number })?);
        parts.push(if ty.stride == 1 { own } else { slots::repeated(&own, program.frame())? });
    }
    if exact && !hidden {
        all.budgets.extend(value.all().map(|own| (own.name.clone(), worst)));
    }
    cells_of(program, value, &parts, &mut all.cells)
}

/// Adds the cells of a value, from the slots of its ciphertexts, in the order in which they travel, and of those in the same ciphertexts.
pub fn cells_of(
    program: &Program,
    value: &PackedValue,
    parts: &[impl AsRef<[u64]>],
    all: &mut BTreeMap<String, Exact>,
) -> Result<()> {
    let (frame, exact, moduli) = (program.frame(), program.halves().exact, program.moduli());
    // From ciphertext number `from` on, of each part those of all plaintext moduli.
    let read = |from: usize, layout: &Layout, base: u64, value: &Value| -> Result<Vec<Number>> {
        let numbers = layout.parts(frame);
        let slot = |t: usize, part: u64, at: usize| {
            let index = numbers.binary_search(&part).ok();
            let own = index.and_then(|index| parts.get(from + index * moduli.len() + t));
            own.and_then(|own| own.as_ref().get(at).copied()).unwrap_or(0)
        };
        let rows = |t: usize| Zeroizing::new(slots::cells(layout, base, frame, |part, at| slot(t, part, at)));
        if exact {
            let residues = moduli
                .iter()
                .enumerate()
                .filter_map(|(index, t)| Some(Residues { t: (*t)?, cells: rows(index) }));
            return Ok(combine(&residues.collect::<Vec<_>>())?.iter().copied().map(Number::from).collect());
        }
        let cell = |bits: u64| {
            slots::cell(f64::from_bits(bits), value).ok_or_else(|| Error::NoiseExhausted {
                what: value.to_string(),
                budget: 0.0,
                needed: LEAST_BUDGET,
            })
        };
        // Cells that move to a larger block would stay in the smaller one.
        let bits = rows(0);
        let mut cells = memory::room(bits.len())?;
        for &bits in bits.iter() {
            cells.push(cell(bits)?);
        }
        Ok(cells)
    };
    for own in value.all() {
        let cells = read(0, &own.layout, own.base, &own.value)?;
        let flags = own.present.as_ref().map(|layout| {
            let from = own.layout.parts(frame).len() * moduli.len();
            read(from, layout, 0, &Value::new(ValueKind::Boolean, own.value.shape.as_slice()))
        });
        let cells = match flags.transpose()? {
            None => Exact::new(cells),
            Some(flags) => Exact::masked(cells, flags.iter().map(|flag| *flag == Number::ONE).collect()),
        };
        all.insert(own.name.clone(), cells);
    }
    Ok(())
}
