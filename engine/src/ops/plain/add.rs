//! Sum: out = a + b. Shapes broadcast as NumPy's do.
//!
//! Integers wrap; floats round to nearest even.

use super::{Cost, NUMBERS, Operation, shapes};

/// `add`; see the module.
pub(super) const ADD: Operation = Operation {
    name: "add",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
