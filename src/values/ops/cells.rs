//! The cells of a value with missing ones, attribute `fill` (in units of 10^-decimals, of reals a double; 0 without it) where one is missing: a complete value of the same kind. A complete
//! operand is refused, for it has nothing to take apart.

use super::arithmetic::one;
use super::{PRIMITIVE, Primitive};
use crate::graph::Attr;
use crate::ops::Call;
use crate::packed::Cells;
use crate::values::near::Near;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Exact, Lowered, Lowering};
use crate::{Error, Result};

/// `value.cells`; see the module.
pub(super) const CELLS: Primitive = Primitive {
    name: "value.cells",
    attributes: &["fill"],
    output: |call| {
        fill(call)?;
        Ok(Value { missing: false, ..gappy(call)? })
    },
    range: |call, inputs| Ok(one(call, inputs)?.range.union(only(call)?)),
    exact: |call, inputs| filled(call, one(call, inputs)?),
    // What stands where one is missing is right.
    near: |call, inputs| {
        let x = one(call, inputs)?;
        Ok(Some(Near { cells: filled(call, &x.cells)?, off: x.off.clone() }))
    },
    bits: |call, inputs| Ok(one(call, inputs)?.join(fill(call)?.bits())),
    lower,
    ..PRIMITIVE
};

/// The only input, as a value with missing cells.
pub(super) fn gappy(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let value = call.value(0)?;
    if !value.missing {
        return Err(call.error("input 0", value, "a value whose cells may be missing"));
    }
    Ok(value)
}

/// Attribute `fill`, in units.
fn fill(call: &Call<'_>) -> Result<Number> {
    let kind = gappy(call)?.kind;
    let number = match call.attrs.get("fill") {
        None => Some(Number::ZERO),
        Some(_) if kind == Kind::Real => Number::from_f64(call.attrs.real("fill")?),
        Some(Attr::Int(fill)) => Some(Number::from(*fill)),
        Some(_) => None,
    };
    let number = number.filter(|number| Range::of_kind(kind).contains(number));
    number.ok_or_else(|| call.error("fill", call.attrs.to_string(), "a cell of the operand's kind"))
}

/// The range of the fill alone.
fn only(call: &Call<'_>) -> Result<Range> {
    let (fill, kind) = (fill(call)?, gappy(call)?.kind);
    Ok(match (kind, fill.small()) {
        (Kind::Real, _) => Range::Reals { min: fill.to_f64(), max: fill.to_f64() },
        (_, Some(fill)) => Range::Integers { min: fill, max: fill },
        (_, None) => Range::Unknown,
    })
}

fn filled(call: &Call<'_>, x: &Exact) -> Result<Exact> {
    let (fill, present) = (fill(call)?, x.present.as_deref().unwrap_or_default());
    let cell = |(cell, is): (&Number, &bool)| if *is { cell.clone() } else { fill.clone() };
    Ok(Exact::new(x.cells.iter().zip(present).map(cell).collect()))
}

/// x + (1 - present) fill; x is 0 where a cell is missing.
fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let (fill, x) = (fill(call)?, one(call, x)?);
    if fill == Number::ZERO {
        return Ok(x.cells.clone());
    }
    let present = x.present.as_ref().ok_or(Error::Job("a value with missing cells says which are there"))?;
    let value = gappy(call)?;
    let (fill, less) = (l.number(&fill, &value)?, l.number(&-&fill, &value)?);
    let less = l.packer.multiply(present, &less)?;
    let beside = l.packer.add(&less, &fill)?;
    l.packer.add(&x.cells, &beside)
}
