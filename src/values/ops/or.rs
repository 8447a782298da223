//! Whether one of two is 1, or both, cell by cell, of booleans of one shape.

use super::arithmetic::zip;
use super::logic::{growing, pair};
use super::{PRIMITIVE, Primitive};
use crate::values::Squared;
use crate::values::types::Kind;

/// `value.or`; see the module.
pub(super) const OR: Primitive = Primitive {
    name: "value.or",
    output: pair,
    range: |call, inputs| growing(call, inputs, Ord::max),
    exact: |call, inputs| zip(call, Kind::Boolean, inputs, |a, b| Ok(a.max(b).clone())),
    commutative: true,
    associative: true,
    squared: |_| Some(Squared::Operand),
    ..PRIMITIVE
};
