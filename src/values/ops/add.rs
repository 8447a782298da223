//! x + y, cell by cell, of one shape. Numbers: integers of equal decimals give such integers; where one is real, the result is. A date
//! and whole days (integers without decimals), in either order, give a date; two dates are refused.

use super::arithmetic::{aligned_pair, bits_pair, joined, range_pair, zip};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::Attrs;
use crate::ops::Call;
use crate::values::Squared;
use crate::values::types::{Kind, Value, ValueCall};

/// `value.add`; see the module.
pub(super) const ADD: Primitive = Primitive {
    name: "value.add",
    output,
    range: |call, inputs| range_pair(call, output(call)?.kind, inputs).map(|(a, b)| a.sum(b)),
    exact: |call, inputs| zip(call, output(call)?.kind, inputs, |a, b| Ok(a + b)),
    bits: |call, inputs| bits_pair(call, output(call)?.kind, inputs).map(|(a, b)| a.sum(b)),
    commutative: true,
    associative: true,
    squared: |_| Some(Squared::Operator("value.scale", Attrs::new().with("numerator", 2u64))),
    linear_in: |_| vec![0, 1],
    lower: |_, x, l| l.packer.add(&x[0].cells, &x[1].cells),
    ..PRIMITIVE
};

/// Input `index` as whole days.
pub(super) fn days(call: &Call<'_>, index: usize) -> Result<Value> {
    let days = call.number(index)?;
    if days.kind != Kind::Integer || days.decimals > 0 {
        return Err(call.error(format!("input {index}"), days, "whole days: integers without decimals"));
    }
    Ok(days)
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    let (a, b) = (call.complete(0)?, call.complete(1)?);
    match (a.kind, b.kind) {
        (Kind::Date, Kind::Date) => Err(call.error("input 1", b, "whole days: two dates have no sum")),
        (Kind::Date, _) => joined(call, &a, &days(call, 1)?),
        (_, Kind::Date) => Ok(Value { kind: Kind::Date, ..joined(call, &days(call, 0)?, &b)? }),
        _ => aligned_pair(call),
    }
}
