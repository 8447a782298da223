//! The sum of all cells, a single value; or, with attribute `axis`, counted from 0, along a dimension, which disappears. Of numbers.

use super::arithmetic::one;
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::exact::cells;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Exact, Known, Lowered, Lowering};

/// `value.sum`; see the module.
pub(super) const SUM: Primitive = Primitive {
    name: "value.sum",
    attributes: &["axis"],
    output,
    range,
    exact,
    bits: |call, inputs| Ok(one(call, inputs)?.total_of(count(call)?)),
    linear_in: |_| vec![0],
    lower,
    axes: |call| {
        let axes = call.value(0)?.shape.len();
        let Some(_) = call.attrs.get("axis") else { return Ok(vec![vec![None; axes]]) };
        let summed = call.axis_of(&call.value(0)?)?;
        Ok(vec![
            (0..axes).map(|axis| (axis != summed).then_some(axis - usize::from(axis > summed))).collect(),
        ])
    },
    ..PRIMITIVE
};

/// Cells before each sum, in it, and between two of its cells.
fn around(call: &Call<'_>, x: &Value) -> Result<(u64, u64, u64)> {
    match call.attrs.get("axis") {
        None => Ok((1, x.cells(), 1)),
        Some(_) => Ok(x.around(call.axis_of(x)?)),
    }
}

/// How many cells a sum has.
fn count(call: &Call<'_>) -> Result<u64> {
    Ok(around(call, &call.number(0)?)?.1)
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let x = call.number(0)?;
    let mut shape = x.shape.clone();
    match call.attrs.get("axis") {
        None => shape.clear(),
        Some(_) => drop(shape.remove(call.axis_of(&x)?)),
    }
    Ok(x.shaped(shape))
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let count = i128::from(count(call)?);
    let counts = match output(call)?.kind {
        // At most 2^32: no rounding.
        Kind::Real => Range::Reals { min: count as f64, max: count as f64 },
        _ => Range::Integers { min: count, max: count },
    };
    Ok(one(call, inputs)?.range.product(counts))
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let x = one(call, inputs)?;
    let (_, along, after) = around(call, &call.number(0)?)?;
    let (along, after) = (along as usize, after as usize);
    cells(output(call)?.cells(), |index| {
        let first = index / after * along * after + index % after;
        let all = x.cells[first..].iter().step_by(after).take(along);
        Ok(all.fold(Number::ZERO, |sum, cell| &sum + cell))
    })
}

fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let Cells::Encrypted(x) = &one(call, x)?.cells else {
        return Err(call.error("input 0", "clear", "encrypted"));
    };
    if call.attrs.get("axis").is_some() {
        return l.packer.sum(x, call.axis_of(&call.value(0)?)?).map(Cells::Encrypted);
    }
    let mut x = x.clone();
    // From the highest bits down: then no sum takes in what lies beside it.
    while let Some(axis) = (0..x.layout.axes.len()).max_by_key(|&axis| x.layout.axes[axis].low) {
        x = l.packer.sum(&x, axis)?;
    }
    Ok(Cells::Encrypted(x))
}
