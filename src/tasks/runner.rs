//! What whoever has a key computes with are graphs, planned and run by the same engine as the evaluator's.

use super::program::{Program, base};
use crate::Result;
use crate::circuit::{Job, Outcome};
use crate::engine::{Clock, Input, Plan, PlanOptions, Run, SMALL};
use crate::expand::Expander;
use crate::graph::{Graph, OperandId, ValueType};
use crate::math::sample::Seed;
use crate::ops::{Registry, Session, types};
use crate::platform::Platform;
use crate::schemes::Parameters;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of a plan that is kept for jobs to come.
const KEPT_PLAN: u64 = 64 << 20;
/// Most plans that are kept.
const MOST_PLANS: usize = 8;

/// What whoever has a key works with.
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

impl Setting {
    /// That of a program.
    pub fn of(program: &Program, platform: Arc<dyn Platform>, clock: Clock) -> Self {
        let (registry, parameters) = (Arc::clone(program.registry()), program.parameters().clone());
        Self { registry, parameters, memory_limit: program.memory_limit(), platform, clock }
    }
}

/// Plans and runs graphs.
pub struct Runner {
    /// What it works with.
    pub setting: Setting,
    /// Plans of earlier jobs, by name.
    plans: Mutex<HashMap<String, Arc<Plan>>>,
}

/// Declared outputs of a graph.
pub type Outputs = Result<Vec<(String, OperandId)>>;

impl Runner {
    /// Nothing planned yet.
    pub fn new(setting: Setting) -> Self {
        Self { setting, plans: Mutex::default() }
    }

    /// Plans a graph over what is given.
    pub fn plan(
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
        let graph = base(&mut expander, &s.finish(), &*self.setting.platform, true)?;
        let options = PlanOptions {
            memory_limit: self.setting.memory_limit,
            wipe: true,
            alone: SMALL,
            ..PlanOptions::default()
        };
        Ok(Arc::new(Plan::new(&graph, &self.setting.registry, &*self.setting.platform, options)?))
    }

    /// The same; `name` stands for the graph: a small plan is kept for the next job of that name, if any.
    pub fn planned(
        &self,
        name: Option<String>,
        given: &Given,
        build: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Outputs,
    ) -> Result<Arc<Plan>> {
        if let Some(plan) = name.as_ref().and_then(|name| self.plans().get(name).cloned()) {
            return Ok(plan);
        }
        let plan = self.plan(given, build)?;
        if let Some(name) = name.filter(|_| plan.memory_bytes() <= KEPT_PLAN) {
            let mut plans = self.plans();
            if plans.len() == MOST_PLANS {
                plans.clear();
            }
            plans.insert(name, Arc::clone(&plan));
        }
        Ok(plan)
    }

    /// A job over what is given, planned as of [`Runner::planned`].
    pub fn job(
        &self,
        name: Option<String>,
        given: Given,
        build: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Outputs,
        finish: impl FnOnce(&Run) -> Result<Outcome> + Send + 'static,
    ) -> Result<Job> {
        let plan = self.planned(name, &given, build)?;
        self.run(plan, given, finish)
    }

    /// A job of a plan.
    pub fn run(
        &self,
        plan: Arc<Plan>,
        given: Given,
        finish: impl FnOnce(&Run) -> Result<Outcome> + Send + 'static,
    ) -> Result<Job> {
        Ok(Job::new(Run::new(plan, given.data, self.setting.clock)?, finish))
    }

    fn plans(&self) -> MutexGuard<'_, HashMap<String, Arc<Plan>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Inputs of a graph of whoever has a key, in order, with their data.
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

    /// A fresh seed that may be shown.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn public_seed(&mut self) -> Result<PublicSeed> {
        let public = PublicSeed { input: self.data.len(), bytes: *Seed::generate()?.as_bytes() };
        self.add(types::public_seed(), seed_words(&Seed::from(&public.bytes)));
        Ok(public)
    }

    /// A fresh seed that never is.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn secret_seed(&mut self) -> Result<()> {
        self.add(types::secret_seed(), seed_words(&Seed::generate()?));
        Ok(())
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

/// A seed, as graphs take it.
pub fn seed_words(seed: &Seed) -> Input {
    Input::secret(seed.as_bytes().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect())
}
