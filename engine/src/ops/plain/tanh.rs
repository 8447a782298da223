//! Hyperbolic tangent: out = tanh a, of a's shape.
//!
//! Of `f32` the bits are those of [`crate::math::tanh`], less than 0.53 units in the last place away from the truth; of
//! `f64` those of the crate `libm`, about two units. Of infinities it is 1 and -1; of -0 it is -0.

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
