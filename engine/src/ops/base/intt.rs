//! Inverse negacyclic number-theoretic transform: values to coefficients.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.intt`; see the module.
pub struct Intt;

impl OpDef for Intt {
    fn name(&self) -> &str {
        "limb.intt"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn inverse(&self) -> Option<&str> {
        Some("limb.ntt")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        Ok(call.limb_in(0, Form::Ntt)?.in_form(Form::Coeff).ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n * n.log2()
    }
}
