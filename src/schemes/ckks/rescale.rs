//! `ckks.rescale`: divides by some of the primes, and rounds: scale and modulus shrink by their product, the values stay. Attribute `keep`: how many
//! primes stay; `scale`, which may be left out, declares the new scale to be that number, at most 2^-45 of it away, so that two roads to one level
//! meet in one type.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `ckks.rescale`; see the module.
pub struct Rescale;

impl OpDef for Rescale {
    fn name(&self) -> &str {
        "ckks.rescale"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["keep", "scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, scale) = super::ciphertext(call, 0)?;
        let q = rlwe::kept(call, &ty)?;
        let scale = ty.q[q.len()..].iter().fold(scale.get(), |scale, &q| scale / q as f64);
        Ok(Ciphertext { q, scheme: Scheme::Ckks { scale: super::declared(call, scale)? }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        rlwe::divide_parts(s, inputs[0], 1, output)
    }

    fn fused(&self, inner: &str) -> Option<&str> {
        (inner == "rlwe.relinearize").then_some("ckks.relinearize_rescale")
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, _) = super::ciphertext(call, 0).ok()?;
        let dropped = noise::log2(ty.q.get(call.attrs.size("keep").ok()?..)?);
        let Noise { message, error } = *inputs.first()?;
        let error = noise::sum(&[error - dropped, canonical::rounding(&ty, ty.parts)]);
        Some(super::as_declared(call, Noise { message: message - dropped, error }))
    }

    fn random_noise(&self, call: &Call<'_>) -> f64 {
        super::ciphertext(call, 0).map_or(f64::NEG_INFINITY, |(ty, _)| canonical::rounding(&ty, ty.parts))
    }
}
