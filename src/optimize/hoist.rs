//! What several operators that read one operand have in common is done once: the decomposition of a ciphertext that is rotated several times.
//! What that is, operator types say themselves ([`crate::ops::OpDef::shared`]).

use super::{Change, after, is_pinned};
use crate::Result;
use crate::analyze::Facts;
use crate::graph::{Graph, OperandId, Placeholder};
use crate::ops::{Call, Registry, Shared};
use std::collections::HashMap;

/// The graph with operators that share work split in the part that they share and the rest, where there are two of them or more.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`; what an operator type says of the part that is shared.
pub fn hoist(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

/// What is shared: the operator, and what it reads.
type Key = (&'static str, String, Vec<(u32, Vec<Placeholder>)>);

pub(super) fn work(graph: &Graph, _: &Facts, registry: &Registry) -> Result<Option<Change>> {
    let mut shared: Vec<Option<(Key, Shared)>> = Vec::with_capacity(graph.operators().len());
    let mut readers: HashMap<Key, usize> = HashMap::new();
    for op in graph.operators() {
        let signature = graph.signature(op);
        let types = graph.input_types(op);
        let (name, attrs) = (&signature.name, &signature.attrs);
        let call = Call { name, attrs, inputs: &types, unit: graph.unit_bits() };
        // None of them draws anything, so that a nonce pins it; and who was placed stays what it is.
        let stays = is_pinned(op, false) || signature.platform.is_some();
        let found = registry.get(name).ok().filter(|_| !stays).and_then(|def| def.shared(&call));
        let inputs = graph.inputs_of(op);
        shared.push(found.map(|found| {
            let place =
                |&index: &usize| (graph.type_number(inputs[index]), graph.placeholders(inputs[index]));
            let key = (found.prepare, found.attrs.to_string(), found.inputs.iter().map(place).collect());
            (key, found)
        }));
        if let Some((key, _)) = shared.last().and_then(Option::as_ref) {
            *readers.entry(key.clone()).or_default() += 1;
        }
    }
    if readers.values().all(|&readers| readers < 2) {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    let mut prepared: HashMap<Key, OperandId> = HashMap::new();
    for (op, shared) in graph.operators().iter().zip(shared) {
        let inputs = graph.inputs_of(op);
        let Some((key, shared)) = shared.filter(|(key, _)| readers[key] > 1) else {
            out.push_operator(op.signature, inputs, op.output, op.nonce, op.parent);
            continue;
        };
        let common = match prepared.get(&key) {
            Some(&common) => common,
            None => {
                let own: Vec<OperandId> = shared.inputs.iter().map(|&index| inputs[index]).collect();
                let types: Vec<_> = own.iter().map(|&input| graph.ty(input).clone()).collect();
                let (name, unit) = (shared.prepare, graph.unit_bits());
                let ty = registry.assemble(&Call { name, attrs: &shared.attrs, inputs: &types, unit })?;
                let common = out.add_operator(name, shared.attrs, &own, ty)?;
                out.set_parent_of_last(op.parent);
                prepared.insert(key, common);
                common
            }
        };
        let signature = out.intern_signature(shared.then, graph.signature(op).attrs.clone());
        out.push_operator(signature, &[inputs, &[common]].concat(), op.output, op.nonce, op.parent);
    }
    Ok(Some(Change::Rebuilt(out)))
}
