//! Whoever holds a secret key.

use super::runner::{Given, PublicSeed, Runner, Setting, seed_words};
use crate::bytes::{Kind, Reader, Writer, foreign};
use crate::circuit::{Job, Outcome};
use crate::engine::{Input, Run};
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::sample::{Domain, KEY_STREAM, Seed, ternary_into};
use crate::math::swept;
use crate::ops::{Session, types};
use crate::schemes::{Parameters, Releases};
use crate::{Error, Result};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use zeroize::Zeroizing;

/// Holder of a secret key.
pub struct Holder {
    runner: Runner,
    /// The secret key follows from it; drawn from the platform's CSPRNG.
    seed: Seed,
    key_id: [u8; 16],
    secret: OnceLock<Input>,
    /// What was decrypted to be published; nothing yet where there are none.
    released: Mutex<Option<Released>>,
}

/// Results that were decrypted to be published.
#[derive(Clone, Copy)]
struct Released {
    /// What was declared when the first one was: others would be counted otherwise.
    releases: Releases,
    used: u64,
}

impl Holder {
    /// A holder of a fresh secret key.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn new(setting: Setting) -> Result<Self> {
        Ok(Self::with_seed(setting, Seed::generate()?))
    }

    /// The holder of a secret key that was saved.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; `Foreign` when the saved key has other parameters.
    pub fn restore(setting: Setting, saved: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(saved, Kind::Client)?;
        let (parameters, key_id): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        // From where it stands: what is moved leaves copies on the stack, and these get into whatever has room for them.
        let seed: &[u8; 32] = reader.raw(32)?.try_into().map_err(|_| reader.error("a seed has 32 bytes"))?;
        let released = if reader.left() == 0 { None } else { Some(Released::read(&mut reader)?) };
        let expected = setting.parameters.id();
        if parameters != expected {
            return Err(foreign("saved client".to_owned(), "set of parameters", &parameters, &expected));
        }
        let mut holder = Self::with_seed(setting, Seed::from(seed));
        holder.released = Mutex::new(released);
        if holder.key_id != key_id {
            return Err(
                reader.error("the secret key that follows from the seed is not the one that was saved")
            );
        }
        reader.end()?;
        Ok(holder)
    }

    fn with_seed(setting: Setting, seed: Seed) -> Self {
        let key_id = key_id(&seed, &setting.parameters);
        let (secret, released) = (OnceLock::new(), Mutex::new(None));
        Self { runner: Runner::new(setting), seed, key_id, secret, released }
    }

    /// The key as bytes, overwritten when they are dropped: whoever has them can decrypt.
    pub fn save(&self) -> Zeroizing<Vec<u8>> {
        let parameters = self.runner.setting.parameters.id();
        let writer = Writer::new(Kind::Client).raw(&parameters).raw(&self.key_id);
        let writer = writer.raw(self.seed.as_bytes());
        let released = self.released().map_or_else(Vec::new, Released::bytes);
        Zeroizing::new(writer.raw(&released).finish())
    }

    /// How many results were decrypted to be published, as far as this holder and those whose key it was saved from know.
    pub fn used(&self) -> u64 {
        self.released().map_or(0, |released| released.used)
    }

    /// Counts one more result that is to be published, before it is told.
    ///
    /// # Errors
    /// `Released` where there were as many as may be; `Foreign` where others were counted by other numbers.
    pub fn release(&self, releases: Releases) -> Result<()> {
        let mut released = self.released();
        let used = Released::checked(*released, releases)?;
        *released = Some(Released { releases, used });
        Ok(())
    }

    /// Checks that there may be one more.
    ///
    /// # Errors
    /// As [`Holder::release`].
    pub fn check_release(&self, releases: Releases) -> Result<()> {
        Released::checked(*self.released(), releases).map(drop)
    }

    fn released(&self) -> MutexGuard<'_, Option<Released>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the key follows from.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Identity of the key.
    pub fn key_id(&self) -> [u8; 16] {
        self.key_id
    }

    /// What plans and runs its graphs.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Makes a key with the operator `op` of the secret key and two seeds. The result is the bytes that `write` makes of the run, whose first output is the key, and of
    /// the seed of its uniform halves.
    ///
    /// # Errors
    /// What the graph is refused for; `OutOfMemory`.
    pub fn key(
        &self,
        op: &str,
        attrs: Attrs,
        write: impl FnOnce(&Run, &PublicSeed) -> Result<Vec<u8>> + Send + 'static,
    ) -> Result<Job> {
        let mut given = Given::default();
        given.secret(self)?;
        let seed = given.public_seed()?;
        given.secret_seed()?;
        let build =
            |s: &mut Session<'_>, given: &[OperandId]| Ok(vec![("key".to_owned(), s.op(op, attrs, given)?)]);
        // Made once: its plan is of no more use.
        self.runner.job(None, given, build, move |run| Ok(Outcome::Bytes(write(run, &seed)?)))
    }

    /// The secret key, as graphs take it.
    ///
    /// # Errors
    /// What the engine says of the graph that makes it.
    pub fn secret(&self) -> Result<(ValueType, Input)> {
        let parameters = &self.runner.setting.parameters;
        let ty = types::secret_key(parameters.literal().n, &parameters.secret_primes());
        Ok((ty, self.secret_words()?))
    }

    /// The secret key in NTT form over all primes; worked out once.
    fn secret_words(&self) -> Result<Input> {
        if let Some(secret) = self.secret.get() {
            return Ok(secret.clone());
        }
        let mut given = Given::default();
        given.add(types::secret_seed(), seed_words(&self.seed));
        let Setting { parameters, clock, .. } = &self.runner.setting;
        let attrs = Attrs::new().with("n", parameters.literal().n).with("q", parameters.secret_primes());
        let plan = self.runner.plan(&given, |s, given| {
            Ok(vec![("secret".to_owned(), s.op("rlwe.secret_key", attrs, given)?)])
        })?;
        let mut run = Run::new(plan, given.data, *clock)?;
        run.finish();
        let words = Input::secret(run.output(0)?);
        Ok(self.secret.get_or_init(|| words).clone())
    }
}

