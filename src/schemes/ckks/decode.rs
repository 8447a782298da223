//! `ckks.decode`: the slots of a plaintext, divided by its scale. Attribute `complex`: 0 for the real parts, `f64[n/2]`, 1 for both, `f64[n/2, 2]`.
//! Noise: what a slot is off by.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session, base, types};

/// `ckks.decode`; see the module.
pub struct Decode;

impl OpDef for Decode {
    fn name(&self) -> &str {
        "ckks.decode"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["complex"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        base::unembedded(call)
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        s.op("slots.unembed", call.attrs.clone(), inputs)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let scale = types::scale(&call.inputs.first()?.attrs).ok()?;
        Some(canonical::decoded(libm::log2(scale.get()), *inputs.first()?))
    }
}
