//! x y, cell by cell, of numbers of one shape. Of two integers the decimals add up; where one is real, the result is.

use super::arithmetic::{bits_pair, encrypted, pair, range_pair, same, zip, zip_near};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::Attrs;
use crate::ops::Call;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Known, Squared};

/// `value.multiply`; see the module.
pub(super) const MULTIPLY: Primitive = Primitive {
    name: "value.multiply",
    output,
    range,
    exact: |call, inputs| zip(call, output(call)?.kind, inputs, |a, b| Ok(a * b)),
    near: |call, inputs| {
        let near = |(a, d): (&Number, f64), (b, e): (&Number, f64)| {
            Ok((a * b, a.to_f64().abs() * e + b.to_f64().abs() * d + d * e))
        };
        zip_near(call, output(call)?.kind, inputs, near).map(Some)
    },
    bits: |call, inputs| bits_pair(call, output(call)?.kind, inputs).map(|(a, b)| a.product(b)),
    commutative: true,
    associative: true,
    squared: |_| Some(Squared::Operator("value.square", Attrs::new())),
    // In either, but not in both: in the one that is encrypted, where only one is.
    linear_in: |call| match (encrypted(call, 0), encrypted(call, 1)) {
        (true, true) => Vec::new(),
        (false, true) => vec![1],
        (_, false) => vec![0],
    },
    lower: |_, x, l| l.packer.multiply(&x[0].cells, &x[1].cells),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    let value = pair(call)?;
    let decimals = call.value(0)?.decimals + call.value(1)?.decimals;
    Ok(if value.kind == Kind::Integer { value.with_decimals(decimals) } else { value })
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (a, b) = range_pair(call, output(call)?.kind, inputs)?;
    Ok(if same(inputs) { a.square() } else { a.product(b) })
}
