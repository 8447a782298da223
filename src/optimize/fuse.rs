//! An operator and those whose outputs it alone reads become one operator that does it all, cheaper: relinearization and the division after it, a sum
//! and the products that are its terms. Which these are, operator types say themselves ([`crate::ops::OpDef::fused`]).

use super::{Change, Private, after, is_pinned};
use crate::Result;
use crate::analyze::{Facts, topological_order};
use crate::graph::{Attrs, Graph, OperandId, Operator};
use crate::ops::{OpDef, Registry};
use std::collections::HashMap;

/// Most inputs of an operator that takes the inputs of several.
const MOST_INPUTS: usize = 64;

/// The graph with such operators as one.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn fuse(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

/// What takes the place of operators.
#[derive(Default)]
struct Fused<'r> {
    name: &'r str,
    attrs: Attrs,
    inputs: Vec<OperandId>,
}

/// The attributes of both; the second ones count.
fn merged(first: Attrs, second: &Attrs) -> Attrs {
    second.iter().fold(first, |all, (name, value)| all.with(name, value.clone()))
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    as_one(graph, facts, registry, MOST_INPUTS, |def, inner| def.fused(inner))
}

/// Puts one operator in the place of those that operator types say it stands for: asked of one, and of the name of those whose outputs it reads.
pub(super) fn as_one(
    graph: &Graph,
    facts: &Facts,
    registry: &Registry,
    most_inputs: usize,
    ask: for<'r> fn(&'r dyn OpDef, &str) -> Option<&'r str>,
) -> Result<Option<Change>> {
    let private = Private::new(graph, facts);
    // As one type: the output may have been seen as another one in between.
    let inner = |operand: OperandId| {
        let same =
            |op: &usize| graph.type_number(graph.operators()[*op].output) == graph.type_number(operand);
        private.writer(operand).filter(same)
    };
    // None of them draws anything, so that a nonce pins it; and who was placed stays what it is.
    let stays = |op: &Operator| is_pinned(op, false) || graph.signature(op).platform.is_some();
    let mut fused: HashMap<usize, Fused<'_>> = HashMap::new();
    let mut gone = vec![false; graph.operators().len()];
    for number in topological_order(graph, &facts.dependencies)? {
        let number = number as usize;
        let op = &graph.operators()[number];
        let Ok(def) = registry.get(&graph.signature(op).name) else { continue };
        let inner: Option<Vec<usize>> = graph.inputs_of(op).iter().map(|&input| inner(input)).collect();
        // One that is read twice would be done twice.
        let once = |inner: &[usize]| (1..inner.len()).all(|index| !inner[..index].contains(&inner[index]));
        let Some(inner) = inner.filter(|inner| !inner.is_empty() && once(inner)) else { continue };
        if stays(op) || inner.iter().any(|&inner| stays(&graph.operators()[inner])) {
            continue;
        }
        let mut whole: Option<Fused<'_>> = None;
        for &inner in &inner {
            let own = &graph.operators()[inner];
            let signature = graph.signature(own);
            let (name, attrs, inputs) = match fused.get(&inner) {
                Some(fused) => (fused.name, &fused.attrs, fused.inputs.as_slice()),
                None => (signature.name.as_str(), &signature.attrs, graph.inputs_of(own)),
            };
            let all = whole.take().unwrap_or_default();
            let name = ask(def.as_ref(), name)
                .filter(|name| all.inputs.is_empty() || (all.name == *name && all.attrs == *attrs));
            let Some(name) = name else { break };
            whole = Some(Fused {
                name,
                attrs: merged(all.attrs, attrs),
                inputs: [all.inputs.as_slice(), inputs].concat(),
            });
        }
        if let Some(mut whole) = whole.filter(|whole| whole.inputs.len() <= most_inputs) {
            whole.attrs = merged(whole.attrs, &graph.signature(op).attrs);
            inner.iter().for_each(|&inner| gone[inner] = true);
            fused.insert(number, whole);
        }
    }
    if fused.is_empty() {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for (number, op) in graph.operators().iter().enumerate().filter(|(number, _)| !gone[*number]) {
        let (signature, inputs) = match fused.remove(&number) {
            Some(Fused { name, attrs, inputs }) => (out.intern_signature(name, attrs), inputs),
            None => (op.signature, graph.inputs_of(op).to_vec()),
        };
        out.push_operator(signature, &inputs, op.output, op.nonce, op.parent);
    }
    Ok(Some(Change::Rebuilt(out)))
}
