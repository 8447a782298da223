//! The noise bound of every ciphertext of a scheme-level graph, from the rules of its operators.

use super::noise;
use crate::Result;
use crate::analyze::{OutputIndex, analyze, topological_order};
use crate::graph::{Graph, OperandId};
use crate::ops::{Call, Registry};

/// The smallest noise budget, in bits, that the bounds leave to any ciphertext of the declared outputs; what comes
/// from the graph's inputs is taken as fresh, under a public key; where there are special primes, divided by them.
///
/// # Errors
/// `UnknownOperator`, `OverlappingOutputs`, `Cycle`, `Graph` for outputs that are no ciphertexts.
pub fn noise_budget(graph: &Graph, registry: &Registry) -> Result<f64> {
    let order = topological_order(graph, &analyze(graph)?)?;
    let index = OutputIndex::new(graph)?;
    let n = graph.inputs().iter().find_map(|p| graph.ty(p.operand).dim("n").ok()).unwrap_or(1);
    let special = graph.inputs().iter().find_map(|p| graph.ty(p.operand).attrs.uints("special").ok());
    let fresh = match special {
        Some(special) => noise::fresh_public_divided(n, noise::log2(&special)),
        None => noise::fresh_public(n),
    };
    let mut bounds = vec![f64::NEG_INFINITY; order.len()];
    // Of an operand: the worst of its producers; whatever has none is an input.
    let of = |bounds: &[f64], operand: OperandId| -> f64 {
        let mut worst = f64::NEG_INFINITY;
        for &piece in graph.pieces(operand) {
            let hits = index.search(piece);
            let covered: u64 =
                index.places()[hits.clone()].iter().map(|p| p.intersection(&piece).size()).sum();
            if covered < piece.size() {
                worst = worst.max(fresh);
            }
            worst = index.producers()[hits].iter().fold(worst, |w, &p| w.max(bounds[p as usize]));
        }
        worst
    };
    for op in order {
        let operator = &graph.operators()[op as usize];
        let inputs = graph.inputs_of(operator);
        let types = graph.input_types(operator);
        let signature = graph.signature(operator);
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: graph.unit_bits() };
        let known: Vec<f64> = inputs.iter().map(|&i| of(&bounds, i)).collect();
        bounds[op as usize] = match registry.get(&signature.name)?.noise(&call, &known) {
            // What cannot be told is no bound; comparisons would pass over it.
            Some(bound) if bound.is_nan() => f64::INFINITY,
            Some(bound) => bound,
            None if signature.name == "copy" => known.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            // A ciphertext whose noise nobody can bound has no budget.
            None if graph.ty(operator.output).head == "ciphertext" => f64::INFINITY,
            None => f64::NEG_INFINITY,
        };
    }
    let mut budget = f64::INFINITY;
    for port in graph.outputs() {
        let attrs = &graph.ty(port.operand).attrs;
        let log_q = noise::log2(&attrs.uints("q")?);
        for t in attrs.uints("t")? {
            budget = budget.min(noise::budget(t, log_q, of(&bounds, port.operand)));
        }
    }
    Ok(budget)
}
