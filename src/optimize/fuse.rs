//! An operator and the one whose output it alone reads become one operator that does both, cheaper: relinearization and the division after it. Which
//! two these are, operator types say themselves ([`crate::ops::OpDef::fused`]).

use super::{Change, Private, after, is_pinned};
use crate::Result;
use crate::analyze::Facts;
use crate::graph::{Attrs, Graph, OperandId, Operator};
use crate::ops::Registry;
use std::collections::HashMap;

/// The graph with such operators as one.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn fuse(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    let private = Private::new(graph, facts);
    // As one type: the output may have been seen as another one in between.
    let inner = |operand: OperandId| {
        let same =
            |op: &usize| graph.type_number(graph.operators()[*op].output) == graph.type_number(operand);
        private.writer(operand).filter(same)
    };
    let mut fused: HashMap<usize, (&str, Attrs, usize)> = HashMap::new();
    let mut gone = vec![false; graph.operators().len()];
    for (number, op) in graph.operators().iter().enumerate() {
        let [input] = graph.inputs_of(op) else { continue };
        let Ok(def) = registry.get(&graph.signature(op).name) else { continue };
        let Some(first) = inner(*input) else { continue };
        let first_op = &graph.operators()[first];
        // Neither of them draws anything, so that a nonce pins it; and who was placed stays what it is.
        let stays = |op: &Operator| is_pinned(op, false) || graph.signature(op).platform.is_some();
        if stays(op) || stays(first_op) || fused.contains_key(&first) {
            continue;
        }
        let inner = graph.signature(first_op);
        if let Some(name) = def.fused(&inner.name) {
            let own = graph.signature(op).attrs.iter();
            let attrs = own.fold(inner.attrs.clone(), |attrs, (name, value)| attrs.with(name, value.clone()));
            fused.insert(number, (name, attrs, first));
            gone[first] = true;
        }
    }
    if fused.is_empty() {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for (number, op) in graph.operators().iter().enumerate().filter(|(number, _)| !gone[*number]) {
        let (signature, inputs) = match fused.remove(&number) {
            Some((name, attrs, first)) => {
                (out.intern_signature(name, attrs), graph.inputs_of(&graph.operators()[first]))
            }
            None => (op.signature, graph.inputs_of(op)),
        };
        out.push_operator(signature, inputs, op.output, op.nonce, op.parent);
    }
    Ok(Some(Change::Rebuilt(out)))
}
