//! The square root of x, cell by cell, of numbers: reals, each the binary64 nearest to the root of the exact x, ties to even. Below 0 it is
//! an error of the interpreter, and so is a root beyond the largest binary64; what was decrypted and may be 0 for all that is known counts as 0 there. No exact scheme takes roots of what is encrypted.

use super::arithmetic::{any_encrypted, map_near, one, real, seen};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::number::Number;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Exact, Near};

/// `value.root`; see the module.
pub(super) const ROOT: Primitive = Primitive {
    name: "value.root",
    output,
    range: |call, inputs| Ok(seen(call, 0, Kind::Real, &one(call, inputs)?.range)?.root()),
    exact,
    near,
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
    Ok(Exact::new(x.cells.iter().map(|x| root(call, x)).collect::<Result<_>>()?))
}

fn root(call: &Call<'_>, x: &Number) -> Result<Number> {
    // The number itself is not told: errors end in logs.
    x.root().ok_or_else(|| call.error("operand", "a number below 0 or too large", "numbers that have a root"))
}

/// A real that is off by at most d is one of x - d .. x + d, of which what is below 0 is not.
fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let cell = |x: &Number, d: f64| {
        let size = x.to_f64();
        let own = if size < 0.0 && d.is_finite() && size >= -d { Number::ZERO } else { x.clone() };
        let root = root(call, &own)?;
        let (least, most) = (libm::sqrt((size - d).max(0.0)), libm::sqrt((size + d).max(0.0)));
        let off = (root.to_f64() - least).max(most - root.to_f64());
        Ok((root, off))
    };
    let x = seen(call, 0, Kind::Real, *one(call, inputs)?)?;
    map_near(call, &[&x], cell).map(Some)
}
