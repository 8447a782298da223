//! Whoever holds a secret key: what it computes with it are graphs, planned and run by the same engine as the evaluator's.

use super::program::base;
use crate::Result;
use crate::bytes::{Kind, Reader, Writer, foreign};
use crate::circuit::{Job, Outcome};
use crate::engine::{Clock, Input, Plan, PlanOptions, Run};
use crate::expand::Expander;
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::math::sample::{Domain, KEY_STREAM, Seed, ternary_into};
use crate::ops::types::SwitchingKey;
use crate::ops::{Registry, Session, types};
use crate::platform::Platform;
use crate::schemes::Parameters;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use zeroize::Zeroizing;

/// Most bytes of a plan that is kept for jobs to come.
const KEPT_PLAN: u64 = 64 << 20;
/// Most plans that are kept.
const MOST_PLANS: usize = 8;

/// What a holder of a secret key works with.
#[derive(Clone)]
pub struct Setting {
    /// Operator types of its graphs.
    pub registry: Arc<Registry>,
    /// Primes and ring.
    pub parameters: Parameters,
    /// Most bytes that a run may take.
    pub memory_limit: u64,
    /// What runs its graphs.
    pub platform: Arc<dyn Platform>,
    /// Tells the time.
    pub clock: Clock,
}

/// Holder of a secret key.
pub struct Holder {
    setting: Setting,
    /// The secret key follows from it; drawn from the platform's CSPRNG.
    seed: Seed,
    key_id: [u8; 16],
    secret: OnceLock<Input>,
    /// Plans of earlier jobs, by name.
    plans: Mutex<HashMap<String, Arc<Plan>>>,
}

/// Declared outputs of a graph.
pub type Outputs = Result<Vec<(String, OperandId)>>;

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
        let seed = Zeroizing::new(reader.id()?);
        let expected = setting.parameters.id();
        if parameters != expected {
            return Err(foreign("saved client".to_owned(), "set of parameters", &parameters, &expected));
        }
        let holder = Self::with_seed(setting, Seed::from(&*seed));
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
        Self { setting, seed, key_id, secret: OnceLock::new(), plans: Mutex::default() }
    }

    /// The key as bytes, overwritten when they are dropped: whoever has them can decrypt.
    pub fn save(&self) -> Zeroizing<Vec<u8>> {
        let writer = Writer::new(Kind::Client).raw(&self.setting.parameters.id()).raw(&self.key_id);
        Zeroizing::new(writer.raw(self.seed.as_bytes()).finish())
    }

    /// Identity of the key.
    pub fn key_id(&self) -> [u8; 16] {
        self.key_id
    }

    /// Makes a switching key; `from` are the attributes that say from what. The result is the bytes that `write` makes of the run, whose first output
    /// is the key, and of the seed of its uniform halves.
    ///
    /// # Errors
    /// What the graph is refused for; `OutOfMemory`.
    pub fn switching_key(
        &self,
        ty: &SwitchingKey,
        from: Attrs,
        write: impl FnOnce(&Run, &PublicSeed) -> Result<Vec<u8>> + Send + 'static,
    ) -> Result<Job> {
        let attrs = from.with("q", ty.q.as_slice()).with("special", ty.special.as_slice());
        let attrs = types::with_error_factor(attrs.with("digit", ty.digit), ty.factor);
        let mut given = Given::default();
        given.secret(self)?;
        let seed = given.seeds()?;
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            Ok(vec![("key".to_owned(), s.op("rlwe.switching_key", attrs, given)?)])
        };
        // Made once: its plan is of no more use.
        self.job(None, given, build, move |run| Ok(Outcome::Bytes(write(run, &seed)?)))
    }

    /// The secret key in NTT form over all primes; worked out once.
    fn secret_words(&self) -> Result<Input> {
        if let Some(secret) = self.secret.get() {
            return Ok(secret.clone());
        }
        let mut given = Given::default();
        given.add(types::secret_seed(), seed_words(&self.seed));
        let n = self.setting.parameters.literal().n;
        let attrs = Attrs::new().with("n", n).with("q", self.setting.parameters.secret_primes());
        let plan = self.plan(&given, |s, given| {
            Ok(vec![("secret".to_owned(), s.op("rlwe.secret_key", attrs, given)?)])
        })?;
        let mut run = Run::new(plan, given.data, self.setting.clock)?;
        run.finish();
        let words = Input::secret(run.output(0)?);
        Ok(self.secret.get_or_init(|| words).clone())
    }

    /// Plans a graph over what is given.
    fn plan(
        &self,
        given: &Given,
        build: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Outputs,
    ) -> Result<Arc<Plan>> {
        let mut s = Session::new(Graph::new(64), &self.setting.registry);
        let mut operands = Vec::with_capacity(given.types.len());
        for (index, ty) in given.types.iter().enumerate() {
            operands.push(s.graph_mut().add_input(&index.to_string(), ty.clone())?);
        }
        for (name, operand) in build(&mut s, &operands)? {
            s.graph_mut().declare_output(&name, operand);
        }
        let mut expander = Expander::new(&self.setting.registry);
        let graph = base(&mut expander, &s.finish(), &*self.setting.platform)?;
        let options =
            PlanOptions { memory_limit: self.setting.memory_limit, wipe: true, ..PlanOptions::default() };
        Ok(Arc::new(Plan::new(&graph, &self.setting.registry, &*self.setting.platform, options)?))
    }

    /// A job over what is given. `name` stands for the graph: a small plan is kept for the next job of that name, if any.
    pub fn job(
        &self,
        name: Option<String>,
        given: Given,
        build: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Outputs,
        finish: impl FnOnce(&Run) -> Result<Outcome> + Send + 'static,
    ) -> Result<Job> {
        let known = name.as_ref().and_then(|name| self.plans().get(name).cloned());
        let plan = match known {
            Some(plan) => plan,
            None => {
                let plan = self.plan(&given, build)?;
                if let Some(name) = name.filter(|_| plan.memory_bytes() <= KEPT_PLAN) {
                    let mut plans = self.plans();
                    if plans.len() == MOST_PLANS {
                        plans.clear();
                    }
                    plans.insert(name, Arc::clone(&plan));
                }
                plan
            }
        };
        Ok(Job::new(Run::new(plan, given.data, self.setting.clock)?, finish))
    }

    fn plans(&self) -> MutexGuard<'_, HashMap<String, Arc<Plan>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Inputs of a graph of the client, in order, with their data.
