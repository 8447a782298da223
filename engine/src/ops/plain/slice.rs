//! A box out of a tensor: out[i, j, ..] = x[start_0 + i, start_1 + j, ..], of shape `size`. Attributes
//! `start` and `size` have a number for each dimension; the box lies within x and is not empty.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `slice`; see the module.
pub(super) const SLICE: Operation = Operation {
    name: "slice",
    elements: EVERY,
    output,
    attributes: &["size", "start"],
    commutative: false,
    cost: Cost::Each(0.1),
};

/// The attribute `start`.
///
/// # Errors
/// `Operator` for a box that does not lie within `x`.
pub(crate) fn start(call: &Call<'_>, x: &Tensor) -> Result<Vec<u64>> {
    let (start, size) = (call.attrs.uints("start")?, call.attrs.uints("size")?);
    let found = || format!("start {start:?}, size {size:?}");
    if start.len() != x.shape.len() || size.len() != x.shape.len() {
        return Err(call.error("start and size", found(), format!("a number for each dimension of {x}")));
    }
    let within = |((&start, &size), &dim): ((&u64, &u64), &u64)| {
        size > 0 && start.checked_add(size).is_some_and(|end| end <= dim)
    };
    if !start.iter().zip(&size).zip(&x.shape).all(within) {
        return Err(call.error("start and size", found(), format!("sizes of at least 1 within {x}")));
    }
    Ok(start)
}

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    start(call, &call.tensor_of(0, element)?)?;
    Ok(Tensor::new(element, call.attrs.uints("size")?))
}
