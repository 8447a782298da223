//! `bgv.adjust`: the same plaintext with another factor: all parts times f' / f modulo t, centered. Attribute `factor`: f'. So that
//! ciphertexts that were switched down on different roads can be added. Noise: times |f' / f|, at most t/2.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.adjust`; see the module.
pub struct Adjust;

impl OpDef for Adjust {
    fn name(&self) -> &str {
        "bgv.adjust"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["factor"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, t, _) = super::ciphertext(call, 0)?;
        let factor = call.attrs.uint("factor")?;
        if factor == 0 || factor >= t {
            return Err(call.error("factor", factor, format!("1 to {}", t - 1)));
        }
        // What is no unit loses information.
        Modulus::new(t)?.inv(factor)?;
        Ok(Ciphertext { scheme: Scheme::Bgv { t, factor }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let c = multiplier(call)?;
        rlwe::times_constants(s, inputs[0], output, |q| q.reduce_i64(c))
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let c = multiplier(call).ok()?;
        Some(Noise::error(libm::log2(c.unsigned_abs() as f64) + inputs.first()?.error))
    }
}

/// f' / f, centered.
fn multiplier(call: &Call<'_>) -> Result<i64> {
    let (_, t, factor) = super::ciphertext(call, 0)?;
    super::multiplier(t, factor, call.attrs.uint("factor")?)
}
