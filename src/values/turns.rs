//! The pass that gives turns along several dimensions one order: x turned along dimension 0, then along 1, is x turned along 1, then along 0; turns along one
//! dimension are one. The last dimension comes first: it lies lowest in slots, where a turn takes the most masks and is worth sharing among all that is turned along others,
//! which `dedup` then sees.

use super::rewrite::rewritten;
use super::{Turn, Values};
use crate::Result;
use crate::graph::{Graph, OperandId};
use crate::ops::{Call, Registry};
use crate::sorted::SortedMap;
use std::collections::HashMap;

/// The same task with turns in that order.
///
/// # Errors
/// What is wrong with the graph.
pub fn turns(graph: &Graph, registry: &Registry, values: &Values) -> Result<Graph> {
    // Of values that are turned: whose, and how far along which dimension.
    let mut turned: HashMap<u64, (OperandId, SortedMap<usize, u64>)> = HashMap::new();
    rewritten(graph, registry, |new, op| {
        let (signature, inputs) = (graph.signature(op), graph.input_types(op));
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &inputs, unit: graph.unit_bits() };
        let def = values.get(call.name).ok();
        let (Some(def), [input]) = (def, graph.inputs_of(op)) else { return new.same(op) };
        let Some(Turn { axis, steps, size }) = def.turn(&call)? else { return new.same(op) };
        let (base, mut by) = match turned.get(&graph.first_unit(*input)) {
            Some(known) => known.clone(),
            None => (new.of(*input)?, SortedMap::new()),
        };
        let along = by.entry(axis).or_insert(0);
        *along = (*along + steps) % size;
        let mut operand = base;
        for (&axis, &steps) in by.iter().rev().filter(|(_, steps)| **steps != 0) {
            operand = new.session.op(call.name, def.turning(axis, steps), &[operand])?;
        }
        turned.insert(graph.first_unit(op.output), (base, by));
        Ok(operand)
    })
}
