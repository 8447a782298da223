//! `bgv.mod_switch`: the same plaintext under a smaller modulus: (c - d) / A, A the product of the dropped primes, d = c modulo A and 0
//! modulo t; the factor becomes f / A modulo t. Attribute `keep`: how many primes stay. Noise shrinks with the modulus, but for the rounding.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.mod_switch`; see the module.
pub struct ModSwitch;

impl OpDef for ModSwitch {
    fn name(&self) -> &str {
        "bgv.mod_switch"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["keep"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, t, factor) = super::ciphertext(call, 0)?;
        let q = rlwe::kept(call, &ty)?;
        let factor = super::switched_factor(&ty, t, factor, q.len())?;
        Ok(Ciphertext { q, scheme: Scheme::Bgv { t, factor }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (_, t, _) = super::ciphertext(call, 0)?;
        rlwe::divide_parts(s, inputs[0], t, output)
    }

    fn fused(&self, inner: &str) -> Option<&str> {
        (inner == "rlwe.relinearize").then_some("bgv.relinearize_switch")
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, t, _) = super::ciphertext(call, 0).ok()?;
        let keep = call.attrs.size("keep").ok()?;
        Some(Noise::error(bounds::switched_bgv(&ty, t, inputs.first()?.error, keep)?))
    }
}
