//! CKKS (Cheon, Kim, Kim, Song, ia.cr/2016/421; in residue number systems ia.cr/2018/931) as high-order operators over RNS limbs: reals and complex
//! numbers, approximately.
//!
//! A ciphertext holds c(s) = m + e modulo Q, in either form, where m is the polynomial whose n/2 slots (`math::Embedding`) are the values times the scale,
//! a real number that is known when a graph is made, and part of the type. Values are right while |m + e| < Q / 2, and off by e / scale. `rlwe.automorphism` with g = 3^k
//! rotates slots to the left by k, with g = 2n - 1 it conjugates them. What is the same in other schemes is in `schemes::rlwe`.
//!
//! Bounds are in the canonical norm (`schemes::canonical`), of the message and of the error.

mod add_plain;
mod add_scalar;
mod adjust;
mod decode;
mod decrypt;
mod encode;
mod encrypt_public;
mod encrypt_secret;
mod multiply;
mod multiply_plain;
mod multiply_scalar;
mod release;
mod rescale;

pub use adjust::adjusted;

use super::canonical;
use super::noise;
use super::rlwe::{self, DivideExtract, RelinearizeDivide};
use crate::Result;
use crate::graph::{OperandId, Real, ValueType};
use crate::math::{FromReal, Modulus};
use crate::ops::types::{self, Ciphertext, Extract, Scheme};
use crate::ops::{Call, Noise, OpDef, Session};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add_plain::AddPlain),
        Arc::new(add_scalar::AddScalar),
        Arc::new(adjust::Adjust),
        Arc::new(decode::Decode),
        Arc::new(decrypt::Decrypt),
        Arc::new(encode::Encode),
        Arc::new(encrypt_public::EncryptPublic),
        Arc::new(encrypt_secret::EncryptSecret),
        Arc::new(multiply::Multiply),
        Arc::new(multiply_plain::MultiplyPlain),
        Arc::new(multiply_scalar::MultiplyScalar),
        Arc::new(release::Release),
        Arc::new(rescale::Rescale),
        Arc::new(RelinearizeDivide { name: "ckks.relinearize_rescale", divide: rescale::Rescale }),
        Arc::new(DivideExtract {
            name: "ckks.rescale_extract",
            divide: rescale::Rescale,
            attributes: &["keep", "scale", "stride", "conjugated", "repeats"],
        }),
    ]
}

/// Input `index`, a ciphertext of this scheme, and its scale.
fn ciphertext(call: &Call<'_>, index: usize) -> Result<(Ciphertext, Real)> {
    let ty = Ciphertext::of(call.input(index, "ciphertext")?)?;
    let scale = scale_of(call, &ty)?;
    Ok((ty, scale))
}

/// Input `index`, which is to be decrypted and of this scheme, and its scale.
fn extract(call: &Call<'_>, index: usize) -> Result<(Extract, Real)> {
    let extract = rlwe::extract_in(call, index)?;
    let scale = scale_of(call, &extract.ciphertext)?;
    Ok((extract, scale))
}

/// The scale of a ciphertext, which must be of this scheme.
fn scale_of(call: &Call<'_>, ty: &Ciphertext) -> Result<Real> {
    match ty.scheme {
        Scheme::Ckks { scale } => Ok(scale),
        other => Err(call.error("scheme of the ciphertext", other.name(), "CKKS")),
    }
}

/// The scale of input `index`, a plaintext of ring dimension `n`.
fn plain_scale(call: &Call<'_>, index: usize, n: usize) -> Result<Real> {
    let ty = call.input(index, "reals")?;
    let scale = types::scale(&ty.attrs)?;
    if ty.dim("n")? != n {
        return Err(call.error(format!("input {index}"), ty, types::reals(n, scale)));
    }
    Ok(scale)
}

/// The scale that attribute `scale` declares, or the one that was computed.
fn declared(call: &Call<'_>, computed: f64) -> Result<Real> {
    let scale = if call.attrs.get("scale").is_some() { types::scale(call.attrs)?.get() } else { computed };
    let near = computed.is_finite() && (scale - computed).abs() <= computed * libm::exp2(canonical::DECLARED);
    Real::new(scale)
        .filter(|scale| near && scale.get() > 0.0)
        .ok_or_else(|| call.error("scale", scale, format!("{computed:?}, a finite number above 0")))
}

/// As the declared scale reads it.
fn as_declared(call: &Call<'_>, of: Noise) -> Noise {
    let off = if call.attrs.get("scale").is_some() { canonical::DECLARED } else { canonical::ROUNDED };
    Noise { error: noise::sum(&[of.error, of.message + off]), ..of }
}

/// A plaintext, encrypted with that error.
fn with_error(plain: &Noise, error: f64) -> Option<Noise> {
    Some(Noise { error: noise::sum(&[plain.error, error]), ..*plain })
}

/// Every part times a double that is an integer.
fn times_integer(s: &mut Session<'_>, x: OperandId, integer: f64, output: ValueType) -> Result<OperandId> {
    rlwe::times_constants(s, x, output, |q| residue(integer, q))
}

/// A double that is an integer, modulo a prime.
fn residue(integer: f64, q: Modulus) -> u64 {
    let mut c = [0];
    FromReal::new(q).reduce_into(&mut c, &[integer.to_bits()]);
    c[0]
}
