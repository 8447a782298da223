//! Elements along an axis in ascending order, of x's shape. Attribute `axis` is the dimension, counted
//! from 0.
//!
//! Floats: -0 before +0, NaNs last (which NaNs is not said).

use super::{Cost, NUMBERS, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `sort`; see the module.
pub(super) const SORT: Operation = Operation {
    name: "sort",
    elements: NUMBERS,
    output,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Of(cost),
};

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    let x = call.tensor_of(0, element)?;
    call.axis(&x)?;
    Ok(x)
}

fn cost(call: &Call<'_>, out: &Tensor) -> f64 {
    let along = call.axis(out).map_or(1, |axis| out.shape[axis]);
    out.len() as f64 * (1.0 + along as f64).log2()
}
