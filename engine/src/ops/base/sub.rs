//! Pointwise difference of two limbs: out_i = a_i - b_i mod q. Both in one form.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.sub`; see the module.
pub struct Sub;

impl OpDef for Sub {
    fn name(&self) -> &str {
        "limb.sub"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        call.limb(0)?;
        call.same(0, 1)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.2 * n
    }
}
