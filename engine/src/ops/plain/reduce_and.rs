//! All elements along an axis by `and`, bit by bit: [.., n, ..] -> [.., ..]. Attribute `axis` is the
//! dimension, counted from 0; it disappears.

use super::{Cost, LOGIC, Operation, shapes};

/// `reduce_and`; see the module.
pub(super) const REDUCE_AND: Operation = Operation {
    name: "reduce_and",
    elements: LOGIC,
    output: shapes::reduced,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};
