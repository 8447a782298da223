//! Operators that do the same to the same units become one (SPEC G7). Operators that draw random numbers carry
//! a nonce and stay apart (G16).

use super::is_derived_output;
use crate::Result;
use crate::analyze::{Dependencies, analyze, topological_order};
use crate::graph::{Graph, Numbers, Placeholder, hash};

/// The graph without duplicates: readers of the second read the first.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn dedup(graph: &Graph) -> Result<Graph> {
    let deps = analyze(graph)?;
    let order = topological_order(graph, &deps)?;
    let mut out = graph.clone();
    let mut drop = vec![false; graph.operators().len()];
    let mut first = Numbers::default();
    let (mut own, mut other) = (Key::default(), Key::default());
    for op in order {
        let index = op as usize;
        if is_derived_output(graph, &deps, index) {
            continue;
        }
        // Producers come first, so that their aliases are known here.
        own.read(graph, &out, &deps, &drop, index);
        let hash = hash(&own);
        let same = first.find(hash, |known| {
            other.read(graph, &out, &deps, &drop, known as usize);
            own == other
        });
        match same {
            Some(same) => {
                let place = |op: usize| graph.operators()[op].output;
                out.alias(place(index), graph.pieces(place(same as usize)))?;
                drop[index] = true;
            }
            None => first.insert(hash, op),
        }
    }
    out.retain_operators(|op| !drop[op]);
    out.settle();
    Ok(out)
}

/// What an operator does, and to which units.
#[derive(Default, PartialEq, Hash)]
struct Key {
    signature: u32,
    nonce: u32,
    output: u32,
    /// Type and number of pieces of each input.
    inputs: Vec<(u32, u32)>,
    pieces: Vec<Placeholder>,
}

impl Key {
    /// Reads it anew for an operator of `graph`, whose aliases so far are in `out`.
    fn read(&mut self, graph: &Graph, out: &Graph, deps: &Dependencies, drop: &[bool], index: usize) {
        let op = &graph.operators()[index];
        (self.signature, self.nonce, self.output) = (op.signature, op.nonce, graph.type_number(op.output));
        self.inputs.clear();
        self.pieces.clear();
        // Only what was dropped lies elsewhere now.
        let moved = deps.dep(index).iter().any(|&d| drop[d as usize]);
        for &input in graph.inputs_of(op) {
            let before = self.pieces.len();
            if moved {
                self.pieces.extend(out.placeholders(input));
            } else {
                self.pieces.extend_from_slice(graph.pieces(input));
            }
            self.inputs.push((graph.type_number(input), (self.pieces.len() - before) as u32));
        }
    }
}
