//! A polynomial's coefficients, centered modulo the product of the primes, as doubles: next to the integer but for two units in the last place for
//! each prime (`math::ToReal`). Inputs: the limbs, coefficient form. Attribute `scale`: that of the result.

use super::residues;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `rns.to_real`; see the module.
pub struct ToReal;

impl OpDef for ToReal {
    fn name(&self) -> &str {
        "rns.to_real"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let n = residues(call, call.inputs.len())?;
        Ok(types::reals(n, types::scale(call.attrs)?))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        4.0 * n * (call.inputs.len() as f64).powi(2)
    }
}
