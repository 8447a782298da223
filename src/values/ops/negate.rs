//! -x, cell by cell, of numbers.

use super::arithmetic::{map, one};
use super::{PRIMITIVE, Primitive};
use crate::values::types::ValueCall;

/// `value.negate`; see the module.
pub(super) const NEGATE: Primitive = Primitive {
    name: "value.negate",
    output: |call| {
        call.arity(1)?;
        call.number(0)
    },
    range: |call, inputs| one(call, inputs).map(|x| x.range.negative()),
    exact: |call, inputs| map(call, inputs, |x| Ok(-x)),
    linear_in: |_| vec![0],
    lower: |_, x, l| l.packer.negate(&x[0].cells),
    ..PRIMITIVE
};
