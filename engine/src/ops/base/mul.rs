//! Pointwise product of two limbs in NTT form, which is the product of the polynomials modulo X^n + 1:
//! out_i = a_i b_i mod q.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.mul`; see the module.
pub struct Mul;

impl OpDef for Mul {
    fn name(&self) -> &str {
        "limb.mul"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn commutative(&self) -> bool {
        true
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        call.limb_in(0, Form::Ntt)?;
        call.same(0, 1)?;
        Ok(call.inputs[0].clone())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        super::length(call)
    }
}
