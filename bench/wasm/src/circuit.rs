//! A graph under construction with the data of its inputs, and what it becomes: a resident program.

use crate::CLOCK;
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, ValueType};
use cipherloom::ops::{Level, Registry, Session};
use cipherloom::optimize::{fuse, hoist, optimize};
use cipherloom::platform::Platform;
use cipherloom::{Error, Result};
use std::sync::Arc;

/// A graph and its data.
pub struct Circuit<'r> {
    registry: &'r Registry,
    session: Session<'r>,
    data: Vec<Input>,
}

impl<'r> Circuit<'r> {
    pub fn new(registry: &'r Registry) -> Self {
        Self { registry, session: Session::new(Graph::new(64), registry), data: Vec::new() }
    }

    pub fn input(&mut self, ty: ValueType, words: impl Into<Input>) -> Result<OperandId> {
        let name = self.data.len().to_string();
        self.data.push(words.into());
        Ok(self.session.graph_mut().add_input(&name, ty)?)
    }

    pub fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<OperandId> {
        self.session.op(name, attrs, inputs)
    }

    pub fn output(&mut self, operand: OperandId) {
        let graph = self.session.graph_mut();
        let name = graph.outputs().len().to_string();
        graph.declare_output(&name, operand);
    }

    /// The type of an operand.
    pub fn ty(&self, operand: OperandId) -> &ValueType {
        self.session.ty(operand)
    }

    /// The same road as that of a task: polynomials, optimized, then the base set, optimized, then a plan.
    pub fn finish(self, platform: &dyn Platform) -> Result<Resident> {
        self.finish_with(platform, false)
    }

    /// As [`Circuit::finish`]; with `schemes`, what several operators share is done once, and what can be one operator is.
    pub fn finish_with(self, platform: &dyn Platform, schemes: bool) -> Result<Resident> {
        let mut expander = Expander::new(self.registry);
        let graph = optimize(&self.session.finish(), self.registry)?;
        let graph = if schemes { fuse(&hoist(&graph, self.registry)?, self.registry)? } else { graph };
        let graph = optimize(&expander.expand_to_level(&graph, Level::Polynomial)?, self.registry)?;
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let graph = optimize(&expander.expand(&graph, &base)?, self.registry)?;
        Resident::new(&graph, platform, self.data)
    }
}

/// A planned graph with its data: run again and again.
pub struct Resident {
    plan: Arc<Plan>,
    data: Vec<Input>,
}

impl Resident {
    pub fn new(base: &Graph, platform: &dyn Platform, data: Vec<Input>) -> Result<Self> {
        Ok(Self {
            plan: Arc::new(Plan::new(base, &Registry::lattice(), platform, PlanOptions::default())?),
            data,
        })
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Replaces the words of input `index`.
    pub fn fill(&mut self, index: usize, words: &[u64]) {
        self.data[index] = words.into();
    }

    /// One run, from nothing: a user pays for its storage in every run, too.
    pub fn start(&self) -> Result<Run> {
        Run::new(Arc::clone(&self.plan), self.data.clone(), CLOCK)
    }

    /// The words of all outputs.
    pub fn outputs(&self) -> Result<Vec<Vec<u64>>> {
        let mut run = self.start()?;
        run.finish();
        self.read(&run)
    }

    fn read(&self, run: &Run) -> Result<Vec<Vec<u64>>> {
        (0..self.plan.graph().outputs().len()).map(|index| run.output(index)).collect()
    }

    /// Whether the engine gives the words that the same kernels give without it.
    pub fn check_straight(&self) -> Result<()> {
        let mut straight = self.start()?;
        straight.finish_straight()?;
        if self.read(&straight)? == self.outputs()? {
            return Ok(());
        }
        Err(Error::Job("the engine and its kernels in a fixed order give different words"))
    }
}
