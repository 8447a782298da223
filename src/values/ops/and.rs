//! Whether both are 1, cell by cell, of booleans of one shape.

use super::arithmetic::zip;
use super::logic::{growing, near, pair};
use super::{PRIMITIVE, Primitive};
use crate::values::Squared;
use crate::values::types::Kind;

/// `value.and`; see the module.
pub(super) const AND: Primitive = Primitive {
    name: "value.and",
    output: pair,
    range: |call, inputs| growing(call, inputs, Ord::min),
    exact: |call, inputs| zip(call, Kind::Boolean, inputs, |a, b| Ok(a.min(b).clone())),
    near: |call, inputs| near(call, inputs, |a, b| a & b),
    commutative: true,
    associative: true,
    squared: |_| Some(Squared::Operand),
    lower: |_, x, l| l.packer.multiply(&x[0].cells, &x[1].cells),
    ..PRIMITIVE
};
