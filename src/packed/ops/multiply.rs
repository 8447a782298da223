//! x y, slot by slot; y may be clear.

use super::{Operator, Role, Takes};
use crate::packed::types::PackedCall;

/// `packed.multiply`; see the module.
pub(super) const MULTIPLY: Operator = Operator {
    name: "packed.multiply",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    role: Role::Product,
    takes: Takes::Clear,
    coefficients: |_| None,
    close: |_, inputs, target| target.multiply(inputs[0], inputs[1]),
};
