//! The pass that takes f(x, x) for what it is ([`super::ValueDef::squared`]): a product for a square, a sum for
//! twice x.

use super::rewrite::rewritten;
use super::{Squared, Values};
use crate::Result;
use crate::graph::Graph;
use crate::ops::{Call, Registry};

/// The same task with such operators replaced.
///
/// # Errors
/// What is wrong with the graph.
pub fn square(graph: &Graph, registry: &Registry, values: &Values) -> Result<Graph> {
    rewritten(graph, registry, |new, op| {
        let [x, y] = graph.inputs_of(op) else { return new.same(op) };
        if graph.first_unit(*x) != graph.first_unit(*y) {
            return new.same(op);
        }
        let (signature, inputs) = (graph.signature(op), graph.input_types(op));
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &inputs, unit: graph.unit_bits() };
        let known = values.get(call.name).ok().and_then(|def| def.squared(&call));
        match known {
            Some(Squared::Operand) => new.of(*x),
            Some(Squared::Operator(name, attrs)) => {
                let x = new.of(*x)?;
                new.session.op(name, attrs, &[x])
            }
            // A constant is public, and so of another type than what is encrypted.
            Some(Squared::Number(_)) | None => new.same(op),
        }
    })
}
