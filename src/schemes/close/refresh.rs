//! What a result becomes that the parties of its key refresh together (`crate::joint`), and with what they hide it meanwhile: said by each scheme's rules ([`super::Rules::refresh`]).

use super::Chain;
use crate::ops::Noise;
use crate::ops::types::Ciphertext;
use crate::schemes::noise;

/// Most bits of a base of masks: what double-precision kernels can serve.
const BASE_BITS: f64 = 49.0;

/// A result, refreshed.
#[derive(Clone, Debug, PartialEq)]
pub struct Refresh {
    /// The base of the digits that the mask of each party is made of, and how many these are.
    pub mask: (u64, usize),
    /// log2 of the deviation of the noise that each adds to what is opened meanwhile, where masks do not hide errors, too.
    pub deviation: Option<f64>,
    /// The primes that the fresh ciphertext has first: it is [adjusted](crate::schemes::ckks) to those of `ty` where these are fewer.
    pub wide: Vec<u64>,
    /// What comes of it.
    pub ty: Ciphertext,
    /// Bounds on its message and error.
    pub noise: Noise,
    /// The same of what is opened meanwhile, with all masks and all noise.
    pub told: Noise,
}

impl Chain {
    /// All primes: those of ciphertexts, then the special ones.
    pub fn wide(&self) -> Vec<u64> {
        [self.q.as_slice(), &self.special].concat()
    }
}

/// Base and number of digits of masks of at least 2^`bits` values: the base is odd, so that they are centered.
pub fn digits(bits: f64) -> (u64, usize) {
    let count = (bits / BASE_BITS).ceil().max(1.0);
    // Rounded up, and some: what was computed on doubles is right to far more than that.
    let least = (libm::exp2(bits / count) * (1.0 + 1e-9)).ceil().max(2.0) as u64;
    (least | 1, count as usize)
}

/// log2 of the largest coefficient of the sum of 2^`log_parties` masks.
pub fn masks((base, count): (u64, usize), log_parties: f64) -> f64 {
    noise::log2(&[base]) * count as f64 - 1.0 + log_parties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_as_many_values_as_they_need() {
        for bits in [1.0, 20.5, 48.9, 49.0, 49.1, 81.3, 160.0] {
            let (base, count) = digits(bits);
            let found = noise::log2(&[base]) * count as f64;
            assert!(base % 2 == 1 && base < 1 << 50, "{base}");
            assert!(found >= bits && found < bits + 2.0 * count as f64, "{bits}: {found}");
            assert!((masks((base, count), 3.0) - found - 2.0).abs() < 1e-9);
        }
    }
}
