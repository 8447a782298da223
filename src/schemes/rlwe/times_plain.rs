//! The product of a ciphertext and a plaintext, which is the same under all schemes.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::Session;
use crate::ops::types::{Ciphertext, Form};

/// Every part times the plaintext, centered.
///
/// # Errors
/// `Graph` for what is no ciphertext or plaintext.
pub fn times_plain(
    s: &mut Session<'_>,
    ciphertext: OperandId,
    plain: OperandId,
    output: ValueType,
) -> Result<OperandId> {
    let ty = Ciphertext::of(&output)?;
    let lifted = s.op("rlwe.lift_plain", Attrs::new().with("q", ty.q.as_slice()), &[plain])?;
    let lifted = s.op("poly.ntt", Attrs::new(), &[lifted])?;
    let lifted = s.limbs(lifted)?;
    let mut limbs = Vec::new();
    for part in s.parts(ciphertext)? {
        for ((limb, &lifted), &q) in s.limbs(part)?.into_iter().zip(&lifted).zip(&ty.q) {
            limbs.push(if ty.form == Form::Ntt {
                s.op("limb.mul", Attrs::new(), &[limb, lifted])?
            } else {
                let attrs = Attrs::new().with("q", q).with("outputs", 1u64);
                s.op("limb.convolve", attrs, &[limb, lifted])?
            });
        }
    }
    s.merge(&limbs, output)
}
