//! A uniform limb from a secret seed, in NTT form (where uniform means the same): what hides or shares a secret. Attributes `n`, `q`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `sample.mask`; see the module.
pub struct SampleMask;

impl OpDef for SampleMask {
    fn name(&self) -> &str {
        "sample.mask"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::uniform_limb(call, "secret_seed")
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        2.0 * super::length(call)
    }
}
