//! `bgv.multiply_plain`: the product with a plaintext, slot by slot: every part times m, centered. Noise: times n t/2.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.multiply_plain`; see the module.
pub struct MultiplyPlain;

impl OpDef for MultiplyPlain {
    fn name(&self) -> &str {
        "bgv.multiply_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::of_scheme(call, rlwe::with_plain(call)?)?.0.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        rlwe::times_plain(s, inputs[0], inputs[1], self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, t, _) = super::ciphertext(call, 0).ok()?;
        Some(Noise::error(bounds::multiply_plain(ty.n, t, inputs.first()?.error)))
    }
}
