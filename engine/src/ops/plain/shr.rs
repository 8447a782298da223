//! Shift to the right: out = floor(a / 2^b); signed elements copy their sign. Shapes broadcast as NumPy's
//! do.
//!
//! The amount b is taken modulo the element's bits, as an unsigned number: 33 and -31 shift 32 bits by 1.

use super::{Cost, INTEGERS, Operation, shapes};

/// `shr`; see the module.
pub(super) const SHR: Operation = Operation {
    name: "shr",
    elements: INTEGERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
