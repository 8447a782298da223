//! One operand after the other, in fresh units: gathers what is scattered. The output is a raw block.

use crate::Result;
use crate::graph::{Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};

/// `copy`; see the module.
pub struct Copy;

impl OpDef for Copy {
    fn name(&self) -> &str {
        "copy"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(1)?;
        Ok(ValueType::new("raw", call.inputs.iter().map(|t| t.size).sum(), Attrs::new()))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.2 * n
    }
}
