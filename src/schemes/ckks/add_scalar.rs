//! `ckks.add_scalar`: adds one number to all slots: round(value scale) to c_0, in NTT form. Attribute `value`, a real number.

use super::canonical;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Form, Limb};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `ckks.add_scalar`; see the module.
pub struct AddScalar;

impl OpDef for AddScalar {
    fn name(&self) -> &str {
        "ckks.add_scalar"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["value"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, _) = super::ciphertext(call, 0)?;
        if ty.form != Form::Ntt {
            return Err(call.error("form of the ciphertext", ty.form.name(), Form::Ntt.name()));
        }
        let value = call.attrs.real("value")?;
        if !integer(call)?.is_finite() {
            return Err(call.error("value", value, "a number that is finite at the scale"));
        }
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (ty, integer) = (Ciphertext::of(&self.assemble(call)?)?, integer(call)?);
        let mut parts = s.parts(inputs[0])?;
        let poly = s.ty(parts[0]).clone();
        let mut limbs = s.limbs(parts[0])?;
        for limb in &mut limbs {
            let c = super::residue(integer, Modulus::new(Limb::of(s.ty(*limb))?.q)?);
            *limb = s.op("limb.add_scalar", Attrs::new().with("c", c), &[*limb])?;
        }
        parts[0] = s.merge(&limbs, poly)?;
        s.merge(&parts, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (_, scale) = super::ciphertext(call, 0).ok()?;
        let scaled = call.attrs.real("value").ok()? * scale.get();
        // Half a unit, and what a double can tell of it.
        let error = libm::log2(0.5 + scaled.abs() * libm::exp2(canonical::ROUNDED));
        Some(noise::sums(&[*inputs.first()?, Noise { message: libm::log2(scaled.abs()), error }]))
    }
}

/// What is added.
fn integer(call: &Call<'_>) -> Result<f64> {
    let (_, scale) = super::ciphertext(call, 0)?;
    Ok((call.attrs.real("value")? * scale.get()).round_ties_even())
}
