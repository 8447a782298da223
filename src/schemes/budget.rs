//! The noise bound of every operand of a scheme-level graph, from the rules of its operators.

use super::{canonical, noise};
use crate::Result;
use crate::graph::{Graph, Port, Real, ValueType};
use crate::ops::flow::{Flow, States};
use crate::ops::tensor::Element;
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Noise, OpDef, Registry};

/// What flows: bounds, each as its scheme counts it.
struct Bounds {
    /// log2 of the special primes that a fresh encryption was divided by, where there are any.
    special: Option<f64>,
    /// log2 of the largest number that the graph is given, in a slot (its absolute value, where it is complex) or a tensor.
    largest: f64,
}

impl Bounds {
    /// Of reals, exactly as they are given.
    fn reals(&self) -> Noise {
        Noise { message: self.largest, error: f64::NEG_INFINITY }
    }
}

impl Flow for Bounds {
    type State = Noise;

    fn given(&self, ty: &ValueType) -> Noise {
        let n = ty.dim("n").unwrap_or(1);
        let secret = noise::Secret { n, parties: types::parties(ty).unwrap_or(1) };
        match Ciphertext::of(ty).map(|ty| ty.scheme) {
            Ok(Scheme::Bgv { t, .. }) => Noise::error(noise::fresh_bgv(secret, t, noise::log2(&[t]), None)),
            Ok(Scheme::Ckks { scale }) => {
                let plain = canonical::encoded(n, libm::log2(scale.get()), self.reals());
                Noise { error: noise::sum(&[plain.error, canonical::fresh_public(secret, None)]), ..plain }
            }
            // Coefficients that somebody else rounded.
            Err(_) if ty.head == "reals" => {
                let scale = types::scale(&ty.attrs).map_or(f64::INFINITY, Real::get);
                canonical::encoded(n, libm::log2(scale), self.reals())
            }
            Err(_) if ty.head == Element::F64.name() => self.reals(),
            // A ciphertext of BFV, or several.
            Ok(Scheme::Bfv { .. }) | Err(_) => Noise::error(noise::fresh_bfv(secret, self.special)),
        }
    }

    fn join(&self, first: Noise, second: &Noise) -> Noise {
        Noise { message: first.message.max(second.message), error: first.error.max(second.error) }
    }

    fn step(&self, def: &dyn OpDef, call: &Call<'_>, output: &ValueType, inputs: &[Noise]) -> Result<Noise> {
        // What cannot be told is no bound; comparisons would pass over it.
        let told = |bound: f64| if bound.is_nan() { f64::INFINITY } else { bound };
        Ok(match def.noise(call, inputs) {
            Some(Noise { message, error }) => Noise { message: told(message), error: told(error) },
            None if def.moves() => {
                inputs.iter().fold(Noise::error(f64::NEG_INFINITY), |all, input| self.join(all, input))
            }
            // A ciphertext whose noise nobody can bound has no budget, and of reals that somebody computed nobody knows the size.
            None if matches!(output.head.as_str(), "ciphertext" | "extract" | "reals" | "f64") => {
                Noise { message: f64::INFINITY, error: f64::INFINITY }
            }
            None => Noise::error(f64::NEG_INFINITY),
        })
    }
}

/// What is known of a declared output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Bits left before decryption fails; infinite for what is no ciphertext.
    pub budget: f64,
    /// log2 of how large message and error are; of a ciphertext of CKKS with its scale, of decoded slots without.
    pub noise: Noise,
}

/// Bounds on the declared outputs, in order. Ciphertexts from the graph's inputs are taken as fresh, under a public key whose errors are
/// multiples of no more than their t; under BFV, where the graph has a key with special primes, divided by these. `largest`: log2 of the largest number
/// that the graph is given: a real in a tensor, or the absolute value of a slot.
///
/// # Errors
/// `UnknownOperator`, `OverlappingOutputs`, `Cycle`, `Cancelled`; `Graph` for ciphertexts without moduli.
pub fn bounds(graph: &Graph, registry: &Registry, largest: f64) -> Result<Vec<Bound>> {
    let special = graph.inputs().iter().find_map(|p| graph.ty(p.operand).attrs.uints("special").ok());
    let flow = Bounds { special: special.map(|special| noise::log2(&special)), largest };
    let bounds = States::new(graph, registry, &flow)?;
    let of = |port: &Port| {
        let noise = bounds.of(port.operand);
        Ok(Bound { budget: budget(graph.ty(port.operand), noise)?, noise })
    };
    graph.outputs().iter().map(of).collect()
}

fn budget(ty: &ValueType, bound: Noise) -> Result<f64> {
    let Ok(q) = ty.attrs.uints("q") else { return Ok(f64::INFINITY) };
    let log_q = noise::log2(&q);
    if matches!(ty.head.as_str(), "ciphertext" | "extract") {
        return Ok(match Ciphertext::of(ty)?.scheme {
            Scheme::Bfv { t } => noise::budget(t, log_q, bound.error),
            Scheme::Bgv { .. } => noise::budget_bgv(log_q, bound.error),
            // Coefficients are no larger than values.
            Scheme::Ckks { .. } => noise::budget_bgv(log_q, noise::sum(&[bound.message, bound.error])),
        });
    }
    let Ok(moduli) = ty.attrs.uints("t") else { return Ok(f64::INFINITY) };
    Ok(moduli.into_iter().map(|t| noise::budget(t, log_q, bound.error)).fold(f64::INFINITY, f64::min))
}

/// The smallest noise budget, in bits, that [`bounds`] leave to any of the declared outputs; of a graph that is given no reals.
///
/// # Errors
/// As [`bounds`].
pub fn noise_budget(graph: &Graph, registry: &Registry) -> Result<f64> {
    let bounds = bounds(graph, registry, f64::NEG_INFINITY)?;
    Ok(bounds.iter().map(|bound| bound.budget).fold(f64::INFINITY, f64::min))
}
