//! Numbers, no graph: one modulus, transforms, residue number systems, sampling, cells on their way to slots.
//!
//! Everything here works on slices of `u64` residues, one *limb* (one prime) at a time. Slice operations
//! expect slices of one length and write to an output distinct from the inputs; lengths are the caller's
//! contract and are checked in debug builds only, while every constructor checks its arguments and returns a
//! [`MathError`].

mod base_change;
pub mod bits;
pub mod cells;
pub mod checksum;
pub mod doubles;
mod embedding;
mod gaussian;
pub mod limbs;
pub mod ntt;
pub mod prime;
mod reals;
pub mod rns;
pub mod sample;
pub mod slots;
mod stack;
pub mod tanh;
mod wide;
pub mod zq;

pub use base_change::{BaseChange, Source, Target};
pub use embedding::Embedding;
pub use gaussian::Gaussian;
pub use ntt::NttTable;
pub use reals::{FromReal, ToReal};
pub use rns::{Conversion, CrtConstants, Norm, Quotient};
pub use sample::{Domain, Seed};
pub use stack::swept;
pub use zq::Modulus;

/// What can be wrong with the numbers that a parameter set asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MathError {
    /// A modulus outside the range that the arithmetic supports.
    #[error("modulus out of range: found {found}, expected 2 <= q < 2^61")]
    ModulusRange {
        /// The modulus asked for.
        found: u64,
    },
    /// No inverse exists, because value and modulus share a factor.
    #[error("{value} has no inverse modulo {modulus}: found gcd {gcd}, expected 1")]
    NotInvertible {
        /// The value to invert, in `[0, modulus)`.
        value: u64,
        /// The modulus.
        modulus: u64,
        /// Their greatest common divisor.
        gcd: u64,
    },
    /// A modulus that has to be prime is not.
    #[error("modulus is not prime: found {found}")]
    NotPrime {
        /// The modulus given.
        found: u64,
    },
    /// A ring degree that is not a power of two in the supported range.
    #[error("ring degree: found {found}, expected a power of two from 2 to 131072")]
    Degree {
        /// The degree given.
        found: usize,
    },
    /// A prime size outside the supported range.
    #[error("prime size: found {found} bits, expected 10 to 61")]
    PrimeBits {
        /// The size asked for, in bits.
        found: u32,
    },
    /// The range `(2^(bits-1), 2^bits)` holds too few primes `p = 1 mod 2n`.
    #[error("primes of {bits} bits for ring degree {degree}: found {found}, expected {expected}")]
    NotEnoughPrimes {
        /// Size of the primes in bits.
        bits: u32,
        /// Ring degree `n`.
        degree: usize,
        /// How many there are.
        found: usize,
        /// How many were asked for.
        expected: usize,
    },
    /// The modulus has no primitive root of unity of this order.
    #[error(
        "no primitive root of unity: found order {order}, expected a power of two up to 262144 that \
             divides {modulus} - 1"
    )]
    NoRoot {
        /// Order of the root asked for.
        order: u64,
        /// The prime modulus.
        modulus: u64,
    },
    /// A residue number system without a modulus.
    #[error("residue number system: found no modulus, expected at least one")]
    NoModuli,
    /// The platform's source of randomness failed.
    #[error("platform randomness: {reason}")]
    Randomness {
        /// What the platform said.
        reason: getrandom::Error,
    },
}

/// Checks that a ring degree is a power of two from 2 to [`ntt::MAX_DEGREE`].
pub(crate) fn check_degree(found: usize) -> Result<(), MathError> {
    if found.is_power_of_two() && (2..=ntt::MAX_DEGREE).contains(&found) {
        Ok(())
    } else {
        Err(MathError::Degree { found })
    }
}
