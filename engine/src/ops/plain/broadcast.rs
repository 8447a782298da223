//! x repeated to the shape of attribute `shape`, as NumPy does: shapes are aligned at the right,
//! dimensions of x are equal to those of `shape`, or 1, or missing.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `broadcast`; see the module.
pub(super) const BROADCAST: Operation = Operation {
    name: "broadcast",
    elements: EVERY,
    output,
    attributes: &["shape"],
    commutative: false,
    cost: Cost::Each(0.1),
};

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    let (x, shape) = (call.tensor_of(0, element)?, call.attrs.uints("shape")?);
    let aligned = x.shape.iter().rev().zip(shape.iter().rev());
    if x.shape.len() > shape.len() || !aligned.into_iter().all(|(&own, &dim)| own == dim || own == 1) {
        return Err(call.error("shape", format!("{shape:?}"), format!("one that {x} broadcasts to")));
    }
    Ok(Tensor::new(element, shape))
}
