//! `ckks.add_plain`: adds a plaintext of the same scale: m is added to c_0.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `ckks.add_plain`; see the module.
pub struct AddPlain;

impl OpDef for AddPlain {
    fn name(&self) -> &str {
        "ckks.add_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::ciphertext(call, 0)?;
        Ok(rlwe::with_plain(call)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[0])?;
        let mut parts = s.parts(inputs[0])?;
        parts[0] = rlwe::plus_plain(s, parts[0], inputs[1])?;
        s.merge(&parts, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        Some(noise::sums(inputs))
    }
}
