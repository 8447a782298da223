//! Elements at computed places along an axis: out[.., j.., ..] = x[.., index[j..], ..]; of x's shape with
//! dimension `axis` replaced by the shape of `index`. On a table of one dimension it is the look-up.
//!
//! Inputs (x, index); `index` is a tensor of `u8`, `i32`, `u32`, `i64` or `u64` of any shape. Where it
//! points outside, also below 0, the result is 0.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `gather`; see the module.
pub(super) const GATHER: Operation = Operation {
    name: "gather",
    elements: EVERY,
    output,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.2),
};

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(2)?;
    shape(call, &call.tensor_of(0, element)?)
}

/// Checks `axis` and `index`, input 1; gives what lies in `x` at such places.
///
/// # Errors
/// `Operator` for another index, or a dimension that `x` lacks.
pub(super) fn shape(call: &Call<'_>, x: &Tensor) -> Result<Tensor> {
    let (axis, index) = (call.axis(x)?, call.tensor(1)?);
    if !super::INTEGERS.contains(&index.element) {
        return Err(call.error("input 1", &index, "a tensor of u8, i32, u32, i64 or u64"));
    }
    let shape = [&x.shape[..axis], &index.shape, &x.shape[axis + 1..]].concat();
    Ok(Tensor::new(x.element, shape))
}
