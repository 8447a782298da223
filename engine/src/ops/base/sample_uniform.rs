//! A uniform limb from a public seed, in NTT form (where uniform means the same): the public half of keys and
//! ciphertexts. Attributes `n`, `q`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};

/// `sample.uniform`; see the module.
pub struct SampleUniform;

impl OpDef for SampleUniform {
    fn name(&self) -> &str {
        "sample.uniform"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::uniform_limb(call, "public_seed")
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        2.0 * n
    }
}
