//! All elements along an axis by `or`, bit by bit: [.., n, ..] -> [.., ..]. Attribute `axis` is the
//! dimension, counted from 0; it disappears.

use super::{Cost, LOGIC, Operation, shapes};

/// `reduce_or`; see the module.
pub(super) const REDUCE_OR: Operation = Operation {
    name: "reduce_or",
    elements: LOGIC,
    output: shapes::reduced,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};
