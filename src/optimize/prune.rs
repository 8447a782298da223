//! Operators that no declared output needs are dropped (SPEC G8). Without declared outputs every operator that
//! nobody reads is an output, and nothing is dropped (R8). Pinned operators stay, with all that leads to them.

use super::{Change, after, is_pinned, of_signatures};
use crate::Result;
use crate::analyze::Facts;
use crate::graph::Graph;
use crate::ops::Registry;
use crate::watch::Steps;

/// The graph without dead branches.
///
/// # Errors
/// `OverlappingOutputs`.
pub fn prune(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    let Facts { index, dependencies: deps } = facts;
    if graph.outputs().is_empty() {
        return Ok(None);
    }
    let mut dropped = vec![true; deps.len()];
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
        if std::mem::replace(&mut dropped[op as usize], false) {
            todo.extend_from_slice(deps.dep(op as usize));
        }
    }
    Ok(dropped.contains(&true).then(|| Change::Fewer(graph.clone(), dropped)))
}
