//! The cells of a value with missing ones, 0 where one is missing: a complete value of the same kind. A complete operand is refused, for it
//! has nothing to take apart.

use super::arithmetic::one;
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Exact;
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};

/// `value.cells`; see the module.
pub(super) const CELLS: Primitive = Primitive {
    name: "value.cells",
    output: |call| Ok(Value { missing: false, ..gappy(call)? }),
    range: |call, inputs| {
        let zero = match gappy(call)?.kind {
            Kind::Real => Range::Reals { min: 0.0, max: 0.0 },
            _ => Range::Integers { min: 0, max: 0 },
        };
        Ok(one(call, inputs)?.range.union(zero))
    },
    exact: |call, inputs| Ok(Exact::new(one(call, inputs)?.cells.clone())),
    lower: |_, x, _| Ok(x[0].cells.clone()),
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
