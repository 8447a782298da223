//! Negative: out = -a, of a's shape.
//!
//! Integers wrap: -MIN is MIN, and of unsigned ones it is 2^bits - a. Floats change their sign, 0 and
//! infinities, too.

use super::{Cost, NUMBERS, Operation, shapes};

/// `neg`; see the module.
pub(super) const NEG: Operation = Operation {
    name: "neg",
    elements: NUMBERS,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
