//! Which cells of a value with missing ones are there: booleans. A complete operand is refused, as by `value.cells`.

use super::arithmetic::one;
use super::cells::gappy;
use super::{PRIMITIVE, Primitive};
use crate::ops::Call;
use crate::values::Exact;
use crate::values::near::Near;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value};
use crate::{Error, Result};

/// `value.present`; see the module.
pub(super) const PRESENT: Primitive = Primitive {
    name: "value.present",
    output: |call| {
        let x = gappy(call)?;
        Ok(Value::new(Kind::Boolean, x.shape).at(x.place))
    },
    range: |_, _| Ok(Range::of_kind(Kind::Boolean)),
    exact,
    near: |call, inputs| {
        let x = one(call, inputs)?;
        // Of a cell that may be missing or not nothing is known.
        let off = x.off.iter().map(|off| f64::from(u8::from(off.is_infinite()))).collect();
        exact(call, &[&x.cells]).map(|cells| Some(Near { cells, off }))
    },
    bits: |_, _| Ok(Number::ONE.bits()),
    lower: |_, x, _| {
        x[0].present.clone().ok_or(Error::Job("a value with missing cells says which are there"))
    },
    ..PRIMITIVE
};

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let present = one(call, inputs)?.present.as_deref().unwrap_or_default();
    Ok(Exact::integers(present.iter().map(|&present| present.into())))
}
