//! `rlwe.negate`: the negative of a ciphertext. Noise: the same.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// `rlwe.negate`; see the module.
pub struct Negate;

impl OpDef for Negate {
    fn name(&self) -> &str {
        "rlwe.negate"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn inverse(&self) -> Option<&str> {
        Some("rlwe.negate")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        Ok(Ciphertext::of(call.input(0, "ciphertext")?)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        super::partwise(s, "poly.neg", inputs, self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        inputs.first().copied()
    }
}
