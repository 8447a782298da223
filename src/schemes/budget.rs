//! The noise bound of every ciphertext of a scheme-level graph, from the rules of its operators.

use super::noise;
use crate::Result;
use crate::graph::{Graph, ValueType};
use crate::ops::flow::{Flow, States};
use crate::ops::{Call, OpDef, Registry};

/// log2 of the largest coefficient of a ciphertext's noise.
struct Noise {
    /// Of what comes from outside.
    fresh: f64,
}

impl Flow for Noise {
    type State = f64;

    fn given(&self, _: &ValueType) -> f64 {
        self.fresh
    }

    fn join(&self, first: f64, second: &f64) -> f64 {
        first.max(*second)
    }

    fn step(&self, def: &dyn OpDef, call: &Call<'_>, output: &ValueType, inputs: &[f64]) -> Result<f64> {
        Ok(match def.noise(call, inputs) {
            // What cannot be told is no bound; comparisons would pass over it.
            Some(bound) if bound.is_nan() => f64::INFINITY,
            Some(bound) => bound,
            None if def.moves() => inputs.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            // A ciphertext whose noise nobody can bound has no budget.
            None if output.head == "ciphertext" => f64::INFINITY,
            None => f64::NEG_INFINITY,
        })
    }
}

/// The smallest noise budget, in bits, that the bounds leave to any ciphertext of the declared outputs; what comes
/// from the graph's inputs is taken as fresh, under a public key; where there are special primes, divided by them.
///
/// # Errors
/// `UnknownOperator`, `OverlappingOutputs`, `Cycle`, `Cancelled`; `Graph` for outputs that are no ciphertexts.
pub fn noise_budget(graph: &Graph, registry: &Registry) -> Result<f64> {
    let n = graph.inputs().iter().find_map(|p| graph.ty(p.operand).dim("n").ok()).unwrap_or(1);
    let special = graph.inputs().iter().find_map(|p| graph.ty(p.operand).attrs.uints("special").ok());
    let fresh = match special {
        Some(special) => noise::fresh_public_divided(n, noise::log2(&special)),
        None => noise::fresh_public(n),
    };
    let flow = Noise { fresh };
    let bounds = States::new(graph, registry, &flow)?;
    let mut budget = f64::INFINITY;
    for port in graph.outputs() {
        let attrs = &graph.ty(port.operand).attrs;
        let log_q = noise::log2(&attrs.uints("q")?);
        for t in attrs.uints("t")? {
            budget = budget.min(noise::budget(t, log_q, bounds.of(port.operand)));
        }
    }
    Ok(budget)
}
