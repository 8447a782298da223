//! Square root: out = sqrt(a), of a's shape, correctly rounded.
//!
//! Of -0 it is -0; of what is below 0 it is NaN.

use super::{Cost, FLOATS, Operation, shapes};

/// `sqrt`; see the module.
pub(super) const SQRT: Operation = Operation {
    name: "sqrt",
    elements: FLOATS,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(1.0),
};
