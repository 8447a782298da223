//! Remainder: out = a - b trunc(a / b), with the sign of a. Shapes broadcast as NumPy's do.
//!
//! Integers: a % 0 is a, MIN % -1 is 0. Floats: exact; a % 0 and inf % b are NaN, a % inf is a; a result
//! of 0 has the sign of a.

use super::{Cost, NUMBERS, Operation, shapes};

/// `rem`; see the module.
pub(super) const REM: Operation = Operation {
    name: "rem",
    elements: NUMBERS,
    output: shapes::elementwise::<2>,
    attributes: &[],
    commutative: false,
    cost: Cost::Each(2.0),
};
