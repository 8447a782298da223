//! Logic: out = a or b, bit by bit. Shapes broadcast as NumPy's do.

use super::{Cost, LOGIC, Operation, shapes};

/// `or`; see the module.
pub(super) const OR: Operation = Operation {
    name: "or",
    elements: LOGIC,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
