//! From a graph literal to a graph: everything that the text grammar cannot see.

use super::{Dependencies, Facts, Method, OutputIndex, graph_inputs, topological_order};
use crate::graph::{Graph, GraphError, OperandId, Placeholder};

/// Checks a settled graph: outputs of operators are disjoint from each other and from the declared inputs,
/// every unit that is read is written or declared, and nobody waits for itself. Gives the dependencies.
///
/// # Errors
/// `OverlappingOutputs`, `OverlappingInputs`, `WritesInput`, `Undefined`, `Cycle`.
pub fn check(graph: &Graph) -> Result<Dependencies, GraphError> {
    let index = OutputIndex::new(graph)?;
    check_places(graph, &index)?;
    let deps = Dependencies::new(graph, &index, Method::Search);
    topological_order(graph, &deps)?;
    Ok(deps)
}

/// As [`check`], with what is known of the graph.
///
/// # Errors
/// As [`check`].
pub fn check_by(graph: &Graph, facts: &Facts) -> Result<(), GraphError> {
    check_places(graph, &facts.index)?;
    topological_order(graph, &facts.dependencies)?;
    Ok(())
}

/// All but that nobody waits for itself.
fn check_places(graph: &Graph, index: &OutputIndex) -> Result<(), GraphError> {
    let mut inputs: Vec<(Placeholder, &str)> = Vec::new();
    for port in graph.inputs() {
        for &piece in graph.pieces(port.operand) {
            if let Some(hit) = index.search(piece).next() {
                let at = index.places()[hit].intersection(&piece);
                return Err(GraphError::WritesInput {
                    op: index.producers()[hit],
                    input: port.name.clone(),
                    at,
                });
            }
            inputs.push((piece, &port.name));
        }
    }
    inputs.sort_unstable();
    if let Some(w) = inputs.windows(2).find(|w| w[0].0.overlaps(&w[1].0)) {
        let (first, second, at) = (w[0].1.to_owned(), w[1].1.to_owned(), w[0].0.intersection(&w[1].0));
        return Err(GraphError::OverlappingInputs { first, second, at });
    }
    let declared: Vec<Placeholder> = inputs.into_iter().map(|(piece, _)| piece).collect();
    for outside in graph_inputs(graph, index) {
        if let Some(at) = uncovered(outside, &declared) {
            return Err(undefined(graph, at));
        }
    }
    let mut known: Vec<Placeholder> = Vec::new();
    for port in graph.outputs() {
        for &piece in graph.pieces(port.operand) {
            known.clear();
            known.extend_from_slice(&index.places()[index.search(piece)]);
            let first = declared.partition_point(|d| d.end <= piece.start);
            known.extend(declared[first..].iter().take_while(|d| d.start < piece.end));
            known.sort_unstable();
            if let Some(at) = uncovered(piece, &known) {
                return Err(GraphError::Undefined { op: u32::MAX, name: port.name.clone(), at });
            }
        }
    }
    Ok(())
}

/// The first units of `piece` that no placeholder of the sorted list covers.
fn uncovered(piece: Placeholder, sorted: &[Placeholder]) -> Option<Placeholder> {
    let mut at = piece.start;
    for p in &sorted[sorted.partition_point(|p| p.end <= piece.start)..] {
        if p.start > at || at >= piece.end {
            break;
        }
        at = at.max(p.end);
    }
    (at < piece.end).then_some(Placeholder::new(at, piece.end))
}

fn undefined(graph: &Graph, at: Placeholder) -> GraphError {
    let reads = |operand: &OperandId| graph.pieces(*operand).iter().any(|p| p.overlaps(&at));
    let op = graph.operators().iter().position(|op| graph.inputs_of(op).iter().any(reads));
    let name = op.map_or(String::new(), |op| graph.signature(&graph.operators()[op]).name.clone());
    GraphError::Undefined { op: op.map_or(u32::MAX, |op| op as u32), name, at }
}
