//! Negacyclic number-theoretic transform: coefficients to values, order of `math::NttTable::forward`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.ntt`; see the module.
pub struct Ntt;

impl OpDef for Ntt {
    fn name(&self) -> &str {
        "limb.ntt"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn inverse(&self) -> Option<&str> {
        Some("limb.intt")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        Ok(call.limb_in(0, Form::Coeff)?.in_form(Form::Ntt).ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n * n.log2()
    }
}
