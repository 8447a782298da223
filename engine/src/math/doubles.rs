//! Doubles nearest to exact numbers.

use num_bigint::BigInt;
use std::cmp::Ordering;

/// Digits of a decimal beyond which no further one but 0 matters, and then which one it is does not: in the middle
/// between two doubles are no numbers of more than 768.
const DIGITS: usize = 800;

/// The double nearest to a decimal, as `str::parse` gives it: digits, with a sign, a point and an exponent or without. It
/// needs none of that one's tables, which are 13 kB of each module. None for what is no number, and for exponents of more
/// than 64 bits.
pub fn parse(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, part].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let (kept, rest) = significant.split_at(significant.len().min(DIGITS));
    let inexact = rest.bytes().any(|digit| digit != b'0');
    let exponent = exponent.saturating_add(rest.len() as i64 - part.len() as i64);
    let value = scaled(kept.parse().unwrap_or_default(), inexact, kept.len() as i64, exponent);
    Some(if negative { -value } else { value })
}

/// The double nearest to (n + r) 10^exponent for n of so many digits, the first one not 0; r as in [`nearest`].
fn scaled(n: BigInt, inexact: bool, digits: i64, exponent: i64) -> f64 {
    // The largest double has 309 digits, the smallest one begins after 323 zeros.
    match digits.saturating_add(exponent) {
        _ if digits == 0 => 0.0,
        310.. => f64::INFINITY,
        ..-330 => 0.0,
        _ => {
            let power = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
            if exponent >= 0 {
                return nearest(&(n * power), inexact, 0);
            }
            let shift = (66 + power.bits() as i64 - n.bits() as i64).max(0);
            let shifted = n << shift;
            let quotient = &shifted / &power;
            let inexact = inexact || &quotient * power != shifted;
            nearest(&quotient, inexact, -shift)
        }
    }
}

/// The binary64 nearest to (q + r) 2^exponent with r = 0, or 0 < r < 1 if `inexact`; an inexact q has at least 55 bits, so that
/// r breaks ties only.
pub fn nearest(q: &BigInt, inexact: bool, exponent: i64) -> f64 {
    let bits = q.bits() as i64;
    // 53 bits are kept; fewer below 2^-1022, where doubles end at 2^-1074.
    let drop = (bits - 53).max(-1074 - exponent).max(0);
    let mut kept = u64::try_from(q >> drop).unwrap_or(0);
    if drop > 0 {
        let rest = q - (BigInt::from(kept) << drop);
        let half = BigInt::from(1) << (drop - 1);
        let up = match rest.cmp(&half) {
            Ordering::Greater => true,
            Ordering::Equal => inexact || kept & 1 == 1,
            Ordering::Less => false,
        };
        kept += u64::from(up);
    }
    times_power_of_two(kept as f64, exponent + drop)
}

/// x 2^k for k of at least -1074, of which the result is a binary64, or beyond the largest: two steps, since 2^k alone may be
/// too large or too small.
pub fn times_power_of_two(x: f64, k: i64) -> f64 {
    let power = |k: i64| f64::from_bits(((k + 1023) as u64) << 52);
    let k = k.clamp(-1074, 2000);
    x * power(k / 2) * power(k - k / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(text: &str) {
        let (found, expected) = (parse(text).unwrap(), text.parse::<f64>().unwrap());
        assert_eq!(found.to_bits(), expected.to_bits(), "{text}: {found:e}, expected {expected:e}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn doubles_are_read_as_they_were_written(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                same(&value.to_string());
                same(&format!("{value:e}"));
                same(&format!("{value:.30e}"));
            }
        }

        #[test]
        fn decimals_are_rounded_as_the_standard_library_does(text in "[+-]?([0-9]{1,40}\\.?[0-9]{0,40}|\\.[0-9]{1,40})(e[+-]?[0-9]{1,3})?") {
            same(&text);
        }
    }

    #[test]
    fn ends_and_middles_are_rounded_right() {
        let middle = format!("{:.1100}", f64::from_bits(1));
        let ends = [
            "0",
            "-0",
            "0e999",
            "1e309",
            "-1e400",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "5e-324",
            "2e-324",
        ];
        let ties = [
            "9007199254740993",
            "9007199254740993.0",
            "9007199254740993.00000000000000000000001",
            "2.4703282292062327e-324",
        ];
        let long = format!("9007199254740993.{}1", "0".repeat(2000));
        let large = format!("1{}e-2000", "0".repeat(2000));
        ends.iter().chain(&ties).for_each(|text| same(text));
        [&middle, &long, &large].into_iter().for_each(|text| same(text));
        for wrong in
            ["", "-", ".", "e5", "1e", "1.2.3", "+-1", "1 ", "inf", "nan", "0x1", "1e99999999999999999999"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
