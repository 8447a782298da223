//! Difference: out = a - b. Shapes broadcast as NumPy's do.
//!
//! Integers wrap; floats round to nearest even.

use super::{Cost, NUMBERS, Operation, shapes};

/// `sub`; see the module.
pub(super) const SUB: Operation = Operation {
    name: "sub",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
