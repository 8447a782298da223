//! A box out of x: out[i, j, ..] = x[start_0 + i, start_1 + j, ..], of shape `size`. Attributes `start` and `size` have a number for
//! each dimension; the box lies within x and is not empty. Of any kind.

use super::arithmetic::one;
use super::moves::{moved, range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::Exact;
use crate::values::types::Value;

/// `value.slice`; see the module.
pub(super) const SLICE: Primitive = Primitive {
    name: "value.slice",
    attributes: &["size", "start"],
    output,
    range,
    exact,
    linear_in: |_| vec![0],
    lower: |call, x, l| {
        let x = l.encrypted(one(call, x)?)?;
        let (size, start) = (call.attrs.uints("size")?, call.attrs.uints("start")?);
        let from = |place: &[u64], from: &mut Vec<u64>| {
            from.extend(place.iter().zip(&start).map(|(at, start)| at + start));
        };
        l.moved(x, &size, from).map(Cells::Encrypted)
    },
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    shaped(call, |x| {
        let (start, size) = (call.attrs.uints("start")?, call.attrs.uints("size")?);
        let within = |((&start, &size), &dim): ((&u64, &u64), &u64)| {
            size > 0 && start.checked_add(size).is_some_and(|end| end <= dim)
        };
        let each = start.len() == x.shape.len() && size.len() == x.shape.len();
        if !each || !start.iter().zip(&size).zip(&x.shape).all(within) {
            let expected =
                format!("a number for each dimension of {:?}, within it, sizes of at least 1", x.shape);
            return Err(call.error("start and size", format!("start {start:?}, size {size:?}"), expected));
        }
        Ok(size)
    })
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let start = call.attrs.uints("start")?;
    let from = |place: &[u64]| place.iter().zip(&start).map(|(at, start)| at + start).collect();
    moved(call, inputs, &output(call)?, from)
}
