//! x with its dimensions in another order, attribute `axes`: dimension k of the result is dimension axes[k] of x, so that out[i] = x[j] where i[k] = j[axes[k]]. Of any kind; in ciphertexts
//! it is the same slots seen in another way.

use super::arithmetic::one;
use super::moves::{moved, range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::types::{Value, ValueCall};

/// `value.transpose`; see the module.
pub(super) const TRANSPOSE: Primitive = Primitive {
    name: "value.transpose",
    attributes: &["axes"],
    output,
    range,
    exact: |call, inputs| {
        let (output, from) = (output(call)?, places(call)?);
        moved(call, inputs, &output, |place| from.iter().map(|&to| place[to]).collect())
    },
    linear_in: |_| vec![0],
    view: true,
    lower: |call, x, l| {
        let own = call.value(0)?.shape;
        let to: Vec<_> = order(call, &own)?.into_iter().map(|axis| (own[axis], Some(axis))).collect();
        Ok(l.packer.spread(&one(call, x)?.cells, &to))
    },
    axes: |call| Ok(vec![places(call)?.into_iter().map(Some).collect()]),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    shaped(call, |x| Ok(order(call, &x.shape)?.into_iter().map(|axis| x.shape[axis]).collect()))
}

/// Attribute `axes`: each dimension once.
fn order(call: &Call<'_>, shape: &[u64]) -> Result<Vec<usize>> {
    let axes = call.attrs.uints("axes")?;
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..shape.len() as u64) {
        let expected = format!("each dimension of {shape:?} once, counted from 0");
        return Err(call.error("axes", format!("{axes:?}"), expected));
    }
    Ok(axes.into_iter().map(|axis| axis as usize).collect())
}

/// Which dimension of the result each one of x is.
fn places(call: &Call<'_>) -> Result<Vec<usize>> {
    let order = order(call, &call.value(0)?.shape)?;
    let mut places = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        places[from] = to;
    }
    Ok(places)
}
