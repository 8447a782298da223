//! Rotation to the left: the highest b bits of a come in at the lowest ones. Shapes broadcast as NumPy's
//! do.
//!
//! The amount b is taken modulo the element's bits, as an unsigned number: 33 and -31 shift 32 bits by 1.

use super::{Cost, INTEGERS, Operation, shapes};

/// `rotl`; see the module.
pub(super) const ROTL: Operation = Operation {
    name: "rotl",
    elements: INTEGERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
