//! x + y, slot by slot; y may be clear.

use super::{Operator, Role};

/// `packed.add`; see the module.
pub(super) const ADD: Operator = Operator {
    name: "packed.add",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    role: Role::Sum,
    close: |_, inputs, target| target.add(inputs[0], inputs[1]),
};
