//! x / y, cell by cell, of numbers of one shape: reals, exact rational numbers in the interpreter. A divisor of 0 is an error of the
//! interpreter; the range is unknown where a divisor may be 0. No exact scheme divides what is encrypted.

use super::arithmetic::{any_encrypted, bits_pair, pair, range_pair, real, same, zip};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::values::Known;
use crate::values::range::Range;
use crate::values::types::{Kind, ValueCall};

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
    linear_in: |_| vec![0],
    client_only: any_encrypted,
    ..PRIMITIVE
};

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (a, b) = range_pair(call, Kind::Real, inputs)?;
    let quotient = a.quotient(b);
    let one = same(inputs) && quotient != Range::Unknown;
    Ok(if one { Range::Reals { min: 1.0, max: 1.0 } } else { quotient })
}
