//! Operators that do the same to the same units become one (SPEC G7). Operators that draw random numbers carry
//! a nonce and stay apart (G16).

use super::is_derived_output;
use crate::Result;
use crate::analyze::{analyze, topological_order};
use crate::graph::{Graph, Placeholder};
use std::collections::HashMap;

/// The graph without duplicates: readers of the second read the first.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn dedup(graph: &Graph) -> Result<Graph> {
    let deps = analyze(graph)?;
    let order = topological_order(graph, &deps)?;
    let mut out = graph.clone();
    type Key = (u32, u32, u32, Vec<(u32, Vec<Placeholder>)>);
    let mut first: HashMap<Key, usize> = HashMap::new();
    let mut drop = vec![false; graph.operators().len()];
    for op in order {
        let index = op as usize;
        if is_derived_output(graph, &deps, index) {
            continue;
        }
        let op = &graph.operators()[index];
        // Producers come first, so that their aliases are known here.
        let inputs =
            graph.inputs_of(op).iter().map(|&i| (graph.type_number(i), out.placeholders(i))).collect();
        let key = (op.signature, op.nonce, graph.type_number(op.output), inputs);
        match first.get(&key) {
            Some(&same) => {
                let target = graph.pieces(graph.operators()[same].output).to_vec();
                out.alias(op.output, &target)?;
                drop[index] = true;
            }
            None => {
                first.insert(key, index);
            }
        }
    }
    out.retain_operators(|op| !drop[op]);
    out.settle();
    Ok(out)
}
