//! Passes over circuits: by name, the default ones, and a user's own.

use super::{Circuit, Precompute};
use crate::graph::Graph;
use crate::optimize::{DEFAULT_PASSES, PASSES, Pass, optimize_known};
use crate::platform::Scalar;
use crate::{Error, Result};
use std::sync::{Arc, OnceLock};

/// The names of the passes that [`Circuit::optimize_by_default`] runs, in order.
pub fn default_pass_names() -> Vec<&'static str> {
    DEFAULT_PASSES.iter().map(|pass| pass.name).collect()
}

/// The names that [`Circuit::optimize`] takes, those of the default passes first.
pub fn pass_names() -> Vec<&'static str> {
    PASSES.iter().map(|pass| pass.name).chain([Precompute::NAME]).collect()
}

/// The pass of that name.
///
/// # Errors
/// `UnknownPass`.
pub fn pass_named(name: &str) -> Result<Box<dyn Pass>> {
    if name == Precompute::NAME {
        return Ok(Box::new(Precompute::new(Arc::new(Scalar::new()))));
    }
    let known = PASSES.into_iter().find(|pass| pass.name == name);
    let unknown = || Error::UnknownPass { name: name.to_owned(), expected: pass_names().join(", ") };
    known.map(|pass| Box::new(pass) as Box<dyn Pass>).ok_or_else(unknown)
}

impl Circuit {
    /// The same task after passes, in order; their names are those of [`pass_names`].
    ///
    /// # Errors
    /// `UnknownPass`; what a pass says.
    pub fn optimize(&self, passes: &[&str]) -> Result<Self> {
        let passes = passes.iter().map(|name| pass_named(name)).collect::<Result<Vec<_>>>()?;
        self.after(passes.iter().map(|pass| &**pass))
    }

    /// The same task after the default passes.
    ///
    /// # Errors
    /// What a pass says.
    pub fn optimize_by_default(&self) -> Result<Self> {
        let (graph, facts) = optimize_known(&self.graph, self.facts.get(), &self.registry)?;
        Ok(Self { facts: OnceLock::from(facts), ..self.with(graph) })
    }

    /// The same task after these passes, which may be a user's own; what each makes is checked
    /// ([`Circuit::verify_structure`]). Whether it means the same, [`Circuit::verify_passes`] tells.
    ///
    /// A pass is a value that changes graphs, such as this one, which forgets all outputs but one:
    ///
    /// ```
    /// use cipherloom::Result;
    /// use cipherloom::circuit::CircuitBuilder;
    /// use cipherloom::graph::{Attrs, Graph};
    /// use cipherloom::ops::{Registry, types::{Form, Limb}};
    /// use cipherloom::optimize::{DEFAULT_PASSES, Pass, prune};
    /// use std::sync::Arc;
    ///
    /// struct Only(String);
    ///
    /// impl Pass for Only {
    ///     fn name(&self) -> &str {
    ///         "only"
    ///     }
    ///     fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph> {
    ///         let mut out = graph.next_level();
    ///         let copy = |out: &mut Graph, operand| out.view(graph.ty(operand).clone(), graph.placeholders(operand));
    ///         for port in graph.inputs() {
    ///             let input = copy(&mut out, port.operand);
    ///             out.declare_input(&port.name, input);
    ///         }
    ///         for op in graph.operators() {
    ///             let inputs: Vec<_> = graph.inputs_of(op).iter().map(|&input| copy(&mut out, input)).collect();
    ///             let output = copy(&mut out, op.output);
    ///             out.push_operator(op.signature, &inputs, output, op.nonce, op.parent);
    ///         }
    ///         for port in graph.outputs().iter().filter(|port| port.name == self.0) {
    ///             let output = copy(&mut out, port.operand);
    ///             out.declare_output(&port.name, output);
    ///         }
    ///         prune(&out, registry)
    ///     }
    /// }
    ///
    /// let registry = Arc::new(Registry::lattice());
    /// let mut g = CircuitBuilder::new(64, &registry)?;
    /// let x = g.input("x", Limb { n: 8, q: 97, form: Form::Coeff }.ty())?;
    /// let negative = g.op("limb.neg", Attrs::new(), &[x])?;
    /// let double = g.op("limb.add", Attrs::new(), &[x, x])?;
    /// g.output("negative", negative);
    /// g.output("double", double);
    /// let circuit = g.finish()?.apply(&[&DEFAULT_PASSES[0], &Only("double".into())])?;
    /// assert_eq!(circuit.graph().operators().len(), 1);
    /// # Ok::<(), cipherloom::Error>(())
    /// ```
    ///
    /// # Errors
    /// `AtStage` names the pass; in it is what the pass says, or what is wrong with the graph that it made.
    pub fn apply(&self, passes: &[&dyn Pass]) -> Result<Self> {
        let mut circuit = self.clone();
        for &pass in passes {
            let changed = circuit.after([pass]).and_then(|changed| {
                changed.verify_structure(None)?;
                Ok(changed)
            });
            circuit = changed.map_err(|error| at_pass(pass, error))?;
        }
        Ok(circuit)
    }

    fn after<'p>(&self, passes: impl IntoIterator<Item = &'p dyn Pass>) -> Result<Self> {
        let mut graph: Option<Graph> = None;
        for pass in passes {
            graph = Some(pass.run(graph.as_ref().unwrap_or(&self.graph), &self.registry)?);
        }
        Ok(graph.map_or_else(|| self.clone(), |graph| self.with(graph)))
    }
}

/// Says which pass it was.
pub(super) fn at_pass(pass: &dyn Pass, error: Error) -> Error {
    Error::AtStage { stage: format!("pass `{}`", pass.name()), error: Box::new(error) }
}
