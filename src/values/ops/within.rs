//! x, of which whoever writes the task knows that every cell lies between attributes `min` and `max`: numbers or dates; integers in units of 10^-decimals, or reals. What bounds say
//! beyond that is forgotten. The interpreter refuses a cell that does not lie there; of an encrypted one nobody sees it, and results are wrong, or refused where they are larger than all that was declared.

use super::arithmetic::{brought_into, map_near, one};
use super::{PRIMITIVE, Primitive};
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::exact::cells;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Known, Lowered, Lowering};
use crate::{Error, Result};

/// `value.within`; see the module.
pub(super) const WITHIN: Primitive = Primitive {
    name: "value.within",
    attributes: &["max", "min"],
    output,
    range,
    exact: |call, inputs| {
        let (x, range) = (one(call, inputs)?, told(call)?);
        cells(x.cells.len() as u64, |index| {
            let cell = &x.cells[index];
            range.contains(cell).then(|| cell.clone()).ok_or_else(|| outside(call, range))
        })
    },
    near: |call, inputs| {
        let range = told(call)?;
        let near = |x: &Number, d: f64| {
            brought_into(range, x, d).map(|x| (x, d)).ok_or_else(|| outside(call, range))
        };
        map_near(call, inputs, near).map(Some)
    },
    lower,
    ..PRIMITIVE
};

/// The number itself is not told: errors end in logs.
fn outside(call: &Call<'_>, range: Range) -> Error {
    call.error("operand", "a number outside", format!("numbers from {range}"))
}

fn told(call: &Call<'_>) -> Result<Range> {
    let range = match call.value(0)?.kind {
        Kind::Real => {
            let (min, max) = (call.attrs.real("min")?, call.attrs.real("max")?);
            (min <= max).then_some(Range::Reals { min, max })
        }
        _ => {
            let (min, max) = (call.attrs.int("min")?, call.attrs.int("max")?);
            (min <= max).then_some(Range::Integers { min, max })
        }
    };
    range.ok_or_else(|| {
        let found = call.attrs.to_string();
        call.error("min, max", found, "bounds of the operand's kind, min no larger than max")
    })
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let x = call.complete(0)?;
    if !matches!(x.kind, Kind::Integer | Kind::Real | Kind::Date) {
        return Err(call.error("input 0", x, "numbers or dates"));
    }
    told(call)?;
    Ok(x)
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (x, told) = (one(call, inputs)?.range, told(call)?);
    let both = x.intersection(told);
    // What cannot be is left to what was told.
    Ok(if both == Range::Unknown { told } else { both })
}

fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let (operand, value) = (l.encrypted(&x[0])?, call.value(0)?);
    match told(call)?.in_units(value.decimals) {
        Range::Reals { min, max } if !l.exact && value.kind != Kind::Date => {
            let largest = min.abs().max(max.abs()).max(f64::MIN_POSITIVE);
            l.packer.within(operand, largest, 0.0).map(Cells::Encrypted)
        }
        _ => Ok(x[0].cells.clone()),
    }
}
