//! a where the condition is 1, else b, cell by cell, for inputs (condition, a, b): booleans and two values of one kind and equal decimals, all
//! of one shape.

use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::exact::cells;
use crate::values::near::Near;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Exact, Known, Lowered, Lowering};

/// `value.select`; see the module.
pub(super) const SELECT: Primitive = Primitive {
    name: "value.select",
    output,
    range,
    exact,
    near,
    linear_in: |_| vec![1, 2],
    lower,
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(3)?;
    let (condition, a, b) = (call.complete(0)?, call.complete(1)?, call.complete(2)?);
    if condition.kind != Kind::Boolean {
        return Err(call.error("input 0", condition, "booleans"));
    }
    call.same_shape(1, &a, &condition)?;
    call.same_shape(2, &b, &condition)?;
    if (b.kind, b.decimals, &b.names) != (a.kind, a.decimals, &a.names) {
        return Err(call.error("input 2", b, format!("the kind, decimals and categories of input 1 ({a})")));
    }
    let place = condition.place.max(a.place).max(b.place);
    Ok(a.at(place))
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    match inputs {
        // Where all cells are chosen from one side, the other says nothing.
        [condition, a, b] => Ok(match condition.range {
            Range::Integers { min: 1, .. } => a.range,
            Range::Integers { max: 0, .. } => b.range,
            _ => a.range.union(b.range),
        }),
        _ => Err(call.error("number of inputs", inputs.len(), 3)),
    }
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    match inputs {
        [condition, a, b] => cells(output(call)?.cells(), |index| {
            let from = if condition.cells[index] == Number::ONE { a } else { b };
            Ok(from.cells[index].clone())
        }),
        _ => Err(call.error("number of inputs", inputs.len(), 3)),
    }
}

/// Where the condition may be the other one, the result may be what it did not choose.
fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let [condition, a, b] = inputs else { return Err(call.error("number of inputs", inputs.len(), 3)) };
    let kind = output(call)?.kind;
    let categories = matches!(kind, Kind::Category { .. });
    let apart = |a: &Number, b: &Number| {
        // One category is as far from another as from any.
        if categories { f64::from(u8::from(a != b)) } else { (a - b).to_f64().abs() }
    };
    let cell = |index: usize| {
        let chosen = condition.cells.cells[index] == Number::ONE;
        let (from, other) = if chosen { (a, b) } else { (b, a) };
        let cell = &from.cells.cells[index];
        let mut off = from.off(index);
        if condition.off(index) > 0.0 {
            off = off.max(apart(cell, &other.cells.cells[index]) + other.off(index));
            // Another one is another one.
            if categories || kind == Kind::Boolean {
                off = off.min(1.0);
            }
        }
        Ok((cell.clone(), off))
    };
    Near::made(condition.cells.cells.len(), cell).map(Some)
}

/// b + c (a - b); b + c a - c b where neither a nor b is encrypted.
fn lower(_: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let (condition, a, b) = (&x[0].cells, &x[1].cells, &x[2].cells);
    let chosen = if x[1].is_clear() && x[2].is_clear() {
        let (a, b) = (l.packer.multiply(condition, a)?, l.packer.multiply(condition, b)?);
        l.packer.sub(&a, &b)?
    } else {
        let difference = l.packer.sub(a, b)?;
        l.packer.multiply(condition, &difference)?
    };
    l.packer.add(&chosen, b)
}
