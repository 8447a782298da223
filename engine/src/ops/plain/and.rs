//! Logic: out = a and b, bit by bit. Shapes broadcast as NumPy's do.

use super::{Cost, LOGIC, Operation, shapes};

/// `and`; see the module.
pub(super) const AND: Operation = Operation {
    name: "and",
    elements: LOGIC,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
