//! What a set reads from outside and what it leaves for others (SPEC G6b).

use super::{Dependencies, OutputIndex};
use crate::graph::{Graph, Intervals, Placeholder, push_joined};

/// All input units that no operator of the set produces, in order, also where the operator that reads them
/// waits for others.
pub fn graph_inputs(graph: &Graph, index: &OutputIndex) -> Vec<Placeholder> {
    let mut outside: Vec<Placeholder> = Vec::new();
    let mut seen = vec![false; graph.operand_count()];
    for op in graph.operators() {
        for &input in graph.inputs_of(op) {
            // What is somebody's output comes from nobody else.
            let known = std::mem::replace(&mut seen[input.0 as usize], true);
            if known || index.writer(input).is_some() {
                continue;
            }
            for (piece, hits) in index.hits(graph, input) {
                let mut at = piece.start;
                for hit in &index.places()[hits] {
                    push(&mut outside, Placeholder::new(at, hit.start));
                    at = hit.end;
                }
                push(&mut outside, Placeholder::new(at, piece.end));
            }
        }
    }
    let sorted = Intervals::new(outside.iter().map(|&p| (p, 0)));
    let mut joined: Vec<Placeholder> = Vec::new();
    for &p in sorted.places() {
        match joined.last_mut() {
            Some(last) if p.start <= last.end => last.end = last.end.max(p.end),
            _ => push_joined(&mut joined, p),
        }
    }
    joined
}

fn push(list: &mut Vec<Placeholder>, piece: Placeholder) {
    if !piece.is_empty() {
        list.push(piece);
    }
}

/// Operators whose output nobody reads: the graph outputs when none is declared.
pub fn derived_outputs(deps: &Dependencies) -> Vec<u32> {
    (0..deps.len()).filter(|&op| deps.notify(op).is_empty()).map(|op| op as u32).collect()
}
