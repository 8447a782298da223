//! The client: holds the secret key, makes evaluation keys, encrypts values, decrypts results and finishes them.

use super::body::{self, Limbs, Streams};
use super::decrypt::{self, Decryption, Results};
use super::encrypt::{Encryption, check_cells};
use super::finish;
use super::holder::Holder;
use super::program::Program;
use super::runner::{Given, Setting};
use super::travel;
use crate::bytes::{Kind, Writer, checksum_of, foreign};
use crate::circuit::{Job, OutputCells};
use crate::engine::Clock;
use crate::graph::Attrs;
use crate::ops::types;
use crate::platform::Platform;
use crate::schemes::close::KeyName;
use crate::sorted::SortedMap;
use crate::values::{GivenCells, PackedValue};
use crate::{Error, Result};
use std::sync::Arc;
use zeroize::Zeroizing;

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
        public: &SortedMap<String, GivenCells>,
        inputs: Option<&[(&str, &[u8])]>,
    ) -> Result<Job> {
        let program = &self.program;
        let releases = program.releases();
        if let Some(releases) = releases {
            self.holder.check_release(releases)?;
        }
        let run = inputs.map(|inputs| self.run_of(inputs)).transpose()?;
        let Results { values, words, .. } =
            decrypt::read(program, &self.holder.key_id(), results, run, |_| true)?;
        let mut given = Given::default();
        given.secret(&self.holder)?;
        // What several parties switched to this key has their noise already.
        let alone = program.chain().parties == 1;
        let mut deviations = Vec::new();
        for ((value, types), words) in values.iter().zip(words) {
            deviations.extend(program.closed(value)?.iter().map(|closed| closed.deviation.filter(|_| alone)));
            for (ty, words) in types.iter().zip(words) {
                given.add(ty.ty(), words.into());
            }
        }
        let holder = Arc::clone(&self.holder);
        let count = move || releases.map_or(Ok(()), |releases| holder.release(releases));
        let decryption = Decryption { program, runner: self.holder.runner(), values, deviations };
        decryption.job(given, 1, finish::exact(public)?, count)
    }

    /// The whole task, nothing of it encrypted: what [`Client::decrypt`] has to give, of reals up to their bounds. Takes all inputs, by name.
    ///
    /// # Errors
    /// `MissingInput`; `InputLength` and `ValueOutOfRange` for cells that were not declared; `TooLarge`.
    pub fn plain(&self, inputs: &SortedMap<String, GivenCells>) -> Result<Vec<OutputCells>> {
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
