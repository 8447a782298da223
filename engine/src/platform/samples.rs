//! The kernels of `sample.*`, over any way to compute the streams that they read.

use super::Kernel;
use super::scalar::kernel;
use crate::Result;
use crate::graph::ValueType;
use crate::math::sample::{Domain, KEY_STREAM, Stream, error_into, ternary_into, uniform_into, words_into};
use crate::math::{Gaussian, Modulus, swept};
use crate::ops::types::Limb;
use crate::ops::{Call, base};

/// The kernel of a sampler, whose stream `open` gives for a domain, a seed and a number; none for others.
///
/// # Errors
/// As [`super::Platform::kernel`].
pub(super) fn kernel_over<S: Stream>(
    call: &Call<'_>,
    output: &ValueType,
    open: impl Fn(Domain, &[u8; 32], u64) -> S + Copy + Send + Sync + 'static,
) -> Result<Option<Kernel>> {
    let stream = move |domain, seed: &[u64], nonce: u32| open(domain, &bytes(seed), nonce.into());
    let secret = move |seed: &[u64]| open(Domain::SecretKey, &bytes(seed), KEY_STREAM);
    Ok(Some(match call.name {
        "sample.uniform" => {
            let q = Modulus::new(Limb::of(output)?.q)?;
            kernel(move |i, out, nonce| uniform_into(out, &q, stream(Domain::PublicUniform, i[0], nonce)))?
        }
        "sample.common" => {
            let (q, (seed, stream)) = (Modulus::new(Limb::of(output)?.q)?, base::common(call)?);
            let seed = bytes(&seed);
            kernel(move |_, out, _| uniform_into(out, &q, open(Domain::PublicUniform, &seed, stream.into())))?
        }
        "sample.mask" => {
            let q = Modulus::new(Limb::of(output)?.q)?;
            kernel(move |i, out, nonce| {
                swept(|| uniform_into(out, &q, stream(Domain::SecretUniform, i[0], nonce)))
            })?
        }
        "sample.secret" => kernel(move |i, out, _| swept(|| ternary_into(out, secret(i[0]))))?,
        "sample.ternary" => kernel(move |i, out, nonce| {
            swept(|| ternary_into(out, stream(Domain::SecretTernary, i[0], nonce)))
        })?,
        "sample.error" => {
            kernel(move |i, out, nonce| swept(|| error_into(out, stream(Domain::SecretError, i[0], nonce))))?
        }
        "sample.gaussian" => {
            let gaussian = Gaussian::new(call.attrs.real("deviation")?);
            kernel(move |i, out, nonce| {
                swept(|| gaussian.fill(out, stream(Domain::SecretRelease, i[0], nonce)))
            })?
        }
        "sample.words" => {
            kernel(move |i, out, nonce| swept(|| words_into(out, stream(Domain::SecretWords, i[0], nonce))))?
        }
        _ => return Ok(None),
    }))
}

/// The bytes of a seed.
fn bytes(units: &[u64]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, unit) in bytes.chunks_exact_mut(8).zip(units) {
        chunk.copy_from_slice(&unit.to_le_bytes());
    }
    bytes
}
