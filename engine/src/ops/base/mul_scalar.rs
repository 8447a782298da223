//! A limb times a constant: out_i = c a_i mod q. Attribute `c` in [0, q).

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.mul_scalar`; see the module.
pub struct MulScalar;

impl OpDef for MulScalar {
    fn name(&self) -> &str {
        "limb.mul_scalar"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["c"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::with_constant(call)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