#[derive(Default)]
pub struct Given {
    /// Their types.
    pub types: Vec<ValueType>,
    /// Their data.
    pub data: Vec<Input>,
}

impl Given {
    /// One more.
    pub fn add(&mut self, ty: ValueType, data: Input) {
        self.types.push(ty);
        self.data.push(data);
    }

    /// The secret key.
    ///
    /// # Errors
    /// What the engine says of the graph that makes it.
    pub fn secret(&mut self, holder: &Holder) -> Result<()> {
        let parameters = &holder.setting.parameters;
        self.types.push(types::secret_key(parameters.literal().n, &parameters.secret_primes()));
        self.data.push(holder.secret_words()?);
        Ok(())
    }

    /// Two fresh seeds: one that may be shown, and one that never is. Gives the first.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn seeds(&mut self) -> Result<PublicSeed> {
        let public = PublicSeed { input: self.data.len(), bytes: *Seed::generate()?.as_bytes() };
        self.add(types::public_seed(), seed_words(&Seed::from(&public.bytes)));
        self.add(types::secret_seed(), seed_words(&Seed::generate()?));
        Ok(public)
    }
}

/// A seed of uniform halves: whoever has it can make these, and nothing else.
pub struct PublicSeed {
    /// Which input of the graph it is.
    pub input: usize,
    /// What it is.
    pub bytes: [u8; 32],
}

/// The name of a plan over `parts`, in whose texts anything may stand.
pub fn plan_name(what: &str, parts: &[String]) -> String {
    parts.iter().fold(what.to_owned(), |name, part| format!("{name} {}:{part}", part.len()))
}

/// Identity of a secret key: it commits to the key's coefficients, not to how they come from the seed.
fn key_id(seed: &Seed, parameters: &Parameters) -> [u8; 16] {
    let mut coefficients = Zeroizing::new(vec![0; parameters.literal().n]);
    ternary_into(&mut coefficients, Domain::SecretKey.stream(seed.as_bytes(), KEY_STREAM));
    let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 key identity v2");
    hasher.update(&parameters.id());
    for c in coefficients.iter() {
        hasher.update(&c.to_le_bytes());
    }
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    id
}

fn seed_words(seed: &Seed) -> Input {
    Input::secret(seed.as_bytes().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect())
}
