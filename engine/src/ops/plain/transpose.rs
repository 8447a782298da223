//! Dimensions in another order: dimension d of the output is dimension axes[d] of x. Attribute `axes` has
//! each dimension of x once.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `transpose`; see the module.
pub(super) const TRANSPOSE: Operation = Operation {
    name: "transpose",
    elements: EVERY,
    output,
    attributes: &["axes"],
    commutative: false,
    cost: Cost::Each(0.1),
};

/// The attribute `axes`.
///
/// # Errors
/// `Operator` for a list that is no permutation of the dimensions of `x`.
pub(crate) fn axes(call: &Call<'_>, x: &Tensor) -> Result<Vec<usize>> {
    let axes = call.attrs.uints("axes")?;
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..x.shape.len() as u64) {
        return Err(call.error("axes", format!("{axes:?}"), format!("each dimension of {x} once")));
    }
    Ok(axes.into_iter().map(|axis| axis as usize).collect())
}

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    let x = call.tensor_of(0, element)?;
    let shape: Vec<u64> = axes(call, &x)?.into_iter().map(|axis| x.shape[axis]).collect();
    Ok(Tensor::new(element, shape))
}
