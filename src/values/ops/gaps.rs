//! x with gaps: its cells, of which those are missing where the mask is 0, for inputs (x, mask): a complete value, and booleans of its shape. With attribute `zeroed` x says that its
//! cells are 0 there already, which spares the product. Of what is encrypted the mask is, too: who may count cells that are there would otherwise learn it from the server.

use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Exact;
use crate::values::near::Near;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Place, Value, ValueCall};

/// `value.gaps`; see the module.
pub(super) const GAPS: Primitive = Primitive {
    name: "value.gaps",
    attributes: &["zeroed"],
    output,
    // Cells that are missing are 0.
    range: |call, inputs| match inputs {
        [x, _] => Ok(x.range.union(Range::zero(call.value(0)?.kind))),
        _ => Err(call.error("number of inputs", inputs.len(), 2)),
    },
    exact: |call, inputs| match inputs {
        [x, mask] => Ok(Exact::masked(x.cells.clone(), there(mask))),
        _ => Err(call.error("number of inputs", inputs.len(), 2)),
    },
    near,
    lower: |call, x, l| match (&x[0].cells, zeroed(call)?) {
        (cells, true) => Ok(cells.clone()),
        (cells, false) => l.packer.multiply(&x[1].cells, cells),
    },
    present: |x| x.get(1).map(|mask| mask.cells.clone()),
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    let (x, mask) = (call.complete(0)?, call.complete(1)?);
    if mask.kind != Kind::Boolean {
        return Err(call.error("input 1", mask, "booleans"));
    }
    call.same_shape(1, &mask, &x)?;
    zeroed(call)?;
    let place = x.place.max(mask.place);
    if place == Place::Encrypted && mask.place != place {
        return Err(call.error("input 1", mask, "encrypted booleans, as of what is encrypted"));
    }
    Ok(Value { missing: true, ..x.at(place) })
}

/// Attribute `zeroed`.
fn zeroed(call: &Call<'_>) -> Result<bool> {
    match call.attrs.get("zeroed") {
        None => Ok(false),
        Some(_) => match call.attrs.int("zeroed")? {
            1 => Ok(true),
            other => Err(call.error("zeroed", other, "1, or nothing")),
        },
    }
}

fn there(mask: &Exact) -> Vec<bool> {
    mask.cells.iter().map(|cell| *cell == Number::ONE).collect()
}

/// A cell that may be missing or not is no nearer to anything than to nothing.
fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let [x, mask] = inputs else { return Err(call.error("number of inputs", inputs.len(), 2)) };
    let is = there(&mask.cells);
    let off = (0..is.len()).map(|index| match (mask.off(index) > 0.0, is[index]) {
        (true, _) => f64::INFINITY,
        (false, true) => x.off(index),
        (false, false) => 0.0,
    });
    let off = off.collect();
    Ok(Some(Near { cells: Exact::masked(x.cells.cells.clone(), is), off }))
}
