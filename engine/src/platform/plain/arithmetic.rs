//! Numbers to numbers, element by element.

use super::element::{Float, Number};
use super::rows::Rows;
use super::{Use, by_number, typed, unsigned};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `add`, `sub`, `mul`, `div`, `rem`, `neg`, `abs`, `min`, `max`, `sqrt`, `exp`, `log`, `tanh`.
pub(super) fn kernel(uses: &Use, operation: &str) -> Option<Kernel> {
    match (operation, uses.element) {
        ("sqrt" | "exp" | "log" | "tanh", Element::F32) => float::<f32>(operation),
        ("sqrt" | "exp" | "log" | "tanh", Element::F64) => float::<f64>(operation),
        ("add" | "sub" | "mul" | "neg", element) => {
            by_number!(unsigned(element), T => wrapping::<T>(uses, operation))
        }
        (_, element) => by_number!(element, T => number::<T>(uses, operation)),
    }
}

fn wrapping<T: Number>(uses: &Use, operation: &str) -> Option<Kernel> {
    match operation {
        "add" => binary::<T>(uses, |i, out| two(i, out, T::add)),
        "sub" => binary::<T>(uses, |i, out| two(i, out, T::sub)),
        "mul" => binary::<T>(uses, |i, out| two(i, out, T::mul)),
        _ => unary(T::neg),
    }
}

fn number<T: Number>(uses: &Use, operation: &str) -> Option<Kernel> {
    match operation {
        "div" => binary::<T>(uses, |i, out| two(i, out, T::div)),
        "rem" => binary::<T>(uses, |i, out| two(i, out, T::rem)),
        "min" => binary::<T>(uses, T::min_all),
        "max" => binary::<T>(uses, T::max_all),
        "abs" => unary(T::abs),
        _ => None,
    }
}

fn float<T: Float>(operation: &str) -> Option<Kernel> {
    match operation {
        "sqrt" => unary(T::sqrt),
        "exp" => unary(T::exp),
        "log" => unary(T::log),
        "tanh" => typed(|inputs: &[&[T]], out: &mut [T]| T::tanh_all(inputs[0], out)),
        _ => None,
    }
}

/// Every element of the first input.
pub(super) fn unary<T: Number>(f: impl Fn(T) -> T + Copy + Send + Sync + 'static) -> Option<Kernel> {
    typed(move |inputs: &[&[T]], out: &mut [T]| one(inputs[0], out, f))
}

/// Elements by themselves.
#[inline]
pub(super) fn one<T: Copy, R>(a: &[T], out: &mut [R], f: impl Fn(T) -> R) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

/// Pairs of elements.
#[inline]
pub(super) fn two<T: Copy, R>([a, b]: [&[T]; 2], out: &mut [R], f: impl Fn(T, T) -> R) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

/// Two inputs that broadcast.
pub(super) fn binary<T: Number>(uses: &Use, f: fn([&[T]; 2], &mut [T])) -> Option<Kernel> {
    let [a, b] = uses.inputs.as_slice() else { return None };
    let rows = Rows::new(&uses.out.shape, [&a.shape, &b.shape]);
    typed(move |inputs: &[&[T]], out: &mut [T]| rows.map([inputs[0], inputs[1]], out, f))
}
