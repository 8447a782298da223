//! The noise bound of every ciphertext of a scheme-level graph, from the rules of its operators.

use super::noise;
use crate::Result;
use crate::graph::{Graph, ValueType};
use crate::ops::flow::{Flow, States};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, OpDef, Registry};

/// log2 of the largest coefficient of a ciphertext's noise, as its scheme counts it.
struct Noise {
    /// log2 of the special primes that a fresh encryption was divided by, where there are any.
    special: Option<f64>,
}

impl Flow for Noise {
    type State = f64;

    fn given(&self, ty: &ValueType) -> f64 {
        let n = ty.dim("n").unwrap_or(1);
        match Ciphertext::of(ty).map(|ty| ty.scheme) {
            Ok(Scheme::Bgv { t, .. }) => noise::fresh_bgv(n, t, noise::log2(&[t]), self.special),
            _ => {
                self.special.map_or_else(|| noise::fresh_public(n), |log| noise::fresh_public_divided(n, log))
            }
        }
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
    let special = graph.inputs().iter().find_map(|p| graph.ty(p.operand).attrs.uints("special").ok());
    let flow = Noise { special: special.map(|special| noise::log2(&special)) };
    let bounds = States::new(graph, registry, &flow)?;
    let mut budget = f64::INFINITY;
    for port in graph.outputs() {
        let (ty, bound) = (graph.ty(port.operand), bounds.of(port.operand));
        let log_q = noise::log2(&ty.attrs.uints("q")?);
        if ty.head == "ciphertext" {
            budget = budget.min(match Ciphertext::of(ty)?.scheme {
                Scheme::Bfv { t } => noise::budget(t, log_q, bound),
                Scheme::Bgv { .. } => noise::budget_bgv(log_q, bound),
            });
            continue;
        }
        for t in ty.attrs.uints("t")? {
            budget = budget.min(noise::budget(t, log_q, bound));
        }
    }
    Ok(budget)
}
