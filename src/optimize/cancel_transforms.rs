//! A transform of an inverse transform, or the other way round, is what it was made from.

use super::is_derived_output;
use crate::Result;
use crate::analyze::{Dependencies, Method, OutputIndex, topological_order};
use crate::graph::{Graph, Operator};

/// The graph with `limb.ntt(limb.intt(x))` and `limb.intt(limb.ntt(x))` replaced by x. The inner transform stays
/// for its other readers; `prune` removes it when there are none.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn cancel_transforms(graph: &Graph) -> Result<Graph> {
    let index = OutputIndex::new(graph)?;
    let deps = Dependencies::new(graph, &index, Method::Search);
    // Aliases of a ring of transforms would lead in a circle.
    topological_order(graph, &deps)?;
    let name = |op: &Operator| graph.signature(op).name.as_str();
    let mut out = graph.clone();
    let mut drop = vec![false; graph.operators().len()];
    for (number, outer) in graph.operators().iter().enumerate() {
        let inverse = match name(outer) {
            "limb.ntt" => "limb.intt",
            "limb.intt" => "limb.ntt",
            _ => continue,
        };
        if is_derived_output(graph, &deps, number) {
            continue;
        }
        let [input] = graph.inputs_of(outer) else { continue };
        let [place] = graph.pieces(*input) else { continue };
        let hits = index.search(*place);
        if hits.len() != 1 || index.places()[hits.start] != *place {
            continue;
        }
        let inner = &graph.operators()[index.producers()[hits.start] as usize];
        let [source] = graph.inputs_of(inner) else { continue };
        if name(inner) == inverse && graph.type_number(*source) == graph.type_number(outer.output) {
            // Where the source lies now, so that chains of transforms make no chains of aliases.
            let target = out.placeholders(*source);
            out.alias(outer.output, &target)?;
            drop[number] = true;
        }
    }
    out.retain_operators(|op| !drop[op]);
    out.settle();
    Ok(out)
}
