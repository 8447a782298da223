//! Values one after the other along dimension `axis`, counted from 0: at least one, of one kind and equal decimals, of shapes that differ
//! in this dimension only; its sizes add up.

use super::moves::range;
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::exact::cells;
use crate::values::types::{Value, ValueCall};
use crate::values::{Exact, Lowered, Lowering};

/// `value.concat`; see the module.
pub(super) const CONCAT: Primitive = Primitive {
    name: "value.concat",
    attributes: &["axis"],
    output,
    range,
    exact,
    linear_in: |call| (0..call.inputs.len()).collect(),
    lower,
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.at_least(1)?;
    let mut out = call.complete(0)?;
    let axis = call.axis_of(&out)?;
    for index in 1..call.inputs.len() {
        let next = call.complete(index)?;
        let size = next.shape.get(axis).copied().unwrap_or(0);
        let mut alike = next.clone().at(out.place);
        if let Some(dim) = alike.shape.get_mut(axis) {
            *dim = out.shape[axis];
        }
        if alike != out {
            let expected = format!("as input 0 ({}), but for dimension {axis}", call.value(0)?);
            return Err(call.error(format!("input {index}"), next, expected));
        }
        out.shape[axis] = out.shape[axis].saturating_add(size);
        out.place = out.place.max(next.place);
    }
    Ok(out)
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let output = output(call)?;
    let axis = call.axis_of(&output)?;
    let (_, all, after) = output.around(axis);
    let (all, after) = (all as usize, after as usize);
    let mut along = Vec::new();
    for index in 0..inputs.len() {
        along.push(call.value(index)?.shape[axis] as usize);
    }
    cells(output.cells(), |index| {
        let (before, mut at, after_it) = (index / (all * after), index / after % all, index % after);
        let mut input = 0;
        while at >= along[input] {
            at -= along[input];
            input += 1;
        }
        Ok(inputs[input].cells[(before * along[input] + at) * after + after_it].clone())
    })
}

/// Every operand where it belongs, and their sum.
fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let output = output(call)?;
    l.concat(x, call.axis_of(&output)?, &output.shape).map(Cells::Encrypted)
}
