//! Smallest element along an axis: [.., n, ..] -> [.., ..]. Attribute `axis` is the dimension, counted
//! from 0; it disappears.
//!
//! As `min`: NaN if one is; -0 is below +0.

use super::{Cost, NUMBERS, Operation, shapes};

/// `reduce_min`; see the module.
pub(super) const REDUCE_MIN: Operation = Operation {
    name: "reduce_min",
    elements: NUMBERS,
    output: shapes::reduced,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};
