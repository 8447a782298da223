//! What of a ring lies in the subring of an extract, before it is decrypted and after.

use super::{plain_limb, times};
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::prime::primitive_root;
use crate::ops::Session;
use crate::ops::types::Extract;
use crate::{Error, Result};

/// What of a limb in coefficient form lies in the subring of an extract: sums over images that this stays the same under, but for what is divided by `stride`.
///
/// # Errors
/// `Graph` for what is no limb.
pub fn in_subring(s: &mut Session<'_>, limb: OperandId, extract: &Extract) -> Result<OperandId> {
    let mut limb = limb;
    if extract.stride > 1 {
        limb = s.op("limb.decimate", Attrs::new().with("stride", extract.stride), &[limb])?;
    }
    if extract.conjugated {
        let g = 2 * extract.kept() as u64 - 1;
        let other = s.op("limb.automorphism", Attrs::new().with("g", g), &[limb])?;
        limb = s.op("limb.add", Attrs::new(), &[limb, other])?;
    }
    Ok(limb)
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
    let g = subring_root(n, ty.n, &t)?;
    let limb = if g == 1 { limb } else { s.op("limb.automorphism", Attrs::new().with("g", g), &[limb])? };
    s.retype(limb, output)
}

/// Slots of a ring are values at powers of the root that its transform is made with: the g with which X^g at that of the subring is Y = X^(n / kept) at that of the ring.
fn subring_root(n: usize, kept: usize, t: &Modulus) -> Result<u64> {
    if n == kept {
        return Ok(1);
    }
    let root = t.pow(primitive_root(2 * n as u64, t)?, (n / kept) as u64);
    let own = primitive_root(2 * kept as u64, t)?;
    let square = t.mul(own, own);
    let powers = std::iter::successors(Some(own), |&power| Some(t.mul(power, square)));
    let found = powers.take(kept).position(|power| power == root);
    Ok(2 * found.ok_or(Error::Job("powers of a primitive root are all of them"))? as u64 + 1)
}
