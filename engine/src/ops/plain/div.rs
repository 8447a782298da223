//! Quotient: out = a / b. Shapes broadcast as NumPy's do.
//!
//! Integers truncate towards 0; a / 0 is all ones (-1 of signed ones), MIN / -1 is MIN. Floats round to
//! nearest even; a / 0 is an infinity, 0 / 0 NaN.

use super::{Cost, NUMBERS, Operation, shapes};

/// `div`; see the module.
pub(super) const DIV: Operation = Operation {
    name: "div",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(1.0),
};
