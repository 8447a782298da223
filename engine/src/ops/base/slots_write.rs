//! Puts slot values where the inverse transform modulo t expects them: slots to a limb modulo t in NTT form
//! (batching, Smart and Vercauteren, ia.cr/2011/133; slot order of `math::slots`).

use super::degree;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb, modulus};
use crate::ops::{Call, Level, OpDef};

/// `slots.write`; see the module.
pub struct SlotsWrite;

impl OpDef for SlotsWrite {
    fn name(&self) -> &str {
        "slots.write"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn inverse(&self) -> Option<&str> {
        Some("slots.read")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = call.input(0, "slots")?;
        let n = ty.dim("n")?;
        degree(call, n)?;
        Ok(Limb { n, q: modulus(ty, "t")?, form: Form::Ntt }.ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.5 * n
    }
}
