//! Division by some of the primes, as switching to a smaller modulus and key switching need it.

use super::times;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::Session;
use crate::ops::types::{Ciphertext, Form, Limb, Poly};

/// Every part of a ciphertext, divided by the primes that `output` does not have; see [`divide`].
///
/// # Errors
/// As [`divide`].
pub fn divide_parts(s: &mut Session<'_>, x: OperandId, factor: u64, output: ValueType) -> Result<OperandId> {
    let (ty, keep) = (Ciphertext::of(s.ty(x))?, Ciphertext::of(&output)?.q.len());
    let mut parts = Vec::with_capacity(ty.parts);
    for part in s.parts(x)? {
        parts.push(divide(s, part, &ty.q[keep..], factor)?);
    }
    s.merge(&parts, output)
}

/// (x - d) / A modulo the other primes, A the product of the primes in `drop`, where d = x modulo A is the remainder that is 0
/// modulo `factor`, a prime of its own or 1. Multiples of the factor so stay multiples of it, which errors of BGV are
/// (Gentry, Halevi, Smart, ia.cr/2012/099).
///
/// With r the centered remainder modulo A, (x - r) / A is rounding, and d = r + A k for k = -r / A modulo the factor, centered:
/// the result is (x - r) / A - k. Coefficient form.
///
/// # Errors
/// As `rns.scale_round` and `rns.extend`.
pub fn divide(s: &mut Session<'_>, x: OperandId, drop: &[u64], factor: u64) -> Result<OperandId> {
    let rounded = s.op("rns.scale_round", Attrs::new().with("drop", drop).with("factor", 1u64), &[x])?;
    if factor == 1 {
        return Ok(rounded);
    }
    let poly = Poly::of(s.ty(x))?;
    let limbs: Vec<OperandId> = s
        .limbs(x)?
        .into_iter()
        .zip(&poly.q)
        .filter(|(_, q)| drop.contains(q))
        .map(|(limb, _)| limb)
        .collect();
    let dropped = poly.q.iter().copied().filter(|q| drop.contains(q)).collect();
    let remainder = s.merge(&limbs, Poly { q: dropped, ..poly.clone() }.ty())?;
    let remainder = s.op("rns.extend", Attrs::new().with("to", vec![factor]), &[remainder])?;
    let modulus = Modulus::new(factor)?;
    let product = drop.iter().fold(1, |product, &q| modulus.mul(product, modulus.reduce(q)));
    let limb = s.retype(remainder, Limb { n: poly.n, q: factor, form: Form::Coeff }.ty())?;
    let k = times(s, limb, factor, modulus.neg(modulus.inv(product)?))?;
    let k = s.retype(k, Poly { q: vec![factor], ..poly }.ty())?;
    let kept = Poly::of(s.ty(rounded))?.q;
    let k = s.op("rns.extend", Attrs::new().with("to", kept), &[k])?;
    s.op("poly.sub", Attrs::new(), &[rounded, k])
}
