//! Natural logarithm: out = ln a, of a's shape.
//!
//! The bits are those of the crate `libm`, less than one unit in the last place away from the truth. Of 0
//! and -0 it is -inf; of what is below 0 it is NaN.

use super::{Cost, FLOATS, Operation, shapes};

/// `log`; see the module.
pub(super) const LOG: Operation = Operation {
    name: "log",
    elements: FLOATS,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(5.0),
};
