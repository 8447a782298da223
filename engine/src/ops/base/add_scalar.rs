//! A limb plus a constant: out_i = a_i + c mod q. Attribute `c` in [0, q). In NTT form that adds the constant polynomial c.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.add_scalar`; see the module.
pub struct AddScalar;

impl OpDef for AddScalar {
    fn name(&self) -> &str {
        "limb.add_scalar"
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
        0.3 * n
    }
}
