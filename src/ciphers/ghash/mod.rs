//! GHASH, the hash of GCM (SP 800-38D): polynomials over GF(2^128), modulo x^128 + x^7 + x^2 + x + 1.
//!
//! An element is `u8[16]`: the coefficient of x^k is bit 7 - k mod 8 of byte k / 8, as the standard has it. *Memory order*
//! of bits is bit 0 of byte 0 first.

mod hash;
mod multiples;
mod multiply;
mod square;

use crate::ops::OpDef;
use std::sync::Arc;

/// The operator types of this folder.
pub(super) fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(hash::Hash),
        Arc::new(multiples::Multiples),
        Arc::new(multiply::Multiply),
        Arc::new(square::Square),
    ]
}

/// Where the coefficient of x^k lies in memory order; the other way round, too.
const fn place(k: u64) -> u64 {
    k / 8 * 8 + 7 - k % 8
}
