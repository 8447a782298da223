//! Exponential function: out = e^a, of a's shape.
//!
//! The bits are those of the crate `libm`, less than one unit in the last place away from the truth.
//! e^-inf is 0.

use super::{Cost, FLOATS, Operation, shapes};

/// `exp`; see the module.
pub(super) const EXP: Operation = Operation {
    name: "exp",
    elements: FLOATS,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(5.0),
};
