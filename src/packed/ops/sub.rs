//! x - y, slot by slot; y may be clear.

use super::{Operator, Role};

/// `packed.sub`; see the module.
pub(super) const SUB: Operator = Operator {
    name: "packed.sub",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    role: Role::Linear,
    close: |_, inputs, target| target.sub(inputs[0], inputs[1]),
};
