//! Tensors one after the other along an axis: at least one, of one element and of shapes that differ in
//! dimension `axis` only, counted from 0; its sizes add up.

use super::{Cost, EVERY, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `concat`; see the module.
pub(super) const CONCAT: Operation = Operation {
    name: "concat",
    elements: EVERY,
    output,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.at_least(1)?;
    let mut out = call.tensor_of(0, element)?;
    let axis = call.axis(&out)?;
    for index in 1..call.inputs.len() {
        let next = call.tensor_of(index, element)?;
        let others = |shape: &[u64]| [&shape[..axis], &shape[axis + 1..]].concat();
        if next.shape.len() != out.shape.len() || others(&next.shape) != others(&out.shape) {
            let expected = format!("as {out}, but for dimension {axis}");
            return Err(call.error(format!("input {index}"), &next, expected));
        }
        out.shape[axis] = out.shape[axis].saturating_add(next.shape[axis]);
    }
    Ok(out)
}
