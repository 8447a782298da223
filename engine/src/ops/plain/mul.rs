//! Product: out = a b. Shapes broadcast as NumPy's do.
//!
//! Integers wrap; floats round to nearest even.

use super::{Cost, NUMBERS, Operation, shapes};

/// `mul`; see the module.
pub(super) const MUL: Operation = Operation {
    name: "mul",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
