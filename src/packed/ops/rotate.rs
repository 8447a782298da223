//! The slots of each ring of x turned to the left, by attribute `steps`, 1 to one less than a ring has: out[i] = x[i + steps].

use super::{OPERANDS, Operator, Role};

/// `packed.rotate`; see the module.
pub(super) const ROTATE: Operator = Operator {
    name: "packed.rotate",
    attributes: &["steps"],
    output: |call| {
        let (vector, steps) = (super::one(call)?, call.attrs.uint("steps")?);
        let slots = 1 << vector.frame.ring;
        if (1..slots).contains(&steps) {
            Ok(vector)
        } else {
            Err(call.error("steps", steps, format!("1 to {}", slots - 1)))
        }
    },
    commutative: false,
    inverse: None,
    role: Role::Turn,
    takes: OPERANDS,
    coefficients: |_| None,
    close: |call, inputs, target| target.rotate(inputs[0], call.attrs.uint("steps")?),
};
