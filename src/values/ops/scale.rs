//! x numerator / 10^decimals, cell by cell, of numbers: times a constant, exactly. Attribute `numerator` is an integer, `decimals` (0 where
//! it is left out) at most 1000. Integers are multiplied by the numerator, and get so many decimals more: with numerator 10^k and
//! k decimals nothing but the decimals changes. For a real factor there is `value.multiply` by a `value.constant`.

use super::arithmetic::{map, one};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Known;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, MOST_DECIMALS, Value, ValueCall};

/// `value.scale`; see the module.
pub(super) const SCALE: Primitive = Primitive {
    name: "value.scale",
    attributes: &["decimals", "numerator"],
    output,
    range,
    exact: |call, inputs| {
        let factor = factor(call)?;
        map(call, inputs, |x| Ok(x * &factor))
    },
    bits: |call, inputs| Ok(one(call, inputs)?.product(factor(call)?.bits())),
    linear_in: |_| vec![0],
    lower: |call, x, l| {
        let (factor, value) = (factor(call)?, call.value(0)?);
        // Reals count whole units, whatever the decimals are.
        let factor = if l.exact { factor } else { real_factor(call)? };
        let number = l.number(&factor, &value.with_decimals(0))?;
        l.packer.multiply(&x[0].cells, &number)
    },
    ..PRIMITIVE
};

fn decimals(call: &Call<'_>) -> Result<u32> {
    let decimals = call.attrs.get("decimals").map_or(Ok(0), |_| call.attrs.size("decimals"))?;
    match u32::try_from(decimals) {
        Ok(decimals) if decimals <= MOST_DECIMALS => Ok(decimals),
        _ => Err(call.error("decimals", decimals, format!("at most {MOST_DECIMALS}"))),
    }
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    call.attrs.int("numerator")?;
    let (x, more) = (call.number(0)?, decimals(call)?);
    let all = x.decimals + more;
    Ok(if x.kind == Kind::Integer { x.with_decimals(all) } else { x })
}

/// What cells are multiplied with.
fn factor(call: &Call<'_>) -> Result<Number> {
    if output(call)?.kind == Kind::Integer {
        return Ok(call.attrs.int("numerator")?.into());
    }
    real_factor(call)
}

/// What numbers are multiplied with.
fn real_factor(call: &Call<'_>) -> Result<Number> {
    let numerator = Number::from(call.attrs.int("numerator")?);
    Ok(numerator.quotient(&Number::power_of_ten(decimals(call)?)).unwrap_or(Number::ZERO))
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let factor = Range::of_number(&factor(call)?, output(call)?.kind);
    Ok(one(call, inputs)?.range.product(factor))
}
