//! A data owner: holds the public key of a client alone, and encrypts values that only that client can decrypt.

use super::body;
use super::encrypt::Encryption;
use super::program::Program;
use super::runner::{Runner, Setting};
use crate::bytes::{Kind, Reader, foreign};
use crate::circuit::Job;
use crate::engine::{Clock, Input};
use crate::graph::ValueType;
use crate::platform::Platform;
use crate::values::GivenCells;
use crate::{Error, Result};
use std::sync::Arc;

/// Holder of a public key for the parameters of a program.
pub struct Owner {
    program: Arc<Program>,
    runner: Runner,
    key: (ValueType, Input),
    /// Identity of the secret key, as the bytes of the public one say.
    key_id: [u8; 16],
}

impl Owner {
    /// A data owner with the public key that [`Client::public_key`](super::Client::public_key) gives.
    ///
    /// # Errors
    /// `NoPublicKey` for a program that was not compiled for data owners ([`Options::public_key`](super::Options::public_key)); `Format` for bytes that do not decode;
    /// `Foreign` for a key of other parameters; `OutOfMemory`.
    pub fn new(
        program: Arc<Program>,
        platform: Arc<dyn Platform>,
        clock: Clock,
        public_key: &[u8],
    ) -> Result<Self> {
        program.takes_public(|| "public key of a data owner".to_owned())?;
        let mut reader = Reader::new(public_key, Kind::PublicKey)?;
        let (parameters, key_id): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let expected = program.parameters().id();
        if parameters != expected {
            return Err(foreign("public key".to_owned(), "set of parameters", &parameters, &expected));
        }
        let (ty, limbs) = program.public_key();
        let primes = program.parameters().secret_primes();
        let samplers = body::Samplers::new(&*platform, program.parameters().literal().n, &primes)?;
        let words = body::read(reader, &[limbs], Some(&samplers))?.pop();
        let words = words.ok_or(Error::Job("as many keys as there are types"))?;
        let runner = Runner::new(Setting::of(&program, platform, clock));
        Ok(Self { program, runner, key: (ty, words.into()), key_id })
    }

    /// The program that it encrypts for.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Encrypts values, by the names of inputs; the result is for each of them bytes for an evaluator: fresh values of the key's client, which a program takes that was
    /// compiled for data owners.
    ///
    /// # Errors
    /// `MissingInput` for a name that is no encrypted input; `InputLength` and `ValueOutOfRange` for cells that were not declared; `Task` for cells of another kind, and
    /// for an input that is a result of another program.
    pub fn encrypt(&self, inputs: &[(&str, &GivenCells)]) -> Result<Job> {
        let Self { program, runner, key, key_id } = self;
        Encryption { program, runner, key: key.clone(), key_id: *key_id, public: true }.job(inputs)
    }
}
