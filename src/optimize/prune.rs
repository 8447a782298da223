//! Operators that no declared output needs are dropped (SPEC G8). Without declared outputs every operator that
//! nobody reads is an output, and nothing is dropped (R8). Pinned operators stay, with all that leads to them.

use super::{Known, is_pinned, of_signatures};
use crate::Result;
use crate::graph::Graph;
use crate::ops::Registry;
use crate::watch::Steps;

/// The graph without dead branches.
///
/// # Errors
/// `OverlappingOutputs`.
pub fn prune(graph: &Graph, registry: &Registry) -> Result<Graph> {
    Known::new(graph.clone())?.after(work, registry)
}

pub(super) fn work(Known { graph, index, deps }: &Known, registry: &Registry) -> Result<Option<Graph>> {
    if graph.outputs().is_empty() {
        return Ok(None);
    }
    let mut needed = vec![false; deps.len()];
    let random = of_signatures(graph, registry, |def| def.random());
    let operators = graph.operators().iter().zip(0..);
    let pinned = operators.filter(|(op, _)| is_pinned(op, random[op.signature as usize]));
    let mut todo: Vec<u32> = pinned.map(|(_, number)| number).collect();
    for port in graph.outputs() {
        for &piece in graph.pieces(port.operand) {
            todo.extend_from_slice(&index.producers()[index.search(piece)]);
        }
    }
    let mut steps = Steps::new(deps.len());
    while let Some(op) = todo.pop() {
        steps.step()?;
        if !std::mem::replace(&mut needed[op as usize], true) {
            todo.extend_from_slice(deps.dep(op as usize));
        }
    }
    if !needed.contains(&false) {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|op| needed[op]);
    Ok(Some(out))
}
