//! x + y, slot by slot; y may be clear.

use super::{OPERANDS, Operator, Role};
use crate::graph::Attr;
use crate::packed::types::PackedCall;

/// `packed.add`; see the module.
pub(super) const ADD: Operator = Operator {
    name: "packed.add",
    attributes: &[],
    output: |call| call.with_any(),
    commutative: false,
    inverse: None,
    role: Role::Sum,
    takes: OPERANDS,
    coefficients: |_| Some(vec![Attr::Int(1), Attr::Int(1)]),
    close: |_, inputs, target| target.add(inputs[0], inputs[1]),
};
