//! Noise bounds of CKKS: log2 of the largest value at a root of X^n + 1, which is what a slot is off by, times the scale (the canonical norm, Gentry,
//! Halevi, Smart, ia.cr/2012/099, appendix A.5).
//!
//! A polynomial whose coefficients are independent, centered and of variance v has at a root a value that is close to normal, of variance n v; |value|^2 /
//! (n v) is exponential, and all n/2 slots are below 6.5 sqrt(n v) but with probability n/2 e^-42 < 2^-45. The norm of a product is at most that of one
//! factor times that of the other, whatever these have in common.

use super::noise::{ERROR_BOUND, Secret, Switched, log2, sum};
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
pub fn fresh_public(secret: impl Into<Secret>, log_special: Option<f64>) -> f64 {
    let secret = secret.into();
    let Secret { n, parties } = secret;
    // e of the key, and s, are sums of as many as there are parties.
    let product = product_of_random(n, ERROR_VARIANCE * parties as f64, TERNARY_VARIANCE);
    let fresh = sum(&[product, product, random(n, ERROR_VARIANCE)]);
    log_special.map_or(fresh, |log| sum(&[fresh - log, rounding(secret, 2)]))
}

/// What refreshing by k parties (`joint`) adds: k fresh errors.
pub fn refreshed(secret: impl Into<Secret>) -> f64 {
    let Secret { n, parties } = secret.into();
    random(n, ERROR_VARIANCE * parties as f64)
}

/// Noise of a deviation of 2^`log_deviation` in each coefficient.
pub fn released(n: usize, log_deviation: f64) -> f64 {
    random(n, 1.0) + log_deviation
}

/// Rounding each of `parts` polynomials, seen through 1, s, s^2.
pub fn rounding(secret: impl Into<Secret>, parts: usize) -> f64 {
    let Secret { n, parties } = secret.into();
    let variance = TERNARY_VARIANCE * parties as f64;
    let secret = random(n, variance);
    let through_secret = product_of_random(n, ROUNDING_VARIANCE, variance);
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

/// What switching with a key adds: digits, which are uniform and centered, times key errors, divided by the special primes, and rounding. Of several parties an error is a sum
/// of theirs, from s^2 s e_0 + u e_1 + e_2 + e_3, each a sum, of which the products are bounded first.
pub fn key_switch(key: &SwitchingKey, from: Switched) -> f64 {
    let (n, parties) = (key.n, key.parties as f64);
    let errors = ERROR_VARIANCE * parties;
    let times_digit = match from {
        Switched::Square if key.parties > 1 => {
            let product = product_of_random(n, TERNARY_VARIANCE * parties, errors);
            random(n, ROUNDING_VARIANCE) + sum(&[product, product, random(n, 2.0 * errors)])
        }
        _ => product_of_random(n, ROUNDING_VARIANCE, errors),
    };
    let digit = |d: usize| log2(&key.q[key.digit_range(d)]) + times_digit;
    let digits: Vec<f64> = (0..key.digits()).map(digit).collect();
    let errors = sum(&digits) + log2(&[key.factor]) - log2(&key.special);
    sum(&[errors, rounding(key, 2)])
}
