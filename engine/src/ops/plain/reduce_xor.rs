//! All elements along an axis by `xor`, bit by bit: [.., n, ..] -> [.., ..]. Attribute `axis` is the
//! dimension, counted from 0; it disappears.

use super::{Cost, LOGIC, Operation, shapes};

/// `reduce_xor`; see the module.
pub(super) const REDUCE_XOR: Operation = Operation {
    name: "reduce_xor",
    elements: LOGIC,
    output: shapes::reduced,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.1),
};
