//! Runs a circuit over data that are bound to its inputs by name.

use super::Circuit;
use crate::analyze::check_by;
use crate::engine::{Clock, Input, Plan, PlanOptions, Run, SMALL};
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
    /// Work below which the run takes one thread: see [`PlanOptions::alone`].
    pub alone: f64,
}

impl Default for RunOptions {
    fn default() -> Self {
        let PlanOptions { memory_limit, wipe, .. } = PlanOptions::default();
        Self { memory_limit, secret: wipe, alone: SMALL }
    }
}

/// Bytes of an input, wherever they are.
pub trait Bytes {
    /// How many.
    fn len(&self) -> usize;
    /// True for none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Copies them to a slice of as many.
    fn copy_to(&self, out: &mut [u8]);
}

impl Bytes for [u8] {
    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn copy_to(&self, out: &mut [u8]) {
        out.copy_from_slice(self);
    }
}

impl Bytes for Vec<u8> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn copy_to(&self, out: &mut [u8]) {
        out.copy_from_slice(self);
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
        let plan_options = PlanOptions {
            memory_limit: options.memory_limit,
            wipe: options.secret,
            alone: options.alone,
            ..PlanOptions::default()
        };
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

    /// What the plan was made with.
    pub fn options(&self) -> RunOptions {
        self.options
    }

    /// Declared outputs, then kept operands, with their types.
    pub fn outputs(&self) -> impl Iterator<Item = (&Port, &ValueType)> {
        let graph = self.plan.graph();
        graph.outputs().iter().map(|port| (port, graph.ty(port.operand)))
    }

    /// A run over data: the bytes of each input, by name, which are copied.
    ///
    /// # Errors
    /// `MissingInput`, `UnknownInput`; `InputLength`, in bytes; `Format` for words of a lattice type that are no residues;
    /// `OutOfMemory`.
    pub fn start<B: Bytes + ?Sized>(&self, data: &[(&str, &B)], clock: Clock) -> Result<Run> {
        let graph = self.plan.graph();
        let unknown = |name: &str| !graph.inputs().iter().any(|port| port.name == name);
        if let Some((name, _)) = data.iter().find(|(name, _)| unknown(name)) {
            return Err(Error::UnknownInput { name: (*name).to_owned() });
        }
        let mut inputs = Vec::new();
        for port in graph.inputs() {
            let given = data.iter().find(|(name, _)| *name == port.name);
            let (_, bytes) = given.ok_or_else(|| Error::MissingInput { name: port.name.clone() })?;
            inputs.push(self.input(port, *bytes)?);
        }
        Run::new(Arc::clone(&self.plan), inputs, clock)
    }

    fn input(&self, port: &Port, bytes: &(impl Bytes + ?Sized)) -> Result<Input> {
        let graph = self.plan.graph();
        let ty = graph.ty(port.operand);
        let expected = bytes_of(ty.size.saturating_mul(graph.unit_bits().into()));
        if bytes.len() as u64 != expected {
            let (input, found) = (port.name.clone(), bytes.len());
            return Err(Error::InputLength { input, found, expected: expected as usize });
        }
        let mut words = Zeroizing::new(memory::zeros::<u64>(bytes.len().div_ceil(8))?);
        bytes.copy_to(&mut bytemuck::cast_slice_mut(&mut words)[..bytes.len()]);
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

    /// Takes the output of an operator that was handed out, as [`Run::deliver`], and believes nothing of it that its type does not say.
    ///
    /// # Errors
    /// As there; `Delivered` for words of a lattice type that are no residues, or bits beyond the end that are not 0.
    pub fn deliver(&self, run: &mut Run, op: u32, bytes: &[u8]) -> Result<()> {
        self.check_delivered(run, op, bytes)?;
        run.deliver(op, bytes)
    }

    /// By the run's own graph: one that fell back from a device has another plan.
    fn check_delivered(&self, run: &Run, op: u32, bytes: &[u8]) -> Result<()> {
        let graph = run.plan().graph();
        let Some(operator) = graph.operators().get(op as usize) else { return Ok(()) };
        let ty = graph.ty(operator.output);
        let bits = ty.size.saturating_mul(graph.unit_bits().into());
        if bytes.len() as u64 != bytes_of(bits) {
            // What is of another size the run refuses.
            return Ok(());
        }
        let signature = graph.signature(operator);
        let wrong = |found| Error::Delivered {
            op: signature.name.clone(),
            attrs: signature.attrs.to_string(),
            found,
            expected: ty.to_string(),
        };
        if bits % 8 != 0 && bytes.last().is_some_and(|last| last >> (bits % 8) != 0) {
            return Err(wrong("bits beyond its end that are not 0"));
        }
        let Some((n, primes)) = self.registry.residues(ty)? else { return Ok(()) };
        let mut words = Zeroizing::new(memory::zeros::<u64>(bytes.len().div_ceil(8))?);
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        if crate::bytes::check_residues(&words, n, primes.into_iter()) {
            return Ok(());
        }
        Err(wrong("words that are no residues"))
    }

    /// The bytes of declared output or kept operand number `index` of a finished run.
    ///
    /// # Errors
    /// As [`Run::output`].
    pub fn output(&self, run: &Run, index: usize) -> Result<Vec<u8>> {
        run.output_bytes(index)
    }
}
