//! BGV (Brakerski, Gentry, Vaikuntanathan, ia.cr/2011/277; Gentry, Halevi, Smart, ia.cr/2012/099) as high-order operators over RNS limbs.
//!
//! A ciphertext holds c(s) = f m + t e modulo Q, in either form, with slots by batching (`schemes::slots`); m is exact while
//! |f m + t e| < Q / 2. The factor f is known when a graph is made, and part of the type. Keys need errors that are multiples of t (attribute
//! `factor` of `rlwe.public_key` and `rlwe.switching_key`). What is the same in other schemes is in `schemes::rlwe`.
//!
//! Noise is bounded as log2 of the largest coefficient of c(s), message and all.

mod add_plain;
mod adjust;
mod decrypt;
mod encrypt_public;
mod encrypt_secret;
mod mod_switch;
mod multiply;
mod multiply_number;
mod multiply_plain;
mod noise;

use super::noise as bounds;
use super::rlwe::{self, DivideExtract, RelinearizeDivide};
use crate::Result;
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Extract, Scheme};
use crate::ops::{Call, OpDef};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add_plain::AddPlain),
        Arc::new(adjust::Adjust),
        Arc::new(decrypt::Decrypt),
        Arc::new(encrypt_public::EncryptPublic),
        Arc::new(encrypt_secret::EncryptSecret),
        Arc::new(mod_switch::ModSwitch),
        Arc::new(multiply::Multiply),
        Arc::new(multiply_number::MultiplyNumber),
        Arc::new(multiply_plain::MultiplyPlain),
        Arc::new(noise::Noise),
        Arc::new(RelinearizeDivide { name: "bgv.relinearize_switch", divide: mod_switch::ModSwitch }),
        Arc::new(DivideExtract {
            name: "bgv.switch_extract",
            divide: mod_switch::ModSwitch,
            attributes: &["keep", "stride", "conjugated", "repeats"],
        }),
    ]
}

/// Input `index`, a ciphertext of this scheme, its plaintext modulus and its factor.
fn ciphertext(call: &Call<'_>, index: usize) -> Result<(Ciphertext, u64, u64)> {
    of_scheme(call, Ciphertext::of(call.input(index, "ciphertext")?)?)
}

/// Input `index`, which is to be decrypted and of this scheme, its plaintext modulus and its factor.
fn extract(call: &Call<'_>, index: usize) -> Result<(Extract, u64, u64)> {
    let extract = rlwe::extract_in(call, index)?;
    let (_, t, factor) = of_scheme(call, extract.ciphertext.clone())?;
    Ok((extract, t, factor))
}

/// A ciphertext, which must be of this scheme, its plaintext modulus and its factor.
fn of_scheme(call: &Call<'_>, ty: Ciphertext) -> Result<(Ciphertext, u64, u64)> {
    match ty.scheme {
        Scheme::Bgv { t, factor } => Ok((ty, t, factor)),
        _ => Err(call.error("scheme of the ciphertext", ty.scheme.name(), "BGV")),
    }
}

/// The factor of a ciphertext, once it is switched to its first `keep` primes.
pub(super) fn switched_factor(ty: &Ciphertext, t: u64, factor: u64, keep: usize) -> Result<u64> {
    let modulus = Modulus::new(t)?;
    let dropped = ty.q.get(keep..).unwrap_or_default();
    dropped.iter().try_fold(factor, |factor, &q| Ok(modulus.mul(factor, modulus.inv(modulus.reduce(q))?)))
}

/// What a ciphertext of that factor is multiplied with to have another one, centered modulo t.
pub(super) fn multiplier(t: u64, from: u64, to: u64) -> Result<i64> {
    let modulus = Modulus::new(t)?;
    let c = modulus.mul(to, modulus.inv(from)?);
    Ok(if c > t / 2 { -((t - c) as i64) } else { c as i64 })
}

/// Fresh, encrypted with the secret key: |m + t e|.
pub fn fresh_secret(t: u64) -> f64 {
    bounds::sum(&[bounds::log2(&[t]) + libm::log2(bounds::ERROR_BOUND), message(t)])
}

/// log2 of the largest coefficient of a message, centered.
fn message(t: u64) -> f64 {
    bounds::log2(&[t]) - 1.0
}
