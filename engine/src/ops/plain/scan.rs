//! Running results along an axis: out_0 = x_0, out_k = out_(k-1) and x_k combined, in this order; of x's
//! shape. Attribute `axis` is the dimension, counted from 0, `of` is how they are combined: `sum`,
//! `product`, `min` or `max`, as the operators of these names do.
//!
//! The result has 64 bits, `u64` and of signed elements `i64`, and wraps; floats keep their element.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `scan`; see the module.
pub(super) const SCAN: Operation = Operation {
    name: "scan",
    elements: EVERY,
    output,
    attributes: &["axis", "of"],
    commutative: false,
    cost: Cost::Each(0.2),
};

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combination {
    Sum,
    Product,
    Min,
    Max,
}

/// The attribute `of`.
///
/// # Errors
/// `Operator` for another word, `Graph` where it is missing.
pub(crate) fn combination(call: &Call<'_>) -> Result<Combination> {
    match call.attrs.text("of")? {
        "sum" => Ok(Combination::Sum),
        "product" => Ok(Combination::Product),
        "min" => Ok(Combination::Min),
        "max" => Ok(Combination::Max),
        other => Err(call.error("of", format!("{other:?}"), "sum, product, min or max")),
    }
}

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    let x = call.tensor_of(0, element)?;
    call.axis(&x)?;
    combination(call)?;
    Ok(Tensor { element: super::total(element), ..x })
}
