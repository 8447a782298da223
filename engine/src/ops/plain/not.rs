//! Logic: out = not a, bit by bit, of a's shape.

use super::{Cost, LOGIC, Operation, shapes};

/// `not`; see the module.
pub(super) const NOT: Operation = Operation {
    name: "not",
    elements: LOGIC,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
