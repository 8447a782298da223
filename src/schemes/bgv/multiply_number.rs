//! `bgv.multiply_number`: every slot times a number, attribute `by`, a unit modulo t: f m = (f / b) (b m), so that only the factor changes, to f / b modulo t, and nothing is
//! computed. Noise stays as it is.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// `bgv.multiply_number`; see the module.
pub struct MultiplyNumber;

impl OpDef for MultiplyNumber {
    fn name(&self) -> &str {
        "bgv.multiply_number"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["by"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, t, factor) = super::ciphertext(call, 0)?;
        let by = call.attrs.uint("by")?;
        if by == 0 || by >= t {
            return Err(call.error("by", by, format!("1 to {}", t - 1)));
        }
        let modulus = Modulus::new(t)?;
        let factor = modulus.mul(factor, modulus.inv(by)?);
        Ok(Ciphertext { scheme: Scheme::Bgv { t, factor }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let parts = s.parts(inputs[0])?;
        s.merge(&parts, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        inputs.first().copied()
    }
}
