//! x / y, cell by cell, of numbers of one shape: reals, exact rational numbers in the interpreter. A divisor of 0 is an error of the
//! interpreter, and so is one that was decrypted and may be 0 for all that is known; the range is unknown where a divisor may be 0. No exact scheme divides what is encrypted.

use super::arithmetic::{any_encrypted, bits_pair, pair, range_pair, real, same, zip, zip_near};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::{Kind, ValueCall};
use crate::values::{Known, Near};

/// `value.divide`; see the module.
pub(super) const DIVIDE: Primitive = Primitive {
    name: "value.divide",
    output: |call| {
        let pair = pair(call)?;
        Ok(real(pair.shape, pair.place))
    },
    range,
    exact: |call, inputs| {
        zip(call, Kind::Real, inputs, |a, b| {
            a.quotient(b).ok_or_else(|| call.error("divisor", 0, "numbers other than 0"))
        })
    },
    bits: |call, inputs| {
        let (a, b) = bits_pair(call, Kind::Real, inputs)?;
        Ok(a.quotient(b, call.value(1)?.cells()))
    },
    near,
    linear_in: |_| vec![0],
    client_only: any_encrypted,
    ..PRIMITIVE
};

fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let cell = |(a, d): (&Number, f64), (b, e): (&Number, f64)| {
        let size = b.to_f64().abs();
        let quotient = a.quotient(b).filter(|_| e == 0.0 || e.is_infinite() || size > e);
        // No number is told: errors end in logs.
        let quotient =
            quotient.ok_or_else(|| call.error("divisor", "one that may be 0", "numbers that cannot be 0"))?;
        let off = (d + quotient.to_f64().abs() * e) / (size - e);
        Ok((quotient, if e.is_infinite() { e } else { off }))
    };
    zip_near(call, Kind::Real, inputs, cell).map(Some)
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (a, b) = range_pair(call, Kind::Real, inputs)?;
    let quotient = a.quotient(b);
    let one = same(inputs) && quotient != Range::Unknown;
    Ok(if one { Range::Reals { min: 1.0, max: 1.0 } } else { quotient })
}
