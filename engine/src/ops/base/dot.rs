//! Inner product of limbs in NTT form: out_i = a_i b_i + c_i d_i + ... mod q. Inputs a, b, c, d, ...: pairs.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.dot`; see the module.
pub struct Dot;

impl OpDef for Dot {
    fn name(&self) -> &str {
        "limb.dot"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(2)?;
        if !call.inputs.len().is_multiple_of(2) {
            return Err(call.error("number of inputs", call.inputs.len(), "an even number"));
        }
        call.limb_in(0, Form::Ntt)?;
        for other in 1..call.inputs.len() {
            call.same(0, other)?;
        }
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n * call.inputs.len() as f64
    }
}
