//! Logic: out = a xor b, bit by bit. Shapes broadcast as NumPy's do.

use super::{Cost, LOGIC, Operation, shapes};

/// `xor`; see the module.
pub(super) const XOR: Operation = Operation {
    name: "xor",
    elements: LOGIC,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
