//! Takes away what tells where operators come from.

use crate::Result;
use crate::graph::{Graph, OperandId};

/// The graph with new units for all inputs and outputs of operators, in program order, and without parents.
pub(super) fn anonymous(graph: &Graph) -> Result<Graph> {
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    let elsewhere = |out: &mut Graph, operand: OperandId| {
        let place = out.reserve(graph.ty(operand).size)?;
        out.alias(operand, &[place])
    };
    for port in graph.inputs() {
        elsewhere(&mut out, port.operand)?;
    }
    for op in graph.operators() {
        elsewhere(&mut out, op.output)?;
        out.push_operator(op.signature, graph.inputs_of(op), op.output, op.nonce, u32::MAX);
    }
    out.settle();
    Ok(out)
}
