//! The secret key that follows from a secret seed: coefficients uniform on {-1, 0, 1}. Attribute `n`.
//!
//! Not a random operator: one seed gives one key, whatever graph it is part of, since saved keys are seeds. Its stream is
//! apart from those of `sample.ternary`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `sample.secret`; see the module.
pub struct SampleSecret;

impl OpDef for SampleSecret {
    fn name(&self) -> &str {
        "sample.secret"
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

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        2.0 * n
    }
}
