//! Models of operations on single elements, given as bits: integers are computed as `i128`, floats as `f64` and rounded.
//! (Rounding a sum, difference, product, quotient or root of `f32` to `f64` first does not change what `f32` it becomes.)

use crate::math::tanh::tanh;
use crate::ops::plain::total;
use crate::ops::tensor::Element;
use std::cmp::Ordering;

/// The number that an integer's bits stand for.
pub(super) fn int(element: Element, bits: u64) -> i128 {
    let signed = matches!(element, Element::I32 | Element::I64);
    let negative = signed && bits >> (element.bits() - 1) == 1;
    i128::from(bits) - if negative { 1 << element.bits() } else { 0 }
}

/// The bits of an integer that wraps.
pub(super) fn wrap(element: Element, x: i128) -> u64 {
    x.rem_euclid(1 << element.bits()) as u64
}

/// The number that a float's bits stand for.
pub(super) fn float(element: Element, bits: u64) -> f64 {
    if element == Element::F32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// The bits of the nearest float.
pub(super) fn round(element: Element, x: f64) -> u64 {
    if element == Element::F32 { u64::from((x as f32).to_bits()) } else { x.to_bits() }
}

/// An operation on one element.
pub(super) fn one(op: &str, element: Element, a: u64) -> u64 {
    if element.is_float() {
        let (x, f32) = (float(element, a), element == Element::F32);
        let single = |f: fn(f32) -> f32| u64::from(f(x as f32).to_bits());
        return match op {
            "neg" => a ^ 1 << (element.bits() - 1),
            "abs" => a & !(1 << (element.bits() - 1)),
            "sqrt" => round(element, x.sqrt()),
            "exp" if f32 => single(libm::expf),
            "log" if f32 => single(libm::logf),
            "tanh" if f32 => single(tanh),
            "exp" => libm::exp(x).to_bits(),
            "log" => libm::log(x).to_bits(),
            _ => libm::tanh(x).to_bits(),
        };
    }
    let x = int(element, a);
    match op {
        "neg" => wrap(element, -x),
        "abs" => wrap(element, x.abs()),
        _ => wrap(element, -1 - x),
    }
}

/// An operation on two elements.
pub(super) fn two(op: &str, element: Element, a: u64, b: u64) -> u64 {
    if element.is_float() { floats(op, element, a, b) } else { integers(op, element, a, b) }
}

fn integers(op: &str, element: Element, a: u64, b: u64) -> u64 {
    let (x, y, width) = (int(element, a), int(element, b), i128::from(element.bits()));
    let by = y.rem_euclid(width) as u32;
    let value = match op {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x.wrapping_mul(y),
        "div" if y == 0 => -1,
        "div" => x / y,
        "rem" if y == 0 => x,
        "rem" => x % y,
        "min" => x.min(y),
        "max" => x.max(y),
        "and" => return a & b,
        "or" => return a | b,
        "xor" => return a ^ b,
        "shl" => x << by,
        "shr" => x.div_euclid(1 << by),
        "rotl" => {
            let bit = |i: u32| (a >> i & 1) << ((i + by) % width as u32);
            return (0..width as u32).map(bit).sum();
        }
        "eq" => i128::from(x == y),
        "ne" => i128::from(x != y),
        "lt" => i128::from(x < y),
        _ => i128::from(x <= y),
    };
    wrap(element, value)
}

fn floats(op: &str, element: Element, a: u64, b: u64) -> u64 {
    let (x, y) = (float(element, a), float(element, b));
    let value = match op {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "div" => x / y,
        "rem" => x % y,
        "min" | "max" if x.is_nan() || y.is_nan() => f64::NAN,
        "min" => return if below(x, y) { a } else { b },
        "max" => return if below(x, y) { b } else { a },
        "eq" => return u64::from(x == y),
        "ne" => return u64::from(x != y),
        "lt" => return u64::from(x < y),
        _ => return u64::from(x <= y),
    };
    round(element, value)
}

/// -0 below +0, for what is no NaN.
fn below(x: f64, y: f64) -> bool {
    x < y || x == y && x.is_sign_negative() && !y.is_sign_negative()
}

/// The order of `sort`.
pub(super) fn order(element: Element, a: u64, b: u64) -> Ordering {
    if !element.is_float() {
        return int(element, a).cmp(&int(element, b));
    }
    let (x, y) = (float(element, a), float(element, b));
    match (x.is_nan(), y.is_nan()) {
        (false, false) => below(y, x).cmp(&below(x, y)),
        (a, b) => a.cmp(&b),
    }
}

/// An element as another one.
pub(super) fn convert(from: Element, to: Element, bits: u64) -> u64 {
    if !from.is_float() {
        let x = int(from, bits);
        return match to {
            Element::Bit => u64::from(x != 0),
            Element::F32 => u64::from((x as f32).to_bits()),
            Element::F64 => (x as f64).to_bits(),
            _ => wrap(to, x),
        };
    }
    let x = float(from, bits);
    match to {
        Element::Bit => u64::from(x != 0.0),
        Element::F32 | Element::F64 => round(to, x),
        _ if x.is_nan() => 0,
        _ => {
            let signed = matches!(to, Element::I32 | Element::I64);
            let low = if signed { -(1i128 << (to.bits() - 1)) } else { 0 };
            let high = low + (1 << to.bits()) - 1;
            let whole = x.trunc();
            let value = if whole <= low as f64 {
                low
            } else if whole >= (high + 1) as f64 {
                high
            } else {
                whole as i128
            };
            wrap(to, value)
        }
    }
}

/// All elements of a line in one, as `sum`, `product` and the other reductions do.
pub(super) fn reduce(op: &str, element: Element, line: &[u64]) -> u64 {
    let (name, start) = match op {
        "sum" => ("add", 0),
        "product" => ("mul", 1),
        _ => {
            let name = op.trim_start_matches("reduce_");
            return line[1..].iter().fold(line[0], |a, &b| two(name, element, a, b));
        }
    };
    if !element.is_float() {
        let values = line.iter().map(|&a| wrap(total(element), int(element, a)));
        return values.fold(start, |a, b| two(name, total(element), a, b));
    }
    let f = |a: u64, b: u64| two(name, element, a, b);
    let start = round(element, start as f64);
    let block = |block: &[u64]| {
        let part = |r: usize| block.iter().skip(r).step_by(8).fold(start, |a, &b| f(a, b));
        f(f(f(part(0), part(1)), f(part(2), part(3))), f(f(part(4), part(5)), f(part(6), part(7))))
    };
    let mut blocks: Vec<u64> = line.chunks(1024).map(block).collect();
    while blocks.len() > 1 {
        blocks = blocks
            .chunks(2)
            .map(|pair| if pair.len() == 2 { f(pair[0], pair[1]) } else { pair[0] })
            .collect();
    }
    blocks[0]
}

/// Where the smallest or largest element of a line stands.
pub(super) fn place(op: &str, element: Element, line: &[u64]) -> u64 {
    let best = reduce(if op == "argmin" { "reduce_min" } else { "reduce_max" }, element, line);
    let nan = |bits: u64| element.is_float() && float(element, bits).is_nan();
    let is_best = |&bits: &u64| bits == best || nan(bits) && nan(best);
    line.iter().position(is_best).unwrap_or(usize::MAX) as u64
}

/// Running results of a line.
pub(super) fn scan(of: &str, element: Element, line: &[u64]) -> Vec<u64> {
    let to = total(element);
    let name = match of {
        "sum" => "add",
        "product" => "mul",
        other => other,
    };
    let own = |&bits: &u64| if to.is_float() { bits } else { wrap(to, int(element, bits)) };
    let mut running = own(&line[0]);
    let rest = line[1..].iter().map(own).map(|next| {
        running = two(name, to, running, next);
        running
    });
    [own(&line[0])].into_iter().chain(rest.collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        use Element::{F32, F64, I32, I64, U8};
        let i = |x: i32| u64::from(x.cast_unsigned());
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(two("div", I32, i(-7), i(2)), i(-3));
        assert_eq!(two("rem", I32, i(-7), i(2)), i(-1));
        assert_eq!(two("div", I32, i(i32::MIN), i(-1)), i(i32::MIN));
        assert_eq!(two("div", U8, 5, 0), 255);
        assert_eq!(two("shr", I64, i64::MIN.cast_unsigned(), 63), u64::MAX);
        assert_eq!(two("shl", U8, 3, 9), 6);
        assert_eq!(two("rotl", U8, 0x81, 1), 0x03);
        assert_eq!(two("min", F32, f(0.0), f(-0.0)), f(-0.0));
        assert_eq!(two("max", F32, f(-0.0), f(0.0)), f(0.0));
        assert_eq!(two("add", F32, f(16_777_216.0), f(1.0)), f(16_777_216.0));
        assert_eq!(convert(F32, U8, f(-3.7)), 0);
        assert_eq!(convert(F32, U8, f(300.0)), 255);
        assert_eq!(convert(F64, I32, (-2.9f64).to_bits()), i(-2));
        assert_eq!(convert(I64, U8, 0x1ff), 255);
        assert_eq!(place("argmin", F32, &[f(0.0), f(-0.0), f(-0.0)]), 1);
        assert_eq!(place("argmax", F32, &[f(1.0), f(f32::NAN), f(9.0)]), 1);
        assert_eq!(reduce("sum", U8, &[255, 255]), 510);
        assert_eq!(scan("min", I32, &[i(3), i(-2), i(5)]), [3, 2u64.wrapping_neg(), 2u64.wrapping_neg()]);
    }

    #[test]
    fn functions_are_near_those_of_the_standard_library() {
        for x in [-700.0f64, -3.25, -1e-9, 0.5, 1.0, 2.0, 19.0, 300.0] {
            for (op, known) in [("exp", f64::exp as fn(f64) -> f64), ("log", f64::ln), ("tanh", f64::tanh)] {
                let (found, known) = (f64::from_bits(one(op, Element::F64, x.to_bits())), known(x));
                let near = (found - known).abs() <= 1e-15 * known.abs() || found.is_nan() && known.is_nan();
                assert!(near, "{op} {x}: {found}, {known}");
                let found = f32::from_bits(one(op, Element::F32, (x as f32).to_bits().into()) as u32);
                let known = if op == "log" { f64::from(x as f32).ln() } else { known } as f32;
                let near = (found - known).abs() <= 3e-7 * known.abs() || found == known;
                assert!(near || found.is_nan() && known.is_nan(), "{op} {x}: {found}, {known}");
            }
        }
    }
}