impl Released {
    /// How many there are with one more.
    fn checked(known: Option<Self>, releases: Releases) -> Result<u64> {
        let Some(known) = known else { return Ok(1) };
        if known.releases != releases {
            let (found, expected) = (releases.to_string(), known.releases.to_string());
            return Err(Error::Foreign { what: "program".to_owned(), of: "releases", found, expected });
        }
        let (found, expected) = (known.used + 1, releases.count);
        if found > expected { Err(Error::Released { found, expected }) } else { Ok(found) }
    }

    fn bytes(self) -> Vec<u8> {
        let Self { releases: Releases { count, statistical_bits }, used } = self;
        [count, statistical_bits.into(), used].iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut number = || Ok::<_, Error>(u64::from_le_bytes(reader.id()?));
        let (count, bits, used) = (number()?, number()?, number()?);
        let releases = Releases { count, statistical_bits: u32::try_from(bits).unwrap_or(u32::MAX) };
        if releases.check().is_err() || !(1..=count).contains(&used) {
            return Err(
                reader.error(format!("{used} results of {releases}, expected 1 to as many as may be"))
            );
        }
        Ok(Self { releases, used })
    }
}

impl Given {
    /// The secret key.
    ///
    /// # Errors
    /// As [`Holder::secret`].
    pub fn secret(&mut self, holder: &Holder) -> Result<()> {
        let (ty, words) = holder.secret()?;
        self.add(ty, words);
        Ok(())
    }
}

/// Identity of a secret key: it commits to the key's coefficients, not to how they come from the seed.
fn key_id(seed: &Seed, parameters: &Parameters) -> [u8; 16] {
    let mut coefficients = Zeroizing::new(vec![0; parameters.literal().n]);
    swept(|| ternary_into(&mut coefficients, Domain::SecretKey.stream(seed.as_bytes(), KEY_STREAM)));
    let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 key identity v2");
    hasher.update(&parameters.id());
    for c in coefficients.iter() {
        hasher.update(&c.to_le_bytes());
    }
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    id
}
