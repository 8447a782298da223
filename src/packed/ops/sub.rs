//! x - y, slot by slot; y may be clear.

use super::{OPERANDS, Operator, Role};
use crate::graph::Attr;
use crate::packed::types::PackedCall;

/// `packed.sub`; see the module.
pub(super) const SUB: Operator = Operator {
    name: "packed.sub",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    role: Role::Linear,
    takes: OPERANDS,
    coefficients: |_| Some(vec![Attr::Int(1), Attr::Int(-1)]),
    close: |_, inputs, target| target.sub(inputs[0], inputs[1]),
};
