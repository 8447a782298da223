//! p(x) - p(0), slot by slot, so that slots that are no cell's stay 0: attribute `coefficients` has integers or (data) doubles, `basis` says what
//! they are coefficients of: `powers`, or `chebyshev`, of doubles, for x in [-1, 1].

use super::{Operator, Role, Takes};
use crate::Result;
use crate::ops::Call;
use crate::packed::Series;

/// `packed.polynomial`; see the module.
pub(super) const POLYNOMIAL: Operator = Operator {
    name: "packed.polynomial",
    attributes: &["basis", "coefficients"],
    output: |call| {
        series(call)?;
        super::one(call)
    },
    commutative: false,
    inverse: None,
    role: Role::Other,
    takes: Takes::Nothing,
    coefficients: |_| None,
    close: |call, inputs, target| target.polynomial(inputs[0], &series(call)?),
};

fn series(call: &Call<'_>) -> Result<Series> {
    let wrong = || call.error("coefficients", "another", "2 to 4096 of powers or of chebyshev");
    Series::of(call.attrs).ok_or_else(wrong)
}
