//! Negation of a limb: out_i = -a_i mod q.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.neg`; see the module.
pub struct Neg;

impl OpDef for Neg {
    fn name(&self) -> &str {
        "limb.neg"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn inverse(&self) -> Option<&str> {
        Some("limb.neg")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.limb(0)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.2 * n
    }
}
