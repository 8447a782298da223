//! `rlwe.multiply_integer`: all parts times an integer, attribute `by`: every slot times it, at any scale and factor. Noise: times |by|, and as much rounding again
//! under BFV.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `rlwe.multiply_integer`; see the module.
pub struct MultiplyInteger;

impl OpDef for MultiplyInteger {
    fn name(&self) -> &str {
        "rlwe.multiply_integer"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["by"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        by(call)?;
        Ok(Ciphertext::of(call.input(0, "ciphertext")?)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (output, by) = (self.assemble(call)?, by(call)?);
        super::times_constants(s, inputs[0], output, |q| q.reduce_i64(by))
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (input, log) = (inputs.first()?, libm::log2(by(call).ok()?.unsigned_abs() as f64));
        Some(Noise { message: input.message + log, error: noise::sum(&[input.error + log, log - 1.0]) })
    }
}

fn by(call: &Call<'_>) -> Result<i64> {
    let by = call.attrs.int("by")?;
    i64::try_from(by).map_err(|_| call.error("by", by, "an integer of 64 bits, signed"))
}
