//! x times attribute `number`, an integer or a real number.

use super::{OPERANDS, Operator, Role};
use crate::Result;
use crate::graph::Attr;
use crate::ops::Call;

/// `packed.multiply_number`; see the module.
pub(super) const MULTIPLY_NUMBER: Operator = Operator {
    name: "packed.multiply_number",
    attributes: &["number"],
    output: |call| {
        number(call)?;
        super::one(call)
    },
    commutative: false,
    inverse: None,
    role: Role::Linear,
    takes: OPERANDS,
    coefficients: |call| number(call).ok().map(|number| vec![number.clone()]),
    close: |call, inputs, target| target.multiply_number(inputs[0], number(call)?),
};

fn number<'a>(call: &'a Call<'_>) -> Result<&'a Attr> {
    let number = call.attrs.get("number").filter(|number| matches!(number, Attr::Int(_) | Attr::Real(_)));
    number.ok_or_else(|| call.error("number", "none", "an integer or a real number"))
}
