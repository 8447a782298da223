//! The smaller one: out = min(a, b). Shapes broadcast as NumPy's do.
//!
//! Floats: NaN if either is; -0 is below +0.

use super::{Cost, NUMBERS, Operation, shapes};

/// `min`; see the module.
pub(super) const MIN: Operation = Operation {
    name: "min",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
