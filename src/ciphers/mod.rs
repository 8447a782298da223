//! Block ciphers as high-order operators on plain data: AES with its modes, and the hash of GCM.
//!
//! Everything goes in and comes out as tensors of `u8`, in graphs of unit 8 or 1. The unit chooses what operators expand
//! to, since it says what the smallest piece is: in unit 8 bytes, the S-box as a look-up (`u8.gather`); in unit 1 single
//! bits, the S-box as a circuit of XOR and AND. An attribute would have to be handed down through every operator, and
//! views of single bits exist in unit 1 only. Many blocks are one tensor, so that each operator is one call of a kernel for
//! all of them.
//!
//! Look-ups take a time that depends on what the processor's cache holds, and so on keys and data; circuits of bits do not.
//!
//! Room rule: expands into operators on plain data; knows no platform and no lattice.

mod aes;
mod call;
mod ghash;
mod logic;

use crate::ops::OpDef;
use std::sync::Arc;

/// The operator types of this room.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    [aes::all(), ghash::all()].concat()
}
