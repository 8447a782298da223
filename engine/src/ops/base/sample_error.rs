//! Coefficients from the centered binomial distribution with k = 21 (standard deviation 3.24, at most 21) from a
//! secret seed. Attribute `n`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `sample.error`; see the module.
pub struct SampleError;

impl OpDef for SampleError {
    fn name(&self) -> &str {
        "sample.error"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.input(0, "secret_seed")?;
        Ok(types::small(call.attrs.size("n")?))
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        2.0 * n
    }
}
