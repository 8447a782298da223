//! A uniform limb from a public seed, in NTT form (where uniform means the same): the public half of keys and
//! ciphertexts. Attributes `n`, `q`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
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
        call.arity(1)?;
        call.input(0, "public_seed")?;
        let q = call.modulus("q")?.value();
        Ok(Limb { n: call.attrs.size("n")?, q, form: Form::Ntt }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        2.0 * n
    }
}
