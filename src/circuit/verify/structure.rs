//! Whether a graph is one: nothing is run.

use crate::analyze::check;
use crate::circuit::Circuit;
use crate::expand::BaseSet;
use crate::graph::{Graph, GraphError, OperandId, Placeholder};
use crate::{Error, Result};

impl Circuit {
    /// Checks the graph: outputs of operators are disjoint from each other and from the inputs, every unit that is read is
    /// written or an input, nobody waits for itself, operands have as many units as their types, operators take what they
    /// are given and give what their types say; and, where a base set is given, there are no other operators.
    ///
    /// A circuit was checked when it was made; this is for what passes and expansions make of it.
    ///
    /// # Errors
    /// `AtOperator` names the operator; in it are `Size`, `UnknownOperator`, `Operator`, `NotImplemented`. What
    /// [`check`] finds says itself which operators it is about.
    pub fn verify_structure(&self, base: Option<&BaseSet<'_>>) -> Result<()> {
        let graph = self.graph();
        sizes(graph)?;
        check(graph).map_err(|error| named(graph, error))?;
        let wrong = |(op, error)| at(graph, op, error);
        self.registry().check_operators(graph).map_err(wrong)?;
        let Some(base) = base else { return Ok(()) };
        let name = |op| graph.signature(op).name.as_str();
        match graph.operators().iter().position(|op| !(base.contains)(name(op))) {
            None => Ok(()),
            Some(number) => {
                let op = name(&graph.operators()[number]).to_owned();
                Err(at(graph, number, Error::NotImplemented { op, platform: base.platform.to_owned() }))
            }
        }
    }
}

/// An error with the operator that it is about.
pub(super) fn at(graph: &Graph, op: usize, error: Error) -> Error {
    let name = graph.signature(&graph.operators()[op]).name.clone();
    Error::AtOperator { op: op as u32, name, error: Box::new(error) }
}

/// Errors that give an operator by its number get its name, too.
fn named(graph: &Graph, error: GraphError) -> Error {
    match error {
        GraphError::OverlappingOutputs { second: op, .. } | GraphError::WritesInput { op, .. } => {
            at(graph, op as usize, error.into())
        }
        _ => error.into(),
    }
}

/// Operands have the units of their types.
fn sizes(graph: &Graph) -> Result<()> {
    let wrong = |what, operand: OperandId| {
        let expected = graph.ty(operand).size;
        let found = graph.pieces(operand).iter().map(Placeholder::size).fold(0, u64::saturating_add);
        (found != expected).then(|| Error::from(GraphError::Size { what, found, expected }))
    };
    for (number, op) in graph.operators().iter().enumerate() {
        let inputs = graph.inputs_of(op).iter().map(|&input| ("an input", input));
        for (what, operand) in inputs.chain([("the output", op.output)]) {
            if let Some(error) = wrong(what, operand) {
                return Err(at(graph, number, error));
            }
        }
    }
    let ports = graph.inputs().iter().chain(graph.outputs());
    match ports.filter_map(|port| wrong("an input or output of the graph", port.operand)).next() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}
