//! x - y, cell by cell, of one shape. Numbers as in `value.add`. A date less a date gives whole days, a date less whole days a date.

use super::add::{days, on_the_calendar};
use super::arithmetic::{aligned_pair, bits_pair, joined, range_pair, same, zip};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Known, Squared};

/// `value.sub`; see the module.
pub(super) const SUB: Primitive = Primitive {
    name: "value.sub",
    output,
    range,
    exact: |call, inputs| zip(call, output(call)?.kind, inputs, |a, b| Ok(a - b)),
    bits: |call, inputs| bits_pair(call, output(call)?.kind, inputs).map(|(a, b)| a.sum(b)),
    squared: |_| Some(Squared::Number(0)),
    linear_in: |_| vec![0, 1],
    lower: |_, x, l| l.packer.sub(&x[0].cells, &x[1].cells),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    let (a, b) = (call.complete(0)?, call.complete(1)?);
    match (a.kind, b.kind) {
        (Kind::Date, Kind::Date) => Ok(Value { kind: Kind::Integer, ..joined(call, &a, &b)? }),
        (Kind::Date, _) => joined(call, &a, &days(call, 1)?),
        _ => aligned_pair(call),
    }
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let kind = output(call)?.kind;
    if same(inputs) {
        return Ok(Range::of_number(&Number::ZERO, kind));
    }
    let (a, b) = range_pair(call, kind, inputs)?;
    on_the_calendar(call, kind, a.sum(b.negative()))
}
