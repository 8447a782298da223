//! Operators that no declared output needs are dropped (SPEC G8). Without declared outputs every operator that
//! nobody reads is an output, and nothing is dropped (R8).

use super::Known;
use crate::Result;
use crate::graph::Graph;
use crate::ops::Registry;
use crate::watch::Steps;

/// The graph without dead branches.
///
/// # Errors
/// `OverlappingOutputs`.
pub fn prune(graph: &Graph) -> Result<Graph> {
    Known::new(graph.clone())?.after(work, &Registry::empty())
}

pub(super) fn work(Known { graph, index, deps }: &Known, _: &Registry) -> Result<Option<Graph>> {
    if graph.outputs().is_empty() {
        return Ok(None);
    }
    let mut needed = vec![false; deps.len()];
    let mut todo: Vec<u32> = Vec::new();
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
