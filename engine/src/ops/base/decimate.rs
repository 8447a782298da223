//! Every so-many-th coefficient: out_i = x_(i stride), coefficient form, in the ring of dimension n / stride. Of f(X) it is what lies in the subring of
//! Y = X^stride, which is 1/stride of the sum of all images of f that the subring stays the same under. Attribute `stride`: a power of two, 2 to n / 2.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef};

/// `limb.decimate`; see the module.
pub struct Decimate;

impl OpDef for Decimate {
    fn name(&self) -> &str {
        "limb.decimate"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["stride"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        in_subring(call, Form::Coeff)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        super::length(call) / call.attrs.size("stride").unwrap_or(1) as f64
    }
}

/// The type of what lies in the subring of Y = X^stride of a limb in that form.
///
/// # Errors
/// `Operator` for another form, and for a stride that is no power of two from 2 to n / 2.
pub(super) fn in_subring(call: &Call<'_>, form: Form) -> Result<ValueType> {
    call.arity(1)?;
    let limb = call.limb_in(0, form)?;
    let stride = call.attrs.size("stride")?;
    if !stride.is_power_of_two() || !(2..=limb.n / 2).contains(&stride) {
        return Err(call.error("stride", stride, format!("a power of two, 2 to {}", limb.n / 2)));
    }
    Ok(Limb { n: limb.n / stride, ..limb }.ty())
}
