//! x^2, cell by cell, of numbers: a product with itself, which schemes have cheaper. The decimals of integers double.

use super::arithmetic::{map, map_near, one};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::types::{Value, ValueCall};

/// `value.square`; see the module.
pub(super) const SQUARE: Primitive = Primitive {
    name: "value.square",
    output,
    range: |call, inputs| one(call, inputs).map(|x| x.range.square()),
    exact: |call, inputs| map(call, inputs, |x| Ok(x * x)),
    near: |call, inputs| {
        map_near(call, inputs, |x, d| Ok((x * x, (2.0 * x.to_f64().abs() + d) * d))).map(Some)
    },
    bits: |call, inputs| one(call, inputs).map(|x| x.product(*x)),
    lower: |_, x, l| l.packer.multiply(&x[0].cells, &x[0].cells),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let x = call.number(0)?;
    let decimals = 2 * x.decimals;
    Ok(x.with_decimals(decimals))
}
