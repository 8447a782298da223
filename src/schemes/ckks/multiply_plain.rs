//! `ckks.multiply_plain`: the product with a plaintext, slot by slot. The scale is the product of the two; attribute `scale` as that of
//! `ckks.multiply`.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `ckks.multiply_plain`; see the module.
pub struct MultiplyPlain;

impl OpDef for MultiplyPlain {
    fn name(&self) -> &str {
        "ckks.multiply_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let (ty, scale) = super::ciphertext(call, 0)?;
        let product = scale.get() * super::plain_scale(call, 1, ty.n)?.get();
        Ok(Ciphertext { scheme: Scheme::Ckks { scale: super::declared(call, product)? }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        rlwe::times_plain(s, inputs[0], inputs[1], self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        Some(super::as_declared(call, canonical::product(*inputs.first()?, *inputs.get(1)?)))
    }
}
