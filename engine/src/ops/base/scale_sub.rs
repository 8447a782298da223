//! The last step of a division in RNS: out_i = c a_i - b_i mod q. Attribute `c` in [0, q).

use super::below;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `limb.scale_sub`; see the module.
pub struct ScaleSub;

impl OpDef for ScaleSub {
    fn name(&self) -> &str {
        "limb.scale_sub"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["c"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let limb = call.limb(0)?;
        call.same(0, 1)?;
        below(call, "c", limb.q)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.7 * n
    }
}
