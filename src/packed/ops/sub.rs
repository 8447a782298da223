//! x - y, slot by slot; y may be clear.

use super::Operator;

/// `packed.sub`; see the module.
pub(super) const SUB: Operator = Operator {
    name: "packed.sub",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    close: |_, inputs, target| target.sub(inputs[0], inputs[1]),
};
