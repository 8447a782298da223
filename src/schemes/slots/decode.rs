//! `slots.decode`: the slot values of a plaintext polynomial; the inverse of `slots.encode`.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};

/// `slots.decode`; see the module.
pub struct Decode;

impl OpDef for Decode {
    fn name(&self) -> &str {
        "slots.decode"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn inverse(&self) -> Option<&str> {
        Some("slots.encode")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = call.input(0, "plain")?;
        Ok(types::slots(types::dimension(ty)?, types::modulus(ty, "t")?))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let limb = crate::schemes::rlwe::plain_limb(&call.inputs[0])?;
        let limb = s.retype(inputs[0], limb.ty())?;
        let values = s.op("limb.ntt", Attrs::new(), &[limb])?;
        s.op("slots.read", Attrs::new(), &[values])
    }
}
