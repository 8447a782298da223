//! Orders in which a set may run.

use super::Dependencies;
use crate::graph::{Graph, GraphError};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The earliest wave of every operator: 0 for those that wait for nobody, else one more than the latest of
/// those it waits for.
///
/// # Errors
/// `Cycle` when operators wait for each other.
pub fn waves(graph: &Graph, deps: &Dependencies) -> Result<Vec<u32>, GraphError> {
    let mut wave = vec![0u32; deps.len()];
    for op in topological_order(graph, deps)? {
        let op = op as usize;
        wave[op] = deps.dep(op).iter().map(|&d| wave[d as usize] + 1).max().unwrap_or(0);
    }
    Ok(wave)
}

/// The number of waves.
///
/// # Errors
/// As [`waves`].
pub fn depth(graph: &Graph, deps: &Dependencies) -> Result<usize, GraphError> {
    Ok(waves(graph, deps)?.iter().map(|&w| w as usize + 1).max().unwrap_or(0))
}

/// An order in which everyone comes after those it waits for; program order where that is one.
///
/// # Errors
/// `Cycle` when operators wait for each other.
pub fn topological_order(graph: &Graph, deps: &Dependencies) -> Result<Vec<u32>, GraphError> {
    let n = deps.len();
    if (0..n).all(|op| deps.dep(op).iter().all(|&d| (d as usize) < op)) {
        return Ok((0..n as u32).collect());
    }
    let mut waiting: Vec<u32> = (0..n).map(|op| deps.dep(op).len() as u32).collect();
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..n as u32).filter(|&op| waiting[op as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(op)) = ready.pop() {
        order.push(op);
        for &next in deps.notify(op as usize) {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    match (0..n).find(|&op| waiting[op] > 0) {
        None => Ok(order),
        Some(op) => {
            let name = graph.signature(&graph.operators()[op]).name.clone();
            Err(GraphError::Cycle { op: op as u32, name })
        }
    }
}
