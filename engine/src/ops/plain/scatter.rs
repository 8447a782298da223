//! x with other elements at computed places along an axis: out[.., index[j..], ..] = updates[.., j..,
//! ..], all others as in x; of x's shape.
//!
//! Inputs (x, index, updates): `index` is a tensor of `u8`, `i32`, `u32`, `i64` or `u64` of any shape,
//! `updates` has x's shape with dimension `axis` replaced by that of `index`. Attribute `mode` is `set`
//! (of several updates of one place the last counts) or `add` (they are added to x one after the other, j
//! ascending; integers wrap, bits modulo 2). What points outside writes nothing.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `scatter`; see the module.
pub(super) const SCATTER: Operation = Operation {
    name: "scatter",
    elements: EVERY,
    output,
    attributes: &["axis", "mode"],
    commutative: false,
    cost: Cost::Each(0.2),
};

/// The attribute `mode`: true for `add`, false for `set`.
///
/// # Errors
/// `Operator` for another word, `Graph` where it is missing.
pub(crate) fn adds(call: &Call<'_>) -> Result<bool> {
    match call.attrs.text("mode")? {
        "set" => Ok(false),
        "add" => Ok(true),
        other => Err(call.error("mode", format!("{other:?}"), "set or add")),
    }
}

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(3)?;
    let (x, updates) = (call.tensor_of(0, element)?, call.tensor_of(2, element)?);
    let expected = super::gather::shape(call, &x)?;
    if updates != expected {
        return Err(call.error("input 2", &updates, expected));
    }
    adds(call)?;
    Ok(x)
}
