//! Noise bounds of BFV and BGV, as log2 of the largest coefficient; CKKS counts in another norm (`schemes::canonical`).
//!
//! Logarithms come from one library on every target, so that parameters are chosen alike everywhere.
//!
//! A ciphertext with c(s) = round(Q m / t) + e mod Q decrypts rightly while 2 t |e| < Q. The bounds below are for
//! |e|, with the practical expansion factor delta = 2 sqrt(n) for products of ring elements of which at least one
//! is random (Kim, Polyakov, Zucca, "Revisiting Homomorphic Encryption Schemes for Finite Fields",
//! ia.cr/2021/204, section 2), ternary secrets (|s| <= 1) and errors of at most [`ERROR_BOUND`].

use crate::ops::Noise;
use crate::ops::types::{Ciphertext, SwitchingKey};

/// Largest error coefficient that is ever drawn (centered binomial, k = 21).
pub const ERROR_BOUND: f64 = 21.0;

/// A secret: a ternary polynomial of a ring, or the sum of those of several parties, who then made the keys together. What is multiplied with a sum of k independent
/// ternary polynomials, or of k errors, is bounded as with one, times sqrt(k): the deviations grow so, of which bounds take the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Ring dimension.
    pub n: usize,
    /// How many parties' it is.
    pub parties: usize,
}

impl From<usize> for Secret {
    fn from(n: usize) -> Self {
        Self { n, parties: 1 }
    }
}

impl From<&Ciphertext> for Secret {
    fn from(ty: &Ciphertext) -> Self {
        Self { n: ty.n, parties: ty.parties }
    }
}

impl From<&SwitchingKey> for Secret {
    fn from(ty: &SwitchingKey) -> Self {
        Self { n: ty.n, parties: ty.parties }
    }
}

impl Secret {
    /// How much larger a sum of as many as there are parties is.
    pub fn spread(self) -> f64 {
        libm::sqrt(self.parties as f64)
    }
}

/// What a switching key switches from: where several parties made it, its errors are larger of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switched {
    /// s^2.
    Square,
    /// s, for its images.
    Image,
}

/// The expansion factor: |a b| <= delta |a| |b| with overwhelming probability.
pub fn delta(n: usize) -> f64 {
    2.0 * libm::sqrt(n as f64)
}

