//! Comparison: out = 1 where a < b, else 0. Shapes broadcast as NumPy's do.
//!
//! The result is 0 or 1, as an unsigned integer of the same width (`u8`, `u32`, `u64`; `bit` for `bit`).
//! Floats: never with NaN; -0 equals +0.

use super::{Cost, EVERY, Operation, shapes};

/// `lt`; see the module.
pub(super) const LT: Operation = Operation {
    name: "lt",
    elements: EVERY,
    output: shapes::compared,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
