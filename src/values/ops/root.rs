//! The square root of x, cell by cell, of numbers: reals, each the binary64 nearest to the root of the exact x, ties to even. Below 0 it is
//! an error of the interpreter, and so is a root beyond the largest binary64. No exact scheme takes roots of what is encrypted.

use super::arithmetic::{any_encrypted, one, real, seen};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Exact;
use crate::values::number::Number;
use crate::values::types::{Kind, Value, ValueCall};

/// `value.root`; see the module.
pub(super) const ROOT: Primitive = Primitive {
    name: "value.root",
    output,
    range: |call, inputs| Ok(seen(call, 0, Kind::Real, &one(call, inputs)?.range)?.root()),
    exact,
    bits: |call, inputs| Ok(seen(call, 0, Kind::Real, one(call, inputs)?)?.root()),
    client_only: any_encrypted,
    ..PRIMITIVE
};

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let x = call.number(0)?;
    Ok(real(x.shape, x.place))
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let x = seen(call, 0, Kind::Real, *one(call, inputs)?)?;
    let root = |x: &Number| {
        // The number itself is not told: errors end in logs.
        x.root()
            .ok_or_else(|| call.error("operand", "a number below 0 or too large", "numbers that have a root"))
    };
    Ok(Exact::new(x.cells.iter().map(root).collect::<Result<_>>()?))
}
