//! Takes slot values from a limb modulo t in NTT form: the inverse of `slots.write`.

use super::degree;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef, types};

/// `slots.read`; see the module.
pub struct SlotsRead;

impl OpDef for SlotsRead {
    fn name(&self) -> &str {
        "slots.read"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn inverse(&self) -> Option<&str> {
        Some("slots.write")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let limb = call.limb_in(0, Form::Ntt)?;
        degree(call, limb.n)?;
        Ok(types::slots(limb.n, limb.q))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
