//! Noise bounds of CKKS: log2 of the largest value at a root of X^n + 1, which is what a slot is off by, times the scale (the canonical norm, Gentry,
//! Halevi, Smart, ia.cr/2012/099, appendix A.5).
//!
//! A polynomial whose coefficients are independent, centered and of variance v has at a root a value that is close to normal, of variance n v; |value|^2 /
//! (n v) is exponential, and all n/2 slots are below 6.5 sqrt(n v) but with probability n/2 e^-42 < 2^-45. The norm of a product is at most that of one
//! factor times that of the other, whatever these have in common.

use super::noise::{ERROR_BOUND, log2, sum};
use crate::ops::Noise;
use crate::ops::types::SwitchingKey;

/// So many standard deviations.
const DEVIATIONS: f64 = 6.5;
/// The same for products of two that are independent: |a b| of two such values is above t deviations of both with probability 2 t K_1(2 t), which is below
/// 2^-57 for t = 21.
const OF_PRODUCTS: f64 = 21.0;
/// Of the centered binomial distribution with k = 21.
const ERROR_VARIANCE: f64 = ERROR_BOUND / 2.0;
/// Of secrets, and of what public keys are multiplied with.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;
/// Of rounding to integers.
const ROUNDING_VARIANCE: f64 = 1.0 / 12.0;
/// log2 of the largest relative error of a transform on doubles.
const DOUBLE: f64 = -47.0;
/// log2 of how far a scale that was computed on doubles may be from the one that is.
pub const ROUNDED: f64 = -51.0;
/// log2 of how far a scale that is declared may be from the one that is.
pub const DECLARED: f64 = -45.0;

fn random(n: usize, variance: f64) -> f64 {
    libm::log2(DEVIATIONS * libm::sqrt(n as f64 * variance))
}

/// A product of two random polynomials that are independent.
fn product_of_random(n: usize, variance: f64, other: f64) -> f64 {
    libm::log2(OF_PRODUCTS * n as f64 * libm::sqrt(variance * other))
}

/// Slots, as rounded coefficients.
pub fn encoded(n: usize, log_scale: f64, slots: Noise) -> Noise {
    let message = slots.message + log_scale;
    Noise { message, error: sum(&[slots.error + log_scale, rounded(n), message + DOUBLE]) }
}

/// What rounding coefficients makes slots off by.
pub fn rounded(n: usize) -> f64 {
    random(n, ROUNDING_VARIANCE)
}

/// Coefficients, as slots.
pub fn decoded(log_scale: f64, of: Noise) -> Noise {
    let message = of.message - log_scale;
    Noise { message, error: sum(&[of.error - log_scale, message + DOUBLE]) }
}

/// An encryption of zero with the secret key: e.
pub fn fresh_secret(n: usize) -> f64 {
    random(n, ERROR_VARIANCE)
}

/// An encryption of zero with a public key: e u + e_0 + e_1 s; divided by special primes of that many bits, where there are any.
pub fn fresh_public(n: usize, log_special: Option<f64>) -> f64 {
    let product = product_of_random(n, ERROR_VARIANCE, TERNARY_VARIANCE);
    let fresh = sum(&[product, product, random(n, ERROR_VARIANCE)]);
    log_special.map_or(fresh, |log| sum(&[fresh - log, rounding(n, 2)]))
}

/// Noise of a deviation of 2^`log_deviation` in each coefficient.
pub fn released(n: usize, log_deviation: f64) -> f64 {
    random(n, 1.0) + log_deviation
}

/// Rounding each of `parts` polynomials, seen through 1, s, s^2.
pub fn rounding(n: usize, parts: usize) -> f64 {
    let secret = random(n, TERNARY_VARIANCE);
    let through_secret = product_of_random(n, ROUNDING_VARIANCE, TERNARY_VARIANCE);
    let term = |power| match power {
        0 => random(n, ROUNDING_VARIANCE),
        power => through_secret + secret * (power - 1) as f64,
    };
    sum(&(0..parts).map(term).collect::<Vec<f64>>())
}

/// Product of two operands.
pub fn product(a: Noise, b: Noise) -> Noise {
    Noise {
        message: a.message + b.message,
        error: sum(&[a.message + b.error, a.error + b.message, a.error + b.error]),
    }
}

/// What switching with a key adds: digits, which are uniform and centered, times key errors, divided by the special primes, and rounding.
pub fn key_switch(key: &SwitchingKey) -> f64 {
    let n = key.n;
    let digit =
        |d: usize| log2(&key.q[key.digit_range(d)]) + product_of_random(n, ROUNDING_VARIANCE, ERROR_VARIANCE);
    let digits: Vec<f64> = (0..key.digits()).map(digit).collect();
    let errors = sum(&digits) + log2(&[key.factor]) - log2(&key.special);
    sum(&[errors, rounding(n, 2)])
}
