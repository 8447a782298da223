//! Small signed integers modulo a prime, coefficient form. Attribute `q`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef};

/// `limb.from_small`; see the module.
pub struct FromSmall;

impl OpDef for FromSmall {
    fn name(&self) -> &str {
        "limb.from_small"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let n = call.input(0, "small")?.dim("n")?;
        let q = call.modulus("q")?.value();
        Ok(Limb { n, q, form: Form::Coeff }.ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
