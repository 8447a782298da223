//! Hyperbolic tangent: out = tanh a, of a's shape.
//!
//! The bits are those of the crate `libm`, about two units in the last place away from the truth. Of
//! infinities it is 1 and -1; of -0 it is -0.

use super::{Cost, FLOATS, Operation, shapes};

/// `tanh`; see the module.
pub(super) const TANH: Operation = Operation {
    name: "tanh",
    elements: FLOATS,
    output: shapes::elementwise::<1>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(5.0),
};
