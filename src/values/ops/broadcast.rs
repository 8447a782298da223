//! x repeated to the shape of attribute `shape`, as NumPy does: shapes are aligned at the right, dimensions of x are equal to those of
//! `shape`, or 1, or missing. Of any kind.

use super::arithmetic::one;
use super::moves::{moved, range, shaped};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Exact;
use crate::values::types::{Value, ValueCall};

/// `value.broadcast`; see the module.
pub(super) const BROADCAST: Primitive = Primitive {
    name: "value.broadcast",
    attributes: &["shape"],
    output,
    range,
    exact,
    linear_in: |_| vec![0],
    view: true,
    lower: |call, x, l| {
        let to = output(call)?.shape;
        let from = axes(call)?;
        let axis = |(index, &size): (usize, &u64)| (size, from.iter().position(|&own| own == Some(index)));
        Ok(l.packer.spread(&one(call, x)?.cells, &to.iter().enumerate().map(axis).collect::<Vec<_>>()))
    },
    axes: |call| Ok(vec![axes(call)?]),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    shaped(call, |x| {
        let shape = call.attrs.uints("shape")?;
        let mut aligned = x.shape.iter().rev().zip(shape.iter().rev());
        if x.shape.len() > shape.len() || !aligned.all(|(&own, &dim)| own == dim || own == 1) {
            let expected = format!("one that {:?} broadcasts to", x.shape);
            return Err(call.error("shape", format!("{shape:?}"), expected));
        }
        Ok(shape)
    })
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let (output, own) = (output(call)?, call.value(0)?.shape);
    let missing = output.shape.len() - own.len();
    moved(call, inputs, &output, |place| {
        place[missing..].iter().zip(&own).map(|(&at, &dim)| if dim == 1 { 0 } else { at }).collect()
    })
}

/// Which dimension of the result each one of x is; none for one of length 1 that is repeated.
fn axes(call: &Call<'_>) -> Result<Vec<Option<usize>>> {
    let (own, to) = (call.value(0)?.shape, output(call)?.shape);
    let missing = to.len() - own.len();
    Ok(own
        .iter()
        .enumerate()
        .map(|(index, &dim)| (dim == to[index + missing]).then_some(index + missing))
        .collect())
}
