//! The sum of the products of the cells of two values of one shape: a single number.

use super::{Composite, op};
use crate::values::types::ValueCall;

/// `value.dot`; see the module.
pub(super) const DOT: Composite = Composite {
    name: "value.dot",
    attributes: &[],
    output: |call| Ok(super::matrix_multiply::product(call, &call.number(0)?, &call.number(1)?)?.shaped([])),
    expand: |s, _, inputs| {
        let product = op(s, "value.multiply", inputs)?;
        op(s, "value.sum", &[product])
    },
};
