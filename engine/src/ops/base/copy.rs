//! One operand after the other, in fresh units: gathers what is scattered. The output is a raw block.
//!
//! Attribute `skip`, where there is one: of each input so many bits, less than 8 and whole units, are left out at its
//! start. Operands that begin inside a byte are copied so.

use crate::Result;
use crate::graph::{Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};

/// The attribute `skip`: bits for each input.
///
/// # Errors
/// `Operator` for other numbers than the module says.
pub fn skip(call: &Call<'_>) -> Result<Vec<u64>> {
    if call.attrs.get("skip").is_none() {
        return Ok(vec![0; call.inputs.len()]);
    }
    let (skip, unit) = (call.attrs.uints("skip")?, u64::from(call.unit));
    let fits = |(&bits, ty): (&u64, &ValueType)| bits < 8 && bits % unit == 0 && bits / unit < ty.size;
    if skip.len() != call.inputs.len() || !skip.iter().zip(call.inputs).all(fits) {
        let expected = "bits below 8 for each input, whole units, fewer than it has";
        return Err(call.error("skip", format!("{skip:?}"), expected));
    }
    Ok(skip)
}

/// `copy`; see the module.
pub struct Copy;

impl OpDef for Copy {
    fn name(&self) -> &str {
        "copy"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["skip"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(1)?;
        let all = call.inputs.iter().map(|t| t.size).fold(0, u64::saturating_add);
        let skipped = skip(call)?.iter().fold(0, |sum: u64, bits| sum.saturating_add(*bits));
        let size = all.checked_sub(skipped / u64::from(call.unit)).filter(|&size| size > 0);
        let size = size.ok_or_else(|| call.error("skip", "all bits", "less than the inputs have"))?;
        Ok(ValueType::new("raw", size, Attrs::new()))
    }

    fn moves(&self) -> bool {
        true
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.2 * n
    }
}
