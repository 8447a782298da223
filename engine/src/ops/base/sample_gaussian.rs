//! Integers from a discrete Gaussian from a secret seed. Attributes `n`, and `deviation`: the standard deviation, from 8 to 2^56; that of what is drawn is no
//! smaller ([`Gaussian`](crate::math::Gaussian)).

use crate::Result;
use crate::graph::{Real, ValueType};
use crate::math::Gaussian;
use crate::ops::{Call, Level, OpDef, types};

/// Attribute `deviation` of an operator that draws from a discrete Gaussian.
///
/// # Errors
/// `Graph` where it is missing; `Operator` for one that is not drawn.
pub fn deviation(call: &Call<'_>) -> Result<Real> {
    let (found, expected) = (call.attrs.real("deviation")?, Gaussian::LEAST..=Gaussian::LARGEST);
    let known = Real::new(found).filter(|_| expected.contains(&found));
    known.ok_or_else(|| {
        call.error("deviation", found, format!("{:?} to {:?}", expected.start(), expected.end()))
    })
}

/// `sample.gaussian`; see the module.
pub struct SampleGaussian;

impl OpDef for SampleGaussian {
    fn name(&self) -> &str {
        "sample.gaussian"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["deviation", "n"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.input(0, "secret_seed")?;
        deviation(call)?;
        Ok(types::small(call.attrs.size("n")?))
    }

    fn random(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        // About a hundred comparisons for each 2.4 bits of the deviation.
        let bits = libm::log2(call.attrs.real("deviation").unwrap_or(Gaussian::LARGEST));
        20.0 * bits * super::length(call)
    }
}
