//! Whether one of two is 1, or both, cell by cell, of booleans of one shape.

use super::arithmetic::zip;
use super::logic::{growing, near, pair};
use super::{PRIMITIVE, Primitive};
use crate::values::Squared;
use crate::values::types::Kind;

/// `value.or`; see the module.
pub(super) const OR: Primitive = Primitive {
    name: "value.or",
    output: pair,
    range: |call, inputs| growing(call, inputs, Ord::max),
    exact: |call, inputs| zip(call, Kind::Boolean, inputs, |a, b| Ok(a.max(b).clone())),
    near: |call, inputs| near(call, inputs, |a, b| a | b),
    commutative: true,
    associative: true,
    squared: |_| Some(Squared::Operand),
    lower: |_, x, l| {
        let both = l.packer.multiply(&x[0].cells, &x[1].cells)?;
        // One of them is encrypted: that comes first.
        let (a, b) = if x[0].is_clear() { (&x[1], &x[0]) } else { (&x[0], &x[1]) };
        let rest = l.packer.sub(&a.cells, &both)?;
        l.packer.add(&rest, &b.cells)
    },
    ..PRIMITIVE
};
