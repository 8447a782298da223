//! A tensor of `u64`, uniform over all words, from a secret seed: masks that hide a value modulo 2^64 perfectly, where they
//! are used once, and shares of what nobody is to see. Attribute
//! `shape`.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef};

/// `sample.words`; see the module.
pub struct SampleWords;

fn output(call: &Call<'_>) -> Result<Tensor> {
    call.arity(1)?;
    call.input(0, "secret_seed")?;
    Ok(Tensor::new(Element::U64, call.attrs.uints("shape")?))
}

impl OpDef for SampleWords {
    fn name(&self) -> &str {
        "sample.words"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["shape"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        output(call)?.ty(call.unit)
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        output(call).map_or(0.0, |words| 2.0 * words.len() as f64)
    }
}
