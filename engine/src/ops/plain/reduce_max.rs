//! Largest element along an axis: [.., n, ..] -> [.., ..]. Attribute `axis` is the dimension, counted
//! from 0; it disappears.
//!
//! As `max`: NaN if one is; -0 is below +0.

use super::{Cost, NUMBERS, Operation, shapes};

/// `reduce_max`; see the module.
pub(super) const REDUCE_MAX: Operation = Operation {
    name: "reduce_max",
    elements: NUMBERS,
    output: shapes::reduced,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};
