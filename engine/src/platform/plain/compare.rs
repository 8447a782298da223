//! Comparisons: 0 or 1, in unsigned integers of the same width.

use super::arithmetic::two;
use super::element::Number;
use super::rows::Rows;
use super::{Use, bits, by_number, typed};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `eq`, `ne`, `lt`, `le`.
pub(super) fn kernel(uses: &Use, operation: &str) -> Option<Kernel> {
    if uses.element == Element::Bit {
        let f: fn([&[u8]; 2], &mut [u8]) = match operation {
            "eq" => |i, out| two(i, out, |a, b| !(a ^ b)),
            "ne" => |i, out| two(i, out, |a, b| a ^ b),
            "lt" => |i, out| two(i, out, |a, b| !a & b),
            "le" => |i, out| two(i, out, |a, b| !a | b),
            _ => return None,
        };
        return bits::packed(&uses.inputs, &uses.out, f);
    }
    by_number!(uses.element, T => number::<T>(uses, operation))
}

fn number<T: Number>(uses: &Use, operation: &str) -> Option<Kernel> {
    let f: fn([&[T]; 2], &mut [T::Bits]) = match operation {
        "eq" => |i, out| two(i, out, |a, b| T::flag(a == b)),
        "ne" => |i, out| two(i, out, |a, b| T::flag(a != b)),
        "lt" => |i, out| two(i, out, |a, b| T::flag(a < b)),
        "le" => |i, out| two(i, out, |a, b| T::flag(a <= b)),
        _ => return None,
    };
    let [a, b] = uses.inputs.as_slice() else { return None };
    let rows = Rows::new(&uses.out.shape, [&a.shape, &b.shape]);
    typed(move |inputs: &[&[T]], out: &mut [T::Bits]| rows.map([inputs[0], inputs[1]], out, f))
}
