//! Results that are to be shared with others than who holds the key.
//!
//! What CKKS decrypts to is the message plus an error that depends on the secret key (B. Li, D. Micciancio, ia.cr/2020/1533). Noise that is far larger than any bound
//! on the error hides it. Each coefficient gets an independent one from a discrete Gaussian of deviation
//!
//! sigma = sqrt(12 q) 2^(s/2) (B + sqrt(n) / 2)
//!
//! with q decrypted polynomials, s bits and B the bound on the error that the program promises (B. Li, D. Micciancio, M. Schultz, J. Sorrell,
//! ia.cr/2022/816). Why: let x be what is decrypted, and x' what is meant, rounded to integers. Both are integers in each coefficient, and |x - x'|_2 is at most B + sqrt(n) / 2,
//! since a bound in the canonical norm is one on the Euclidean norm of the coefficients, too (the squares at all n roots add up to n times those of the coefficients).
//! The Kullback-Leibler divergence of x + noise from x' + noise is then |x - x'|_2^2 / (2 sigma^2), exactly, at most 1 / (24 q 2^s), and q of them, each chosen after those
//! before, have at most 1 / (24 2^s). By Pinsker's inequality who sees all of them tells two worlds of equal results apart with a bias of at most
//! 2^(-s/2) / sqrt(12) more than who sees messages alone: the square of which, which is how bits of decisions are counted (D. Micciancio, M. Walter, ia.cr/2018/077), is below 2^-s.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Fewest and most bits.
const BITS: std::ops::RangeInclusive<u32> = 20..=60;
/// Most results.
const MOST: u64 = 1_000_000;

/// How many results that are decrypted under one key may be published, and how well these are to hide what they tell of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Releases {
    /// How many decryptions, each of all results of a run: 1 to 10^6.
    pub count: u64,
    /// s: 20 to 60; 30 when left out.
    #[serde(default = "usual")]
    pub statistical_bits: u32,
}

fn usual() -> u32 {
    30
}

impl Releases {
    /// So many, with the usual bits.
    pub fn new(count: u64) -> Self {
        Self { count, statistical_bits: usual() }
    }

    /// Checks what came from outside.
    ///
    /// # Errors
    /// `Parameters` for numbers that are too small or too large.
    pub fn check(self) -> Result<Self> {
        let Self { count, statistical_bits } = self;
        let wrong = |what: &str, found: String, expected: String| {
            Err(Error::Parameters { what: format!("releases, {what}"), found, expected })
        };
        if !(1..=MOST).contains(&count) {
            return wrong("count", count.to_string(), format!("1 to {MOST}"));
        }
        if !BITS.contains(&statistical_bits) {
            let expected = format!("{} to {}", BITS.start(), BITS.end());
            return wrong("statistical bits", statistical_bits.to_string(), expected);
        }
        Ok(self)
    }

    /// The noise of what is decrypted, where each time there are so many polynomials.
    pub fn flooding(self, polynomials: usize) -> Flooding {
        let log_queries = libm::log2(self.count as f64 * polynomials.max(1) as f64);
        Flooding { log_queries, bits: self.statistical_bits.into(), parties: 1 }
    }
}

impl std::fmt::Display for Releases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bits", self.count, self.statistical_bits)
    }
}

/// How much larger noise is than the errors that it hides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flooding {
    /// log2 of q.
    log_queries: f64,
    /// s.
    bits: f64,
    /// How many add such noise, each to a share of what is decrypted.
    parties: usize,
}

impl Flooding {
    /// log2 of the deviation in each of `n` coefficients, of what is off by at most 2^`error` in the canonical norm.
    pub fn log_deviation(self, n: usize, error: f64) -> f64 {
        let rounding = libm::log2(n as f64) / 2.0 - 1.0;
        let log_factor = (libm::log2(12.0) + self.log_queries + self.bits) / 2.0;
        log_factor + super::noise::sum(&[error, rounding])
    }

    /// log2 of how many values a uniform mask has to have in each of `n` coefficients, so that what it is added to, of at most 2^`bound` in the Euclidean norm, cannot be told from 0: q sqrt(n) 2^`bound` 2^s. A uniform integer among W is
    /// off from one that is shifted by d with a statistical distance of |d| / W; over the coefficients that adds up to at most sqrt(n) 2^`bound` / W, and of q polynomials all together to 2^-s.
    pub fn log_mask(self, n: usize, bound: f64) -> f64 {
        self.log_queries + self.bits + libm::log2(n as f64) / 2.0 + bound
    }

    /// log2 of how many add such noise, or a mask.
    pub fn log_parties(self) -> f64 {
        libm::log2(self.parties as f64)
    }

    /// The same noise, which each of several parties adds to its share of a decryption: any one of them alone has to hide the errors from all others.
    #[must_use]
    pub fn by(self, parties: usize) -> Self {
        Self { parties, ..self }
    }

    /// log2 of the deviation of the sum of what all parties add, where that of one is 2^`log_deviation`.
    pub fn log_total(self, log_deviation: f64) -> f64 {
        log_deviation + self.log_parties() / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_the_theorem() {
        let releases = Releases { count: 100, statistical_bits: 30 };
        let found = releases.flooding(3).log_deviation(1024, 10.0);
        let expected = (12.0 * 300.0f64).sqrt() * 32768.0 * (1024.0 + 16.0);
        assert!((found - expected.log2()).abs() < 1e-9, "{found}");
        // Four times as many results are twice the noise, as are two bits more.
        let more = [Releases { count: 400, ..releases }, Releases { statistical_bits: 32, ..releases }];
        for more in more {
            assert!((more.flooding(3).log_deviation(1024, 10.0) - found - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn masks_have_room_for_what_they_hide() {
        let releases = Releases { count: 8, statistical_bits: 30 };
        // Eight decryptions of two polynomials, 2^6 the square root of n.
        assert!((releases.flooding(2).log_mask(4096, 40.0) - (4.0 + 30.0 + 6.0 + 40.0)).abs() < 1e-9);
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(Releases::new(7).check().unwrap().statistical_bits, 30);
        for (count, statistical_bits, what) in
            [(0, 30, "count"), (MOST + 1, 30, "count"), (1, 19, "bits"), (1, 61, "bits")]
        {
            let error = Releases { count, statistical_bits }.check().unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
        let read: Releases = serde_json::from_str(r#"{"count":5}"#).unwrap();
        assert_eq!(read, Releases::new(5));
        assert!(serde_json::from_str::<Releases>(r#"{"count":5,"bits":9}"#).is_err());
    }
}
