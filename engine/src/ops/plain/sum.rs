//! Sum along an axis: [.., n, ..] -> [.., ..]. Attribute `axis` is the dimension, counted from 0; it
//! disappears.
//!
//! The result has 64 bits, `u64` and of signed elements `i64`, and wraps; floats keep their element.
//!
//! Floats are combined in a fixed order, so that bits are equal everywhere: by blocks of 1,024 along the
//! axis; in each, eight partial results begin at +0, element i goes to number i mod 8, and they are
//! combined as ((0 1)(2 3))((4 5)(6 7)). Of the results of the blocks, neighbors (the first with the
//! second, the third with the fourth) are combined, round by round, until one is left; the last one of an
//! odd number goes on to the next round as it is.

use super::{Cost, EVERY, Operation, shapes};

/// `sum`; see the module.
pub(super) const SUM: Operation = Operation {
    name: "sum",
    elements: EVERY,
    output: shapes::totaled,
    attributes: &["axis"],
    commutative: false,
    cost: Cost::Each(0.2),
};
