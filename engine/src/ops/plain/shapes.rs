//! What operations share: shapes that broadcast, or lose a dimension, and the elements of results.

use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `N` tensors of the element, broadcast; the result has the same element.
pub(super) fn elementwise<const N: usize>(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(N)?;
    let inputs: Vec<Tensor> = (0..N).map(|index| call.tensor_of(index, element)).collect::<Result<_>>()?;
    Ok(Tensor::new(element, broadcast(call, &inputs)?))
}

/// Two tensors, broadcast; the result is 0 or 1 for each pair.
pub(super) fn compared(call: &Call<'_>, element: Element) -> Result<Tensor> {
    Ok(Tensor { element: super::mask(element), ..elementwise::<2>(call, element)? })
}

/// A condition and two tensors, broadcast.
pub(super) fn selected(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(3)?;
    let of = |index, element| call.tensor_of(index, element);
    let inputs = [of(0, super::mask(element))?, of(1, element)?, of(2, element)?];
    Ok(Tensor::new(element, broadcast(call, &inputs)?))
}

/// A tensor of any element; the result has its shape.
pub(super) fn converted(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    Ok(Tensor { element, ..call.tensor(0)? })
}

/// A tensor that loses dimension `axis`.
pub(super) fn reduced(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(1)?;
    let mut out = call.tensor_of(0, element)?;
    let axis = call.axis(&out)?;
    out.shape.remove(axis);
    Ok(out)
}

/// The same, summed up.
pub(super) fn totaled(call: &Call<'_>, element: Element) -> Result<Tensor> {
    Ok(Tensor { element: super::total(element), ..reduced(call, element)? })
}

/// The same, for places.
pub(super) fn indexed(call: &Call<'_>, element: Element) -> Result<Tensor> {
    Ok(Tensor { element: Element::U64, ..reduced(call, element)? })
}

/// The shape of element-wise results: shapes are aligned at the right, missing dimensions and those of 1 fit any other.
fn broadcast(call: &Call<'_>, inputs: &[Tensor]) -> Result<Vec<u64>> {
    let mut shape: Vec<u64> = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let missing = input.shape.len().saturating_sub(shape.len());
        shape.splice(0..0, std::iter::repeat_n(1, missing));
        for (dim, &own) in shape.iter_mut().rev().zip(input.shape.iter().rev()) {
            if *dim == 1 {
                *dim = own;
            } else if own != 1 && own != *dim {
                let what = format!("shape of input {index}");
                return Err(call.error(
                    what,
                    input,
                    format!("one that broadcasts with {:?}", inputs[0].shape),
                ));
            }
        }
    }
    Ok(shape)
}
