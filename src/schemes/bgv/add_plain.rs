//! `bgv.add_plain`: adds a plaintext: f m, centered modulo t, is added to c_0.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.add_plain`; see the module.
pub struct AddPlain;

impl OpDef for AddPlain {
    fn name(&self) -> &str {
        "bgv.add_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::of_scheme(call, rlwe::with_plain(call)?)?.0.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (ty, t, factor) = super::ciphertext(call, 0)?;
        let limb = s.retype(inputs[1], rlwe::plain_limb(&call.inputs[1])?.ty())?;
        let scaled = rlwe::times(s, limb, t, factor)?;
        let scaled = s.retype(scaled, call.inputs[1].clone())?;
        let mut parts = s.parts(inputs[0])?;
        parts[0] = rlwe::plus_plain(s, parts[0], scaled)?;
        s.merge(&parts, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (_, t, _) = super::ciphertext(call, 0).ok()?;
        Some(Noise::error(bounds::sum(&[inputs.first()?.error, super::message(t)])))
    }
}
