//! The values of what lies in a subring: of f(X) in the ring of dimension n those of its coefficients at multiples of `stride`, as `limb.decimate` takes them, NTT form on
//! both sides. Where Y = X^stride is one number f has `stride` values, of which it is the mean. Attribute `stride`: a power of two, 2 to n / 2.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef};

/// `limb.fold`; see the module.
pub struct Fold;

impl OpDef for Fold {
    fn name(&self) -> &str {
        "limb.fold"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["stride"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::decimate::in_subring(call, Form::Ntt)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        0.5 * super::length(call)
    }
}
