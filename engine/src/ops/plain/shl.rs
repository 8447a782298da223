//! Shift to the left: out = a 2^b, wrapping. Shapes broadcast as NumPy's do.
//!
//! The amount b is taken modulo the element's bits, as an unsigned number: 33 and -31 shift 32 bits by 1.

use super::{Cost, INTEGERS, Operation, shapes};

/// `shl`; see the module.
pub(super) const SHL: Operation = Operation {
    name: "shl",
    elements: INTEGERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
