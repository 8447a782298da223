//! What operators on booleans share.

use super::arithmetic::{joined, two};
use crate::Result;
use crate::ops::Call;
use crate::values::Known;
use crate::values::near::Near;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};

/// Input `index` as booleans.
pub(super) fn boolean(call: &Call<'_>, index: usize) -> Result<Value> {
    let value = call.complete(index)?;
    if value.kind != Kind::Boolean {
        return Err(call.error(format!("input {index}"), value, "booleans"));
    }
    Ok(value)
}

/// Two booleans of one shape.
pub(super) fn pair(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    joined(call, &boolean(call, 0)?, &boolean(call, 1)?)
}

/// The range of a result that grows with both, from its rule on single booleans.
pub(super) fn growing(call: &Call<'_>, inputs: &[Known], of: fn(i128, i128) -> i128) -> Result<Range> {
    let [a, b] = two(call, inputs)?;
    Ok(match (a.range, b.range) {
        (Range::Integers { min: a, max: b }, Range::Integers { min: c, max: d }) => {
            Range::Integers { min: of(a, c), max: of(b, d) }
        }
        _ => Range::of_kind(Kind::Boolean),
    })
}

/// Whether a result may be another one, where operands may be, from its rule on single booleans.
pub(super) fn near(call: &Call<'_>, inputs: &[&Near], of: fn(bool, bool) -> bool) -> Result<Option<Near>> {
    let [a, b] = two(call, inputs)?;
    let cell = |index: usize| {
        let (a, b) = (a.may_be(index), b.may_be(index));
        let is = of(a[0], b[0]);
        let may_differ = a.iter().any(|&a| b.iter().any(|&b| of(a, b) != is));
        Ok((i128::from(is).into(), f64::from(u8::from(may_differ))))
    };
    Near::made(a.cells.cells.len(), cell).map(Some)
}
