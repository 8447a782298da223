//! Comparison: out = 1 where a differs from b, else 0. Shapes broadcast as NumPy's do.
//!
//! The result is 0 or 1, as an unsigned integer of the same width (`u8`, `u32`, `u64`; `bit` for `bit`).
//! Floats: NaN differs from everything, -0 equals +0.

use super::{Cost, EVERY, Operation, shapes};

/// `ne`; see the module.
pub(super) const NE: Operation = Operation {
    name: "ne",
    elements: EVERY,
    output: shapes::compared,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
