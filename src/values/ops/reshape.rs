//! The cells of x in another shape, of as many cells: attribute `shape`. They keep their order, the first dimension outermost. Of any kind.

use super::arithmetic::one;
use super::moves::{range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::{Cells, place};
use crate::values::types::{Value, ValueCall};

/// `value.reshape`; see the module.
pub(super) const RESHAPE: Primitive = Primitive {
    name: "value.reshape",
    attributes: &["shape"],
    output,
    range,
    exact: |call, inputs| Ok((*one(call, inputs)?).clone()),
    linear_in: |_| vec![0],
    lower: |call, x, l| {
        let x = l.encrypted(one(call, x)?)?;
        let (own, to) = (call.value(0)?.shape, output(call)?.shape);
        let long = |shape: &[u64]| shape.iter().copied().filter(|&dim| dim > 1).collect::<Vec<_>>();
        if long(&own) == long(&to) {
            // Seen in another way.
            let axes = axes(call)?;
            let axis =
                |(index, &size): (usize, &u64)| (size, axes.iter().position(|&own| own == Some(index)));
            let to: Vec<_> = to.iter().enumerate().map(axis).collect();
            return Ok(l.packer.spread(&Cells::Encrypted(x.clone()), &to));
        }
        let from = |to_place: &[u64], from: &mut Vec<u64>| {
            let index = to_place.iter().zip(&to).fold(0, |index, (&at, &dim)| index * dim + at);
            from.extend(place(index, &own));
        };
        l.moved(x, &to, from).map(Cells::Encrypted)
    },
    axes: |call| Ok(vec![axes(call)?]),
    ..PRIMITIVE
};

/// Dimensions of one length, of which as many cells lie within one step, are the same.
fn axes(call: &Call<'_>) -> Result<Vec<Option<usize>>> {
    let steps = |shape: &[u64]| -> Vec<(u64, u64)> {
        (0..shape.len()).map(|axis| (shape[axis], shape[axis + 1..].iter().product())).collect()
    };
    let (own, to) = (steps(&call.value(0)?.shape), steps(&output(call)?.shape));
    let same = |own: &(u64, u64)| to.iter().position(|to| own.0 > 1 && to == own);
    Ok(own.iter().map(same).collect())
}

fn output(call: &Call<'_>) -> Result<Value> {
    shaped(call, |x| {
        let shape = call.attrs.uints("shape")?;
        if x.clone().shaped(shape.as_slice()).cells() != x.cells() {
            let expected = format!("a shape of {} cells", x.cells());
            return Err(call.error("shape", format!("{shape:?}"), expected));
        }
        Ok(shape)
    })
}
