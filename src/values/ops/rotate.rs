//! x turned to the left along dimension `axis`, counted from 0: out[.., i, ..] = x[.., (i + steps) mod n, ..]. Attribute `steps` is any
//! integer. Of any kind. Two rings are a value of shape [2, n].

use super::arithmetic::one;
use super::moves::{moved, range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::Exact;
use crate::values::types::Value;

/// `value.rotate`; see the module.
pub(super) const ROTATE: Primitive = Primitive {
    name: "value.rotate",
    attributes: &["axis", "steps"],
    output,
    range,
    exact,
    linear_in: |_| vec![0],
    lower: |call, x, l| {
        let x = l.encrypted(one(call, x)?)?;
        let (shape, axis) = (call.value(0)?, call.axis_of(&call.value(0)?)?);
        let steps = call.attrs.int("steps")?.rem_euclid(i128::from(shape.shape[axis])) as u64;
        l.packer.rotate(x, axis, steps).map(Cells::Encrypted)
    },
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.attrs.int("steps")?;
    shaped(call, |x| {
        call.axis_of(x)?;
        Ok(x.shape.clone())
    })
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let output = output(call)?;
    let axis = call.axis_of(&output)?;
    let dim = output.shape[axis];
    // Below 2^32 now, so that no sum overflows.
    let steps = call.attrs.int("steps")?.rem_euclid(i128::from(dim)) as u64;
    moved(call, inputs, &output, |place| {
        let mut place = place.to_vec();
        place[axis] = (place[axis] + steps) % dim;
        place
    })
}
