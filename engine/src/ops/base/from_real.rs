//! Doubles that are integers modulo a prime, coefficient form, exactly; what is not finite becomes 0. Attribute `q`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef};

/// `limb.from_real`; see the module.
pub struct FromReal;

impl OpDef for FromReal {
    fn name(&self) -> &str {
        "limb.from_real"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let n = call.input(0, "reals")?.dim("n")?;
        let q = call.modulus("q")?.value();
        Ok(Limb { n, q, form: Form::Coeff }.ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        super::length(call)
    }
}
