//! Choice: out = a where the condition is not 0, else b, for inputs (condition, a, b). All three
//! broadcast as NumPy's shapes do.
//!
//! The condition has unsigned integers of the same width, as comparisons give them (`u8`, `u32`, `u64`;
//! `bit` for `bit`). What is chosen keeps its bits, NaNs, too.

use super::{Cost, EVERY, Operation, shapes};

/// `select`; see the module.
pub(super) const SELECT: Operation = Operation {
    name: "select",
    elements: EVERY,
    output: shapes::selected,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
