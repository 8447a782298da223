//! Comparison: out = 1 where a = b, else 0. Shapes broadcast as NumPy's do.
//!
//! The result is 0 or 1, as an unsigned integer of the same width (`u8`, `u32`, `u64`; `bit` for `bit`).
//! Floats: NaN equals nothing, -0 equals +0.

use super::{Cost, EVERY, Operation, shapes};

/// `eq`; see the module.
pub(super) const EQ: Operation = Operation {
    name: "eq",
    elements: EVERY,
    output: shapes::compared,
    attributes: &[],
    commutative: true,
    cost: Cost::Each(0.1),
};
