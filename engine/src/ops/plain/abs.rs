//! Absolute value: out = |a|, of a's shape.
//!
//! Integers wrap: |MIN| is MIN. Floats lose their sign, -0, too.

use super::{Cost, Operation, SIGNED, shapes};

/// `abs`; see the module.
pub(super) const ABS: Operation = Operation {
    name: "abs",
    elements: SIGNED,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
