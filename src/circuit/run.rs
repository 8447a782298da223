//! Runs a circuit over data that are bound to its inputs by name.

use super::Circuit;
use crate::analyze::check_by;
use crate::engine::{Clock, Input, Plan, PlanOptions, Run};
use crate::graph::{Port, ValueType};
use crate::math::bits::bytes_of;
use crate::ops::Registry;
use crate::platform::Platform;
use crate::{Error, Result, memory};
use std::sync::Arc;
use zeroize::Zeroizing;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Most bytes that the run may take.
    pub memory_limit: u64,
    /// True when there are secrets among the data: all memory is overwritten afterwards.
    pub secret: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        let PlanOptions { memory_limit, wipe } = PlanOptions::default();
        Self { memory_limit, secret: wipe }
    }
}

/// A circuit planned for a platform: run many times.
pub struct Execution {
    plan: Arc<Plan>,
    registry: Arc<Registry>,
    options: RunOptions,
}

impl Circuit {
    /// Plans a run on a platform; beside the declared outputs it keeps operands of the builder, by number, as outputs
    /// `%NUMBER`.
    ///
    /// # Errors
    /// As [`Plan::new`]; `NotKept` for an operand that the graph does not compute.
    pub fn plan(&self, platform: &dyn Platform, keep: &[u32], options: RunOptions) -> Result<Execution> {
        let plan_options = PlanOptions { memory_limit: options.memory_limit, wipe: options.secret };
        let mut graph = self.graph.clone();
        for &operand in keep {
            let (ty, pieces) = self.operand(operand)?;
            let kept = graph.view(ty.clone(), pieces);
            graph.declare_output(&format!("%{operand}"), kept);
            check_by(&graph, self.facts()?).map_err(|_| Error::NotKept { operand })?;
        }
        // Further views and outputs change neither what operators write nor who waits for whom.
        let facts = Arc::clone(self.facts()?);
        let plan = Arc::new(Plan::of_known(&graph, facts, &self.registry, platform, plan_options)?);
        Ok(Execution { plan, registry: Arc::clone(&self.registry), options })
    }
}

impl Execution {
    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Declared outputs, then kept operands, with their types.
    pub fn outputs(&self) -> impl Iterator<Item = (&Port, &ValueType)> {
        let graph = self.plan.graph();
        graph.outputs().iter().map(|port| (port, graph.ty(port.operand)))
    }

    /// A run over data: the bytes of each input, by name.
    ///
    /// # Errors
    /// `MissingInput`, `UnknownInput`; `InputLength`, in bytes; `Format` for words of a lattice type that are no residues;
    /// `OutOfMemory`.
    pub fn start(&self, data: &[(&str, &[u8])], clock: Clock) -> Result<Run> {
        let graph = self.plan.graph();
        let unknown = |name: &str| !graph.inputs().iter().any(|port| port.name == name);
        if let Some((name, _)) = data.iter().find(|(name, _)| unknown(name)) {
            return Err(Error::UnknownInput { name: (*name).to_owned() });
        }
        let mut inputs = Vec::new();
        for port in graph.inputs() {
            let given = data.iter().find(|(name, _)| *name == port.name);
            let (_, bytes) = given.ok_or_else(|| Error::MissingInput { name: port.name.clone() })?;
            inputs.push(self.input(port, bytes)?);
        }
        Run::new(Arc::clone(&self.plan), inputs, clock)
    }

    fn input(&self, port: &Port, bytes: &[u8]) -> Result<Input> {
        let graph = self.plan.graph();
        let ty = graph.ty(port.operand);
        let expected = bytes_of(ty.size.saturating_mul(graph.unit_bits().into()));
        if bytes.len() as u64 != expected {
            let (input, found) = (port.name.clone(), bytes.len());
            return Err(Error::InputLength { input, found, expected: expected as usize });
        }
        let mut words = Zeroizing::new(memory::zeros::<u64>(bytes.len().div_ceil(8))?);
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        if let Some((n, primes)) = self.registry.residues(ty)?
            && !crate::bytes::check_residues(&words, n, primes.into_iter())
        {
            let at = format!("input `{}`", port.name);
            return Err(Error::Task {
                at,
                found: "words that are no residues".into(),
                expected: ty.to_string(),
            });
        }
        let words = std::mem::take(&mut *words);
        Ok(if self.options.secret { Input::secret(words) } else { words.into() })
    }

    /// The bytes of declared output or kept operand number `index` of a finished run.
    ///
    /// # Errors
    /// As [`Run::output`].
    pub fn output(&self, run: &Run, index: usize) -> Result<Vec<u8>> {
        let words = Zeroizing::new(run.output(index)?);
        let graph = self.plan.graph();
        let size = graph.outputs().get(index).map_or(0, |port| graph.ty(port.operand).size);
        let bytes = bytes_of(size.saturating_mul(graph.unit_bits().into())) as usize;
        memory::copy(&bytemuck::cast_slice(&words)[..bytes])
    }
}
