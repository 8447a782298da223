//! Conversion to the element that the operator is named by, from a tensor of any element, of its shape.
//!
//! To integers: floats truncate towards 0 and saturate, NaN gives 0; integers wrap. To floats: rounded to
//! nearest even. To `bit`: 1 for whatever is not 0, so also for NaN; from `bit`: 0 or 1.

use super::{Cost, EVERY, Operation, shapes};

/// `convert`; see the module.
pub(super) const CONVERT: Operation = Operation {
    name: "convert",
    elements: EVERY,
    output: shapes::converted,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(0.1),
};
