//! Nonces on operators that draw nothing: passes leave such operators as they are ([`crate::optimize::is_pinned`]).

use crate::graph::Graph;
use crate::ops::Registry;

/// The graph with a nonce of its own on every operator that draws no random numbers, in program order.
pub(super) fn pinned(graph: &Graph, registry: &Registry) -> Graph {
    let random = |name: &str| registry.get(name).is_ok_and(|def| def.random());
    let random: Vec<bool> = graph.signatures().iter().map(|signature| random(&signature.name)).collect();
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for op in graph.operators() {
        let nonce = if random[op.signature as usize] { op.nonce } else { out.fresh_nonce() };
        out.push_operator(op.signature, graph.inputs_of(op), op.output, nonce, op.parent);
    }
    out
}
