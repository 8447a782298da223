//! -x, slot by slot.

use super::{OPERANDS, Operator, Role};
use crate::graph::Attr;

/// `packed.negate`; see the module.
pub(super) const NEGATE: Operator = Operator {
    name: "packed.negate",
    attributes: &[],
    output: super::one,
    commutative: false,
    inverse: Some("packed.negate"),
    role: Role::Linear,
    takes: OPERANDS,
    coefficients: |_| Some(vec![Attr::Int(-1)]),
    close: |_, inputs, target| target.negate(inputs[0]),
};
