//! x turned to the left along dimension `axis`, counted from 0: out[.., i, ..] = x[.., (i + steps) mod n, ..]. Attribute `steps` is any
//! integer. Of any kind. Two rings are a value of shape [2, n].

use super::arithmetic::one;
use super::moves::{moved, range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::Attrs;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::types::{Value, ValueCall};
use crate::values::{Exact, Turn};

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
        let Turn { axis, steps, .. } = turn(call)?;
        l.packer.rotate(x, axis, steps).map(Cells::Encrypted)
    },
    turn: |call| turn(call).map(Some),
    turning: |axis, steps| Attrs::new().with("axis", axis as u64).with("steps", steps),
    ..PRIMITIVE
};

fn turn(call: &Call<'_>) -> Result<Turn> {
    let x = call.value(0)?;
    let axis = call.axis_of(&x)?;
    let size = x.shape[axis];
    // Below 2^32 now, so that no sum overflows.
    let steps = call.attrs.int("steps")?.rem_euclid(i128::from(size)) as u64;
    Ok(Turn { axis, steps, size })
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.attrs.int("steps")?;
    shaped(call, |x| {
        call.axis_of(x)?;
        Ok(x.shape.clone())
    })
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let output = output(call)?;
    let Turn { axis, steps, size } = turn(call)?;
    moved(call, inputs, &output, |place| {
        let mut place = place.to_vec();
        place[axis] = (place[axis] + steps) % size;
        place
    })
}
