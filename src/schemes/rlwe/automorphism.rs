//! `rlwe.automorphism`: applies X to X^g, which moves slots (`math::slots`): both parts are mapped, then c_1 is switched from s(X^g)
//! back to s. Inputs: the ciphertext and the switching key of g at its level. Attribute `g`: odd, below 2n.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `rlwe.automorphism`; see the module.
pub struct Automorphism;

impl OpDef for Automorphism {
    fn name(&self) -> &str {
        "rlwe.automorphism"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        call.attrs.uint("g")?;
        super::key_at_level(call, 1, &ty)?;
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let attrs = Attrs::new().with("g", call.attrs.uint("g")?);
        let parts = s.parts(inputs[0])?;
        let c0 = s.op("poly.automorphism", attrs.clone(), &parts[..1])?;
        let c1 = s.op("poly.automorphism", attrs, &parts[1..])?;
        super::switch_onto(s, &[c0], c1, inputs[1], &self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let input = inputs.first()?;
        let error = noise::sum(&[input.error, super::switching_noise(call, 1)?]);
        Some(Noise { error, ..*input })
    }
}
