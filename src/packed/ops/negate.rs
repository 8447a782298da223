//! -x, slot by slot.

use super::Operator;

/// `packed.negate`; see the module.
pub(super) const NEGATE: Operator = Operator {
    name: "packed.negate",
    attributes: &[],
    output: super::one,
    commutative: false,
    inverse: Some("packed.negate"),
    close: |_, inputs, target| target.negate(inputs[0]),
};
