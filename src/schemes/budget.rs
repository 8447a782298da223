//! The noise bound of every ciphertext of a scheme-level graph, from the rules of its operators.

use super::noise;
use crate::Result;
use crate::analyze::{OutputIndex, analyze, topological_order};
use crate::graph::{Graph, OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Registry};

/// The smallest noise budget, in bits, that the bounds leave to any ciphertext of the declared outputs; ciphertexts
/// among the graph's inputs are taken as fresh, under a public key.
///
/// # Errors
/// `UnknownOperator`, `OverlappingOutputs`, `Cycle`.
pub fn noise_budget(graph: &Graph, registry: &Registry) -> Result<f64> {
    let order = topological_order(graph, &analyze(graph)?)?;
    let index = OutputIndex::new(graph)?;
    let mut bounds = vec![f64::NEG_INFINITY; order.len()];
    let of_input = |bounds: &[f64], operand: OperandId| -> f64 {
        let Ok(ty) = Ciphertext::of(graph.ty(operand)) else { return f64::NEG_INFINITY };
        let mut worst = f64::NEG_INFINITY;
        for &piece in graph.pieces(operand) {
            for &producer in &index.producers()[index.search(piece)] {
                worst = worst.max(bounds[producer as usize]);
            }
        }
        if worst == f64::NEG_INFINITY { noise::fresh_public(ty.n) } else { worst }
    };
    for op in order {
        let op = op as usize;
        let operator = &graph.operators()[op];
        let inputs = graph.inputs_of(operator);
        let types: Vec<ValueType> = inputs.iter().map(|&i| graph.ty(i).clone()).collect();
        let signature = graph.signature(operator);
        let call = Call { name: &signature.name, attrs: &signature.attrs, inputs: &types };
        let known: Vec<f64> = inputs.iter().map(|&i| of_input(&bounds, i)).collect();
        bounds[op] = match registry.get(&signature.name)?.noise(&call, &known) {
            Some(bound) => bound,
            // A ciphertext whose noise nobody can bound has no budget.
            None if graph.ty(operator.output).head == "ciphertext" => f64::INFINITY,
            None => f64::NEG_INFINITY,
        };
    }
    let mut budget = f64::INFINITY;
    for port in graph.outputs() {
        for &piece in graph.pieces(port.operand) {
            for &producer in &index.producers()[index.search(piece)] {
                if let Ok(ty) = Ciphertext::of(graph.ty(graph.operators()[producer as usize].output)) {
                    let bound = bounds[producer as usize];
                    budget = budget.min(noise::budget(ty.t, noise::log2(&ty.q), bound));
                }
            }
        }
    }
    Ok(budget)
}
