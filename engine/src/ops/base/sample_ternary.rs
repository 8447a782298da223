//! Coefficients uniform on {-1, 0, 1} from a secret seed: encryption randomness. Attribute `n`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `sample.ternary`; see the module.
pub struct SampleTernary;

impl OpDef for SampleTernary {
    fn name(&self) -> &str {
        "sample.ternary"
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
