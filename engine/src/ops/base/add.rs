//! Pointwise sum of two limbs: out_i = a_i + b_i mod q. Both in one form.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.add`; see the module.
pub struct Add;

impl OpDef for Add {
    fn name(&self) -> &str {
        "limb.add"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn commutative(&self) -> bool {
        true
    }

    fn fused(&self, inner: &str) -> Option<&str> {
        matches!(inner, "limb.mul" | "limb.dot").then_some("limb.dot")
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
