//! BFV (Brakerski, ia.cr/2012/078; Fan and Vercauteren, ia.cr/2012/144) as high-order operators over RNS limbs.
//!
//! A ciphertext holds c(s) = round(Q m / t) + e modulo Q, in either form, with slots by batching (`schemes::slots`). Fresh ones are in coefficient form. What is the
//! same in other schemes is in `schemes::rlwe`.

mod add_plain;
mod decrypt;
mod encrypt_public;
mod encrypt_secret;
mod mod_switch;
mod multiply;
mod multiply_plain;
mod noise;
mod scale_plain;

pub use multiply::{auxiliary_primes, enough};

use super::rlwe::{self, DivideExtract, RelinearizeDivide};
use crate::Result;
use crate::ops::types::{Ciphertext, Extract, Scheme};
use crate::ops::{Call, OpDef};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add_plain::AddPlain),
        Arc::new(decrypt::Decrypt),
        Arc::new(encrypt_public::EncryptPublic),
        Arc::new(encrypt_secret::EncryptSecret),
        Arc::new(mod_switch::ModSwitch),
        Arc::new(multiply::Multiply),
        Arc::new(multiply_plain::MultiplyPlain),
        Arc::new(noise::Noise),
        Arc::new(RelinearizeDivide { name: "bfv.relinearize_switch", divide: mod_switch::ModSwitch }),
        Arc::new(DivideExtract {
            name: "bfv.switch_extract",
            divide: mod_switch::ModSwitch,
            attributes: &["keep", "stride", "conjugated", "repeats"],
        }),
        Arc::new(scale_plain::ScalePlain),
    ]
}

/// Input `index`, a ciphertext of this scheme, and its plaintext modulus.
fn ciphertext(call: &Call<'_>, index: usize) -> Result<(Ciphertext, u64)> {
    of_scheme(call, Ciphertext::of(call.input(index, "ciphertext")?)?)
}

/// Input `index`, which is to be decrypted and of this scheme, and its plaintext modulus.
fn extract(call: &Call<'_>, index: usize) -> Result<(Extract, u64)> {
    let extract = rlwe::extract_in(call, index)?;
    let (_, t) = of_scheme(call, extract.ciphertext.clone())?;
    Ok((extract, t))
}

/// A ciphertext, which must be of this scheme, and its plaintext modulus.
fn of_scheme(call: &Call<'_>, ty: Ciphertext) -> Result<(Ciphertext, u64)> {
    match ty.scheme {
        Scheme::Bfv { t } => Ok((ty, t)),
        _ => Err(call.error("scheme of the ciphertext", ty.scheme.name(), "BFV")),
    }
}
