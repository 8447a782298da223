//! The larger one: out = max(a, b). Shapes broadcast as NumPy's do.
//!
//! Floats: NaN if either is; -0 is below +0.

use super::{Cost, NUMBERS, Operation, shapes};

/// `max`; see the module.
pub(super) const MAX: Operation = Operation {
    name: "max",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
