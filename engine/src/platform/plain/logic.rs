//! Logic, shifts and choice, element by element.

use super::arithmetic::{binary, one, two, unary};
use super::element::{Integer, Number};
use super::rows::Rows;
use super::{Use, bits, by_integer, by_width, typed, unsigned};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `and`, `or`, `xor`, `not`, `shl`, `shr`, `rotl`, `select`.
pub(super) fn kernel(uses: &Use, operation: &str) -> Option<Kernel> {
    match (operation, uses.element) {
        ("select", Element::Bit) => {
            bits::packed(&uses.inputs, &uses.out, |i, out| three(i, out, |c: u8, a, b| c & a | !c & b))
        }
        ("select", element) => by_width!(element, T => select::<T>(uses)),
        ("not", Element::Bit) => bits::packed(&uses.inputs, &uses.out, |[a], out| one(a, out, |a: u8| !a)),
        (_, Element::Bit) => {
            let f: fn([&[u8]; 2], &mut [u8]) = match operation {
                "and" => |i, out| two(i, out, |a, b| a & b),
                "or" => |i, out| two(i, out, |a, b| a | b),
                "xor" => |i, out| two(i, out, |a, b| a ^ b),
                _ => return None,
            };
            bits::packed(&uses.inputs, &uses.out, f)
        }
        ("shr", element) => by_integer!(element, T => binary::<T>(uses, |i, out| two(i, out, T::shr))),
        (_, element) => by_integer!(unsigned(element), T => integer::<T>(uses, operation)),
    }
}

fn integer<T: Integer>(uses: &Use, operation: &str) -> Option<Kernel> {
    match operation {
        "and" => binary::<T>(uses, |i, out| two(i, out, T::and)),
        "or" => binary::<T>(uses, |i, out| two(i, out, T::or)),
        "xor" => binary::<T>(uses, |i, out| two(i, out, T::xor)),
        "shl" => binary::<T>(uses, |i, out| two(i, out, T::shl)),
        "rotl" => binary::<T>(uses, |i, out| two(i, out, T::rotl)),
        "not" => unary(T::not),
        _ => None,
    }
}

fn select<T: Number>(uses: &Use) -> Option<Kernel> {
    let [c, a, b] = uses.inputs.as_slice() else { return None };
    let rows = Rows::new(&uses.out.shape, [&c.shape, &a.shape, &b.shape]);
    typed(move |i: &[&[T]], out: &mut [T]| {
        rows.map([i[0], i[1], i[2]], out, |i, out| {
            three(i, out, |c, a, b| if c == T::ZERO { b } else { a });
        });
    })
}

/// Triples of elements.
fn three<T: Copy>([c, a, b]: [&[T]; 3], out: &mut [T], f: impl Fn(T, T, T) -> T) {
    for (((out, &c), &a), &b) in out.iter_mut().zip(c).zip(a).zip(b) {
        *out = f(c, a, b);
    }
}
