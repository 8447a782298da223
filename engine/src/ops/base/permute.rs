//! f(X) to f(X^g) modulo X^n + 1, NTT form: a permutation of the values. Attribute `g` odd, below 2n.

use super::galois;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.permute`; see the module.
pub struct Permute;

impl OpDef for Permute {
    fn name(&self) -> &str {
        "limb.permute"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let limb = call.limb_in(0, Form::Ntt)?;
        galois(call, limb.n)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
