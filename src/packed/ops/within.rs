//! x, of which whoever packs knows more than can be seen: no number in a slot is larger than attribute `largest`, a real number above 0, nor further than attribute `off`
//! (0 where it is left out) from what is meant.

use super::{Operator, Role, Takes};
use crate::graph::{Attrs, Real};
use crate::ops::Call;
use crate::{Error, Result};

/// `packed.within`; see the module.
pub(super) const WITHIN: Operator = Operator {
    name: "packed.within",
    attributes: &["largest", "off"],
    output: |call| {
        told(call)?;
        super::one(call)
    },
    commutative: false,
    inverse: None,
    role: Role::Linear,
    takes: Takes::Operands(|attrs, by| {
        let times = |bound: f64| Real::new(bound * by.abs()).ok_or(Error::Job("bounds are finite"));
        let scaled = Attrs::new().with("largest", times(attrs.real("largest")?)?);
        match attrs.get("off") {
            Some(_) => Ok(scaled.with("off", times(attrs.real("off")?)?)),
            None => Ok(scaled),
        }
    }),
    coefficients: |_| None,
    close: |call, inputs, target| {
        let (largest, off) = told(call)?;
        target.within(inputs[0], largest, off)
    },
};

fn told(call: &Call<'_>) -> Result<(f64, f64)> {
    let largest = call.attrs.real("largest")?;
    let off = call.attrs.get("off").map_or(Ok(0.0), |_| call.attrs.real("off"))?;
    if largest > 0.0 && off >= 0.0 {
        return Ok((largest, off));
    }
    Err(call.error("largest, off", format!("{largest}, {off}"), "a number above 0, and one not below it"))
}