/// log2(2^a + 2^b + ...); infinite where a term is, or is no number: what cannot be told is no bound.
pub fn sum(terms: &[f64]) -> f64 {
    if terms.iter().any(|term| term.is_nan()) {
        return f64::INFINITY;
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + libm::log2(terms.iter().map(|t| libm::exp2(t - largest)).sum())
}

/// Of a sum of operands.
pub fn sums(inputs: &[Noise]) -> Noise {
    let all = |part: fn(&Noise) -> f64| sum(&inputs.iter().map(part).collect::<Vec<_>>());
    Noise { message: all(|input| input.message), error: all(|input| input.error) }
}

/// Fresh, encrypted with the secret key: the error and the rounding of Q m / t.
pub fn fresh_secret() -> f64 {
    libm::log2(ERROR_BOUND + 0.5)
}

/// Fresh, encrypted with a public key: e u + e_0 + e_1 s.
pub fn fresh_public(secret: impl Into<Secret>) -> f64 {
    let secret = secret.into();
    libm::log2(ERROR_BOUND * (1.0 + 2.0 * delta(secret.n) * secret.spread()) + 0.5)
}

/// Fresh under BFV, encrypted with a public key: divided by special primes of that many bits, where there are any.
pub fn fresh_bfv(secret: impl Into<Secret>, log_special: Option<f64>) -> f64 {
    let secret = secret.into();
    log_special.map_or_else(|| fresh_public(secret), |log| fresh_public_divided(secret, log))
}

/// Fresh, encrypted with a public key, and divided by special primes of that many bits: what is left is their rounding.
pub fn fresh_public_divided(secret: impl Into<Secret>, log_special: f64) -> f64 {
    let secret = secret.into();
    sum(&[fresh_public(secret) - log_special, rounding(secret, 2), -1.0])
}

/// Rounding each of `parts` polynomials, at most three, to integers, seen through 1, s, s^2. Coefficients are off by at
/// most 1/2, uniformly; through s, of variance 2/3, that is a sum of variance n/18, of which seven standard deviations
/// are taken, since the largest of n coefficients lies beyond four; through s^2, of standard deviation about n/5, half
/// of delta^2 is more than ten. A sum of k secrets has k times the variance, its square k times the deviation.
pub fn rounding(secret: impl Into<Secret>, parts: usize) -> f64 {
    let Secret { n, parties } = secret.into();
    let k = parties as f64;
    let through = [0.5, 7.0 * libm::sqrt(n as f64 * k / 18.0), delta(n) * delta(n) * k / 2.0];
    libm::log2(through.iter().take(parts).sum())
}

/// Product of two ciphertexts, three parts, exact division by Q/t: with k_i the integer of
/// c_i(s) = Q m_i / t + e_i + Q k_i, |k_i| <= (1 + delta) / 2 (or (1 + delta + delta^2) / 2 for three parts), the
/// noise is t delta (|e_1| |k_2| + |e_2| |k_1|) + delta (|m_1| |e_2| + |m_2| |e_1|) + t/Q |e_1 e_2| + rounding. Of several parties |k_i| has delta sqrt(k) in place of delta.
pub fn multiply(secret: impl Into<Secret>, t: u64, log_q: f64, first: f64, second: f64) -> f64 {
    let secret = secret.into();
    let (d, t) = (delta(secret.n), t as f64);
    let wrap = libm::log2(t * d * (1.0 + d * secret.spread()) / 2.0 + d * t / 2.0);
    sum(&[
        wrap + first,
        wrap + second,
        libm::log2(t) + libm::log2(d) + first + second - log_q,
        rounding(secret, 3),
    ])
}

/// Largest error of a switching key, over its factor. Of k parties it is a sum of k errors; from s^2 s e_0 + u e_1 + e_2 + e_3 (`joint`), each a sum of k, u as large as s,
/// whose deviation is sqrt(2 k (1 + 2/3 n k)) times that of one error.
pub fn key_error(secret: impl Into<Secret>, from: Switched) -> f64 {
    let secret = secret.into();
    let (n, k) = (secret.n as f64, secret.parties as f64);
    match from {
        Switched::Square if secret.parties > 1 => {
            ERROR_BOUND * libm::sqrt(2.0 * k * (1.0 + 2.0 * n * k / 3.0))
        }
        _ => ERROR_BOUND * secret.spread(),
    }
}

/// What key switching adds: digits of up to 2^`log_digit`, each times key errors, divided by the special primes, and rounding, to multiples of `factor`.
pub fn key_switch(
    secret: impl Into<Secret>,
    digits: usize,
    error: f64,
    log_digit: f64,
    log_special: f64,
    factor: u64,
) -> f64 {
    let secret = secret.into();
    let inner = libm::log2(digits as f64 * delta(secret.n) * error) + log_digit - log_special;
    sum(&[inner, division(secret, 2, factor)])
}

/// What dividing `parts` polynomials adds, rounded to multiples of `factor`, a plaintext modulus or 1: a coefficient is off by at most
/// factor / 2 where that is not 1, on top of the rounding.
pub fn division(secret: impl Into<Secret>, parts: usize, factor: u64) -> f64 {
    let steps = if factor == 1 { 1.0 } else { factor as f64 + 1.0 };
    rounding(secret, parts) + libm::log2(steps)
}

/// A ciphertext of BFV with that error at its first `keep` primes; none where it has no more.
pub fn switched_bfv(ty: &Ciphertext, error: f64, keep: usize) -> Option<f64> {
    Some(sum(&[error - log2(ty.q.get(keep..)?), rounding(ty, ty.parts), -1.0]))
}

/// The same of BGV, message and all.
pub fn switched_bgv(ty: &Ciphertext, t: u64, error: f64, keep: usize) -> Option<f64> {
    Some(sum(&[error - log2(ty.q.get(keep..)?), division(ty, ty.parts, t)]))
}

/// Product with a plaintext polynomial of coefficients up to t/2. The worst case, n t/2: neither factor is random when
/// a known plaintext is multiplied in again and again.
pub fn multiply_plain(n: usize, t: u64, noise: f64) -> f64 {
    sum(&[noise + libm::log2(n as f64 * t as f64 / 2.0), 0.0])
}

/// Bits left before decryption fails: log2(Q / (2 t |e|)).
pub fn budget(t: u64, log_q: f64, noise: f64) -> f64 {
    log_q - 1.0 - libm::log2(t as f64) - noise
}

/// Fresh under BGV, message and all: as [`fresh_public`], with errors that are multiples of 2^log_factor; divided by special primes of that many bits
/// where there are any. `log_factor` is log2 of t or of a multiple.
pub fn fresh_bgv(secret: impl Into<Secret>, t: u64, log_factor: f64, log_special: Option<f64>) -> f64 {
    let secret = secret.into();
    let errors = fresh_public(secret) + log_factor;
    let errors = log_special.map_or(errors, |log| sum(&[errors - log, division(secret, 2, t)]));
    sum(&[errors, log2(&[t]) - 1.0])
}

/// Of a sum of k fresh errors: 21 sqrt(2 k), which is 9.1 deviations, and where it is two the most that there can be.
fn fresh_sum(secret: Secret) -> f64 {
    ERROR_BOUND * libm::sqrt(2.0) * secret.spread()
}

/// Refreshed under BFV by k parties (`joint`): a sum of k fresh errors, and the roundings of the message and of k masks. What errors there were is gone.
pub fn refreshed_bfv(secret: impl Into<Secret>) -> f64 {
    let secret = secret.into();
    libm::log2(fresh_sum(secret) + (secret.parties + 1) as f64 / 2.0)
}

/// Refreshed under BGV by k parties, message and all: the message with all masks, and the masks, are centered one by one, so that t is left over up to (k + 1) / 2 times.
pub fn refreshed_bgv(secret: impl Into<Secret>, t: u64) -> f64 {
    let secret = secret.into();
    log2(&[t]) + libm::log2(fresh_sum(secret) + (secret.parties + 1) as f64 / 2.0)
}

/// Bits left before decryption under BGV fails: log2(Q / (2 |f m + t e|)).
pub fn budget_bgv(log_q: f64, noise: f64) -> f64 {
    log_q - 1.0 - noise
}

/// log2 of a product of primes.
pub fn log2(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| libm::log2(q as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_bounded_where_nothing_else_is_noise() {
        // The largest of n sums of n products of a uniform error and a ternary secret, for many secrets.
        let (n, mut state) = (1024, 1u64);
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut largest = 0f64;
        for _ in 0..20_000 {
            let sum: f64 = (0..n).map(|_| (random() - 0.5) * ((random() * 3.0).floor() - 1.0)).sum();
            largest = largest.max(sum.abs() + 0.5);
        }
        let bound = libm::exp2(rounding(n, 2));
        assert!(largest > delta(n) / 2.0 * 0.85 && largest < 0.8 * bound, "{largest}, bound {bound}");
    }

    #[test]
    fn sums_of_logarithms() {
        assert!((sum(&[3.0, 3.0]) - 4.0).abs() < 1e-12);
        assert!((sum(&[10.0, f64::NEG_INFINITY]) - 10.0).abs() < 1e-12);
        assert_eq!(sum(&[]), f64::NEG_INFINITY);
    }
}
