//! f(X) to f(X^g) modulo X^n + 1, coefficient form. Attribute `g` odd, below 2n.

use super::galois;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.automorphism`; see the module.
pub struct Automorphism;

impl OpDef for Automorphism {
    fn name(&self) -> &str {
        "limb.automorphism"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let limb = call.limb_in(0, Form::Coeff)?;
        galois(call, limb.n)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
