//! `ckks.multiply_scalar`: the product with one number in all slots: every part times c = round(value by). Attributes `value`, a real number, and
//! `by`, what it is scaled with; the scale is the product of the two scales, or what attribute `scale` declares, as that of `ckks.multiply`.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// `ckks.multiply_scalar`; see the module.
pub struct MultiplyScalar;

impl OpDef for MultiplyScalar {
    fn name(&self) -> &str {
        "ckks.multiply_scalar"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["by", "scale", "value"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, scale) = super::ciphertext(call, 0)?;
        let by = call.attrs.real("by")?;
        if by.is_nan() || by < 1.0 || !integer(call)?.is_finite() {
            return Err(call.error("by", by, "a scale of at least 1 at which the value is finite"));
        }
        let scheme = Scheme::Ckks { scale: super::declared(call, scale.get() * by)? };
        Ok(Ciphertext { scheme, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        super::times_integer(s, inputs[0], integer(call)?, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (scaled, integer) =
            (call.attrs.real("value").ok()? * call.attrs.real("by").ok()?, integer(call).ok()?);
        // What a double can tell of it.
        let rounded = (scaled - integer).abs().max(integer.abs() * f64::EPSILON);
        let scalar = Noise { message: libm::log2(scaled.abs()), error: libm::log2(rounded) };
        Some(super::as_declared(call, canonical::product(*inputs.first()?, scalar)))
    }
}

/// c.
fn integer(call: &Call<'_>) -> Result<f64> {
    Ok((call.attrs.real("value")? * call.attrs.real("by")?).round_ties_even())
}
