//! The two rings of x for each other.

use super::{OPERANDS, Operator, Role};

/// `packed.swap`; see the module.
pub(super) const SWAP: Operator = Operator {
    name: "packed.swap",
    attributes: &[],
    output: |call| {
        let vector = super::one(call)?;
        if vector.frame.rings == 1 { Ok(vector) } else { Err(call.error("rings", 1, 2)) }
    },
    commutative: false,
    inverse: Some("packed.swap"),
    role: Role::Other,
    takes: OPERANDS,
    coefficients: |_| None,
    close: |_, inputs, target| target.swap(inputs[0]),
};
