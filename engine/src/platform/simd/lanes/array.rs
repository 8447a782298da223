//! Two doubles in an array, for any processor.

pub(super) const LANES: usize = 2;

pub(super) type Register = [f64; 2];

#[inline(always)]
fn each(a: Register, b: Register, f: impl Fn(f64, f64) -> f64) -> Register {
    [f(a[0], b[0]), f(a[1], b[1])]
}

#[inline(always)]
pub(super) fn splat(x: f64) -> Register {
    [x; 2]
}

#[inline(always)]
pub(super) fn from_bits(bits: [u64; 2]) -> Register {
    bits.map(f64::from_bits)
}

#[inline(always)]
pub(super) fn to_bits(a: Register) -> [u64; 2] {
    a.map(f64::to_bits)
}

#[inline(always)]
pub(super) fn add(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a + b)
}

#[inline(always)]
pub(super) fn sub(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a - b)
}

#[inline(always)]
pub(super) fn mul(a: Register, b: Register) -> Register {
    each(a, b, |a, b| a * b)
}

#[inline(always)]
pub(super) fn nearest(a: Register) -> Register {
    a.map(f64::round_ties_even)
}

#[inline(always)]
pub(super) fn floor(a: Register) -> Register {
    a.map(f64::floor)
}

#[cfg(any(test, target_feature = "fma"))]
#[inline(always)]
pub(super) fn madd(a: Register, b: Register, c: Register) -> Register {
    [a[0].mul_add(b[0], c[0]), a[1].mul_add(b[1], c[1])]
}

#[cfg(any(test, target_feature = "fma"))]
#[inline(always)]
pub(super) fn nmadd(a: Register, b: Register, c: Register) -> Register {
    [(-a[0]).mul_add(b[0], c[0]), (-a[1]).mul_add(b[1], c[1])]
}

#[inline(always)]
pub(super) fn or(a: Register, b: Register) -> Register {
    each(a, b, |a, b| f64::from_bits(a.to_bits() | b.to_bits()))
}

#[inline(always)]
pub(super) fn xor(a: Register, b: Register) -> Register {
    each(a, b, |a, b| f64::from_bits(a.to_bits() ^ b.to_bits()))
}

/// `b` where `a` is negative, else 0.
#[inline(always)]
pub(super) fn where_negative(a: Register, b: Register) -> Register {
    each(a, b, |a, b| if a < 0.0 { b } else { 0.0 })
}

/// `b` where `a` is at least `least`, else 0.
#[inline(always)]
pub(super) fn where_at_least(a: Register, least: Register, b: Register) -> Register {
    each(each(a, least, |a, least| f64::from(u8::from(a >= least))), b, |yes, b| yes * b)
}

/// Two blocks of four neighbors become one of the two in each lane.
#[inline(always)]
pub(super) fn transpose([a, b, c, d]: [Register; 4]) -> [Register; 4] {
    [[a[0], c[0]], [a[1], c[1]], [b[0], d[0]], [b[1], d[1]]]
}

/// The inverse of [`transpose`].
#[inline(always)]
pub(super) fn transpose_back([a, b, c, d]: [Register; 4]) -> [Register; 4] {
    [[a[0], b[0]], [c[0], d[0]], [a[1], b[1]], [c[1], d[1]]]
}
