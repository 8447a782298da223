//! What of a ring lies in the subring of an extract, before it is decrypted and after.

use super::{plain_limb, times};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::slots::subring_root;
use crate::ops::Session;
use crate::ops::types::{Extract, Form, Limb};

/// What of a limb lies in the subring of an extract, coefficient form: sums over images that this stays the same under, but for what is divided by `stride`.
///
/// # Errors
/// `Graph` for what is no limb.
pub fn in_subring(s: &mut Session<'_>, limb: OperandId, extract: &Extract) -> Result<OperandId> {
    let limb = coefficients(s, limb, extract)?;
    with_image(s, limb, extract)
}

/// The coefficients of a limb that lie in the subring of Y = X^stride.
///
/// # Errors
/// As [`in_subring`].
pub fn coefficients(s: &mut Session<'_>, limb: OperandId, extract: &Extract) -> Result<OperandId> {
    let mut limb = limb;
    let form = Limb::of(s.ty(limb))?.form;
    if extract.stride > 1 {
        let op = if form == Form::Ntt { "limb.fold" } else { "limb.decimate" };
        limb = s.op(op, Attrs::new().with("stride", extract.stride), &[limb])?;
    }
    if form == Form::Ntt {
        limb = s.op("limb.intt", Attrs::new(), &[limb])?;
    }
    Ok(limb)
}

/// The same and its conjugate, where an extract adds them up.
///
/// # Errors
/// As [`in_subring`].
pub fn with_image(s: &mut Session<'_>, limb: OperandId, extract: &Extract) -> Result<OperandId> {
    if !extract.conjugated {
        return Ok(limb);
    }
    let g = 2 * extract.kept() as u64 - 1;
    let other = s.op("limb.automorphism", Attrs::new().with("g", g), &[limb])?;
    s.op("limb.add", Attrs::new(), &[limb, other])
}

/// A polynomial modulo t that was decrypted in a subring of the ring of dimension `n`, or in all of it, and is `factor` times the message, as a plaintext: `slots.decode`
/// of it gives the slots of the subring.
///
/// # Errors
/// `Graph` for what is no plaintext; `Math` for a factor that is no unit.
pub fn decrypted(
    s: &mut Session<'_>,
    message: OperandId,
    factor: u64,
    n: usize,
    output: ValueType,
) -> Result<OperandId> {
    let ty = plain_limb(&output)?;
    let t = Modulus::new(ty.q)?;
    let limb = s.retype(message, ty.ty())?;
    let limb = times(s, limb, ty.q, t.inv(factor)?)?;
    let g = if n == ty.n { 1 } else { subring_root(n, ty.n, &t)? };
    let limb = if g == 1 { limb } else { s.op("limb.automorphism", Attrs::new().with("g", g), &[limb])? };
    s.retype(limb, output)
}
