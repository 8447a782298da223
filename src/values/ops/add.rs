//! x + y, cell by cell, of one shape. Numbers: integers of equal decimals give such integers; where one is real, the result is. A date
//! and whole days (integers without decimals), in either order, give a date, of the days that a `Date` of ECMAScript holds; two dates are
//! refused.

use super::arithmetic::{aligned_pair, bits_pair, joined, range_pair, zip};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::Attrs;
use crate::ops::Call;
use crate::values::Squared;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};

/// How far from 1970-01-01 there are days, before and after: what a `Date` of ECMAScript holds (ECMA-262, 21.4.1.1).
const MOST_DAYS: i128 = 100_000_000;

/// `value.add`; see the module.
pub(super) const ADD: Primitive = Primitive {
    name: "value.add",
    output,
    range: |call, inputs| {
        let kind = output(call)?.kind;
        let (a, b) = range_pair(call, kind, inputs)?;
        on_the_calendar(call, kind, a.sum(b))
    },
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

/// The range of a sum or difference, which must not leave the days that there are where it is one of days.
pub(super) fn on_the_calendar(call: &Call<'_>, kind: Kind, range: Range) -> Result<Range> {
    match range {
        Range::Integers { min, max } if kind == Kind::Date && (min < -MOST_DAYS || max > MOST_DAYS) => {
            let found = format!("days {min} to {max}, counted from 1970-01-01");
            let expected = format!("days within {MOST_DAYS} of it, to the year 275760: narrower ranges");
            Err(call.error("dates", found, expected))
        }
        range => Ok(range),
    }
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
