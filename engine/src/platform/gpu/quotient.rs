//! `rns.quotient`: a rounded sum of doubles, which WGSL lacks. So doubles are computed here as they are defined, of 53 bits and an exponent, each product and each
//! sum rounded to the nearest, the even one of two; nothing of them is negative, infinite or subnormal.

use super::{Constants, Shader, each_word};
use crate::Result;
use crate::graph::ValueType;
use crate::ops::Call;

const REALS: &str = r"
// m 2^e, with m of 53 bits, or 0.
struct Real { m: Word, e: i32 }

// By less than 64.
fn right(a: Word, by: u32) -> Word {
  if (by == 0u) { return a; }
  if (by >= 32u) { return Word(a.y >> (by - 32u), 0u); }
  return Word((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
fn left(a: Word, by: u32) -> Word {
  if (by == 0u) { return a; }
  if (by >= 32u) { return Word(0u, a.x << (by - 32u)); }
  return Word(a.x << by, (a.y << by) | (a.x >> (32u - by)));
}
fn any_below(a: Word, by: u32) -> bool { return any(left(right(a, by), by) != a); }
fn length(a: Word) -> u32 {
  if (a.y != 0u) { return 64u - countLeadingZeros(a.y); }
  return 32u - countLeadingZeros(a.x);
}

// Of m 2^e and, where `rest` is true, a little more; then m has more than 53 bits.
fn rounded(m: Word, e: i32, rest: bool) -> Real {
  let bits = length(m);
  if (bits == 0u) { return Real(m, 0); }
  if (bits <= 53u) { return Real(left(m, 53u - bits), e - i32(53u - bits)); }
  let by = bits - 53u;
  var kept = right(m, by);
  let half = (right(m, by - 1u).x & 1u) == 1u;
  if (half && (rest || any_below(m, by - 1u) || (kept.x & 1u) == 1u)) { kept = add(kept, Word(1u, 0u)); }
  if (kept.y == 0x200000u) { return Real(Word(0u, 0x100000u), e + i32(by) + 1); }
  return Real(kept, e + i32(by));
}
fn times(a: Real, b: Real) -> Real {
  let low = mul_low(a.m, b.m);
  let high = left(mul_high(a.m, b.m), 22u);
  return rounded(high | right(low, 42u), a.e + b.e + 42, any_below(low, 42u));
}
fn plus(a: Real, b: Real) -> Real {
  if (all(a.m == Word())) { return b; }
  if (all(b.m == Word())) { return a; }
  var large = a;
  var small = b;
  if (a.e < b.e) {
    large = b;
    small = a;
  }
  let by = u32(large.e - small.e);
  let guarded = left(small.m, 10u);
  var other = Word();
  var rest = true;
  if (by < 64u) {
    other = right(guarded, by);
    rest = any_below(guarded, by);
  }
  return rounded(add(left(large.m, 10u), other), large.e - 10, rest);
}
";

pub(super) fn shader(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    let mut constants = Constants::default();
    for index in 0..call.inputs.len() {
        let (mantissa, exponent) = parts(1.0 / call.limb(index)?.q as f64);
        constants = constants.with(mantissa).with(u64::from(exponent.cast_unsigned()));
    }
    let body = format!(
        "  var sum = Real(Word(), 0);
  for (var k = 0u; k < {}u; k++) {{
    let reciprocal = Real(number(r, 2u * k), bitcast<i32>(number(r, 2u * k + 1u).x));
    sum = plus(sum, times(rounded(load(r, k, i), 0, false), reciprocal));
  }}
  let above = plus(sum, Real(Word(0u, 0x100000u), -53));
  store(r, i, right(above.m, u32(-above.e)));",
        call.inputs.len()
    );
    let shader = each_word(call, output.dim("n")?, constants, Vec::new(), &body);
    Ok(Shader { source: shader.source + REALS, ..shader })
}

/// A normal double above 0 as m 2^e, with m of 53 bits.
fn parts(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    ((bits & ((1 << 52) - 1)) | 1 << 52, (bits >> 52) as i32 - 1075)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_double_in_its_parts() {
        for x in [1.0, 0.5, 3.0, 1.0 / 257.0, 1.0 / (((1u64 << 61) - 1) as f64)] {
            let (m, e) = super::parts(x);
            assert!(m >> 52 == 1 && m as f64 * libm::exp2(f64::from(e)) == x, "{x}");
        }
    }
}
