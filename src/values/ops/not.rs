//! 1 - x, cell by cell, of booleans.

use super::arithmetic::{map, map_near, one};
use super::logic::boolean;
use super::{PRIMITIVE, Primitive};
use crate::values::number::Number;
use crate::values::range::Range;
use crate::values::types::ValueCall;

/// `value.not`; see the module.
pub(super) const NOT: Primitive = Primitive {
    name: "value.not",
    output: |call| {
        call.arity(1)?;
        boolean(call, 0)
    },
    range: |call, inputs| Ok(Range::Integers { min: 1, max: 1 }.sum(one(call, inputs)?.range.negative())),
    exact: |call, inputs| map(call, inputs, |x| Ok(&Number::ONE - x)),
    near: |call, inputs| map_near(call, inputs, |x, off| Ok((&Number::ONE - x, off))).map(Some),
    lower: |call, x, l| l.packer.sub(&l.number(&Number::ONE, &call.value(0)?)?, &x[0].cells),
    ..PRIMITIVE
};
