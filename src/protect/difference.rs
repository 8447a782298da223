//! How much the structure of two graphs differs.

use crate::Result;
use crate::analyze::analyze;
use crate::graph::{Graph, hash};
use std::collections::HashMap;

/// How far an operator's neighborhood reaches.
const RADIUS: usize = 2;

/// The share of operators of two graphs whose neighborhoods have no counterpart in the other one: 0 for graphs of one structure,
/// 1 where no neighborhood of one is found in the other.
///
/// A neighborhood is what Weisfeiler and Lehman's refinement gives after two steps: the operator's type, that of its output, and
/// those of whom it waits for and who waits for it, and of theirs. Attributes are not looked at, so that other
/// random constants are no other structure. With a and b operators and c neighborhoods in common, each as often as in both, it is
/// 1 - 2 c / (a + b).
///
/// # Errors
/// `OverlappingOutputs`.
pub fn difference(first: &Graph, second: &Graph) -> Result<f64> {
    let (first, second) = (neighborhoods(first)?, neighborhoods(second)?);
    let all = first.len() + second.len();
    if all == 0 {
        return Ok(0.0);
    }
    let mut left: HashMap<u64, usize> = HashMap::new();
    for label in first {
        *left.entry(label).or_default() += 1;
    }
    let mut common = 0;
    for label in second {
        if let Some(count @ 1..) = left.get_mut(&label) {
            *count -= 1;
            common += 1;
        }
    }
    Ok(1.0 - 2.0 * common as f64 / all as f64)
}

fn neighborhoods(graph: &Graph) -> Result<Vec<u64>> {
    let deps = analyze(graph)?;
    let own = graph.operators().iter().map(|op| hash(&(&graph.signature(op).name, graph.ty(op.output))));
    let mut labels: Vec<u64> = own.collect();
    for _ in 0..RADIUS {
        let around = |neighbors: &[u32]| {
            let mut labels: Vec<u64> = neighbors.iter().map(|&op| labels[op as usize]).collect();
            labels.sort_unstable();
            labels
        };
        let label = |op| hash(&(labels[op], around(deps.dep(op)), around(deps.notify(op))));
        labels = (0..deps.len()).map(label).collect();
    }
    Ok(labels)
}
