//! Where the smallest element along an axis stands: [.., n, ..] -> [.., ..] of `u64`, counted from 0.
//! Attribute `axis` is the dimension, counted from 0; it disappears.
//!
//! It is the first place of what `reduce_min` gives: of equal elements the first, -0 below +0, and the
//! first NaN where there is one, as in NumPy.

use super::{Cost, NUMBERS, Operation, shapes};

/// `argmin`; see the module.
pub(super) const ARGMIN: Operation = Operation {
    name: "argmin",
    elements: NUMBERS,
    output: shapes::indexed,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.2),
};
