//! An operator that undoes the one that it reads is what that one was made from: a transform of an inverse transform, a
//! negative of a negative. Which type undoes which, operator types say themselves ([`crate::ops::OpDef::inverse`]).

use super::{Change, after, is_derived_output, is_pinned, of_signatures};
use crate::Result;
use crate::analyze::{Facts, topological_order};
use crate::graph::{Graph, Operator};
use crate::ops::Registry;
use crate::watch::Steps;

/// The graph with `g(f(x))` replaced by x, where g undoes f and both have the same attributes. f stays for its other
/// readers; `prune` removes it when there are none.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn cancel(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    let deps = &*facts.dependencies;
    // Aliases of a ring of such operators would lead in a circle.
    topological_order(graph, deps)?;
    let inverses = of_signatures(graph, registry, |def| def.inverse().map(str::to_owned));
    let undoes = |outer: &Operator, inner: &Operator| {
        let inverse = inverses[inner.signature as usize].as_deref();
        let (outer, inner) = (graph.signature(outer), graph.signature(inner));
        inverse == Some(&outer.name) && outer.attrs == inner.attrs
    };
    let mut out = graph.clone();
    let mut dropped = vec![false; graph.operators().len()];
    let mut steps = Steps::new(dropped.len());
    for (number, outer) in graph.operators().iter().enumerate() {
        steps.step()?;
        // What undoes another draws nothing, so that a nonce pins it.
        let pinned = is_pinned(outer, false);
        if pinned || inverses[outer.signature as usize].is_none() || is_derived_output(graph, deps, number) {
            continue;
        }
        let [input] = graph.inputs_of(outer) else { continue };
        // Who waits for one operator reads, of one operand, its output, or part of it.
        let ([inner], [place]) = (deps.dep(number), graph.pieces(*input)) else { continue };
        let inner = &graph.operators()[*inner as usize];
        let [source] = graph.inputs_of(inner) else { continue };
        // As one operand: the output may have been seen as another type in between.
        let whole = graph.pieces(inner.output) == [*place]
            && graph.type_number(inner.output) == graph.type_number(*input);
        if whole && undoes(outer, inner) && graph.type_number(*source) == graph.type_number(outer.output) {
            // Where the source lies now, so that chains make no chains of aliases.
            let target = out.placeholders(*source);
            out.alias(outer.output, &target)?;
            dropped[number] = true;
        }
    }
    Ok(dropped.contains(&true).then_some(Change::Fewer(out, dropped)))
}
