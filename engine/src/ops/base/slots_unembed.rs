//! From a polynomial to reals: its slots, divided by the scale (`math::Embedding`). Attribute `complex`: 0 for the real parts, `f64[n/2]`, 1 for
//! both, `f64[n/2, 2]`.

use super::degree;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef, types};

/// `slots.unembed`; see the module.
pub struct SlotsUnembed;

impl OpDef for SlotsUnembed {
    fn name(&self) -> &str {
        "slots.unembed"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["complex"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        unembedded(call)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        n * n.log2().max(1.0)
    }
}

/// What a polynomial becomes.
///
/// # Errors
/// As [`OpDef::assemble`].
pub fn unembedded(call: &Call<'_>) -> Result<ValueType> {
    call.arity(1)?;
    let ty = call.input(0, "reals")?;
    types::scale(&ty.attrs)?;
    let n = ty.dim("n")?;
    degree(call, n)?;
    let half = n as u64 / 2;
    super::below(call, "complex", 2)?;
    let shape = if call.attrs.uint("complex")? == 1 { vec![half, 2] } else { vec![half] };
    Tensor::new(Element::F64, shape).ty(call.unit)
}
