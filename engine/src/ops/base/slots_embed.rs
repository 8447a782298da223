//! From reals to a polynomial: the coefficients of the real polynomial whose slots are the given numbers times attribute `scale`, rounded to
//! integers (`math::Embedding`). Input: `f64[n/2]`, or `f64[n/2, 2]` with real and imaginary parts. Slots that are not finite, and coefficients beyond
//! 2^1024, give what `limb.from_real` takes as 0.

use super::degree;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::tensor::Element;
use crate::ops::{Call, Level, OpDef, types};

/// `slots.embed`; see the module.
pub struct SlotsEmbed;

impl OpDef for SlotsEmbed {
    fn name(&self) -> &str {
        "slots.embed"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        embedded(call)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        n * n.log2().max(1.0)
    }
}

/// What slots become.
///
/// # Errors
/// As [`OpDef::assemble`].
pub fn embedded(call: &Call<'_>) -> Result<ValueType> {
    call.arity(1)?;
    let slots = call.tensor_of(0, Element::F64)?;
    let (&[half] | &[half, 2]) = slots.shape.as_slice() else {
        return Err(call.error("shape", &slots, "[n/2], or [n/2, 2] for complex numbers"));
    };
    // Beyond what a ring has where sizes are as large as that.
    let n = usize::try_from(half).map_or(0, |half| half.saturating_mul(2));
    degree(call, n)?;
    call.words("reals")?;
    Ok(types::reals(n, types::scale(call.attrs)?))
}
