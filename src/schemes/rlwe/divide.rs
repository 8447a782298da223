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
/// modulo `factor`, which has no divisor in common with the primes and may be 1. Multiples of the factor so stay multiples of it, which errors of BGV are
/// (Gentry, Halevi, Smart, ia.cr/2012/099).
///
/// With r the centered remainder modulo A, (x - r) / A is rounding, and d = r + A k for k = -r / A modulo the factor, centered:
/// the result is (x - r) / A - k. In the form of x.
///
/// # Errors
/// As `rns.scale_round`, `rns.extend` and `limb.ntt_divide`.
pub fn divide(s: &mut Session<'_>, x: OperandId, drop: &[u64], factor: u64) -> Result<OperandId> {
    divide_onto(s, x, drop, factor, None)
}

/// As [`divide`], with a polynomial added to the quotient: `added`, modulo the primes of x that stay, divided by some of those in `drop`.
///
/// # Errors
/// As [`divide`].
pub(super) fn divide_onto(
    s: &mut Session<'_>,
    x: OperandId,
    drop: &[u64],
    factor: u64,
    added: Option<(OperandId, &[u64])>,
) -> Result<OperandId> {
    let poly = Poly::of(s.ty(x))?;
    // In one order: quotients of conversions, which are sums of doubles, depend on it.
    let drop: &[u64] = &poly.q.iter().copied().filter(|q| drop.contains(q)).collect::<Vec<_>>();
    if poly.form == Form::Ntt {
        return divide_values(s, x, &poly, drop, factor, added);
    }
    let mut divided = s.op("rns.scale_round", Attrs::new().with("drop", drop).with("factor", 1u64), &[x])?;
    if factor != 1 {
        let remainder = remainder(s, x, &poly, drop)?;
        let kept = Poly::of(s.ty(divided))?.q;
        let k = correction(s, remainder, drop, factor, kept)?;
        divided = s.op("poly.sub", Attrs::new(), &[divided, k])?;
    }
    let Some((added, over)) = added else { return Ok(divided) };
    let kept = Poly::of(s.ty(divided))?;
    let mut limbs = s.limbs(added)?;
    for (limb, &q) in limbs.iter_mut().zip(&kept.q) {
        let modulus = Modulus::new(q)?;
        *limb = times(s, *limb, q, modulus.inv(modulus.product(over))?)?;
    }
    let added = s.merge(&limbs, kept.ty())?;
    s.op("poly.add", Attrs::new(), &[divided, added])
}

/// As [`divide_onto`], NTT form: d is `factor` times r / `factor` modulo A, centered, since that is 0 modulo the factor, and x modulo A, and as small.
fn divide_values(
    s: &mut Session<'_>,
    x: OperandId,
    poly: &Poly,
    drop: &[u64],
    factor: u64,
    added: Option<(OperandId, &[u64])>,
) -> Result<OperandId> {
    let remainder = remainder(s, x, poly, drop)?;
    let mut parts = s.limbs(remainder)?;
    for (limb, &q) in parts.iter_mut().zip(drop) {
        let modulus = Modulus::new(q)?;
        *limb = times(s, *limb, q, modulus.inv(modulus.reduce(factor))?)?;
    }
    let kept: Vec<u64> = poly.q.iter().copied().filter(|q| !drop.contains(q)).collect();
    // One limb is centered by whoever transforms it.
    let parts = if let [part] = parts[..] {
        vec![part; kept.len()]
    } else {
        let whole = Poly { n: poly.n, q: drop.to_vec(), form: Form::Coeff };
        let whole = s.merge(&parts, whole.ty())?;
        let extended = s.op("rns.extend", Attrs::new().with("to", kept.as_slice()), &[whole])?;
        s.limbs(extended)?
    };
    let added = match added {
        Some((added, over)) => Some((s.limbs(added)?, over)),
        None => None,
    };
    let x = s.limbs(x)?.into_iter().zip(&poly.q).filter(|(_, q)| !drop.contains(q));
    let x: Vec<OperandId> = x.map(|(limb, _)| limb).collect();
    let mut limbs = Vec::with_capacity(kept.len());
    for (index, &q) in kept.iter().enumerate() {
        let modulus = Modulus::new(q)?;
        let c = modulus.inv(modulus.product(drop))?;
        let mut attrs = Attrs::new().with("c", c).with("factor", modulus.reduce(factor));
        let mut inputs = vec![x[index], parts[index]];
        if let Some((added, over)) = &added {
            attrs = attrs.with("scale", modulus.inv(modulus.product(over))?);
            inputs.push(added[index]);
        }
        limbs.push(s.op("limb.ntt_divide", attrs, &inputs)?);
    }
    s.merge(&limbs, Poly { q: kept, ..*poly }.ty())
}

/// x modulo A, coefficient form.
fn remainder(s: &mut Session<'_>, x: OperandId, poly: &Poly, drop: &[u64]) -> Result<OperandId> {
    let mut limbs = Vec::with_capacity(drop.len());
    for (limb, q) in s.limbs(x)?.into_iter().zip(&poly.q) {
        if !drop.contains(q) {
            continue;
        }
        limbs.push(if poly.form == Form::Ntt { s.op("limb.intt", Attrs::new(), &[limb])? } else { limb });
    }
    let q = poly.q.iter().copied().filter(|q| drop.contains(q)).collect();
    s.merge(&limbs, Poly { n: poly.n, q, form: Form::Coeff }.ty())
}

/// k, modulo the primes `kept`.
fn correction(
    s: &mut Session<'_>,
    remainder: OperandId,
    drop: &[u64],
    factor: u64,
    kept: Vec<u64>,
) -> Result<OperandId> {
    let n = Poly::of(s.ty(remainder))?.n;
    let remainder = s.op("rns.extend", Attrs::new().with("to", vec![factor]), &[remainder])?;
    let modulus = Modulus::new(factor)?;
    let limb = s.retype(remainder, Limb { n, q: factor, form: Form::Coeff }.ty())?;
    let k = times(s, limb, factor, modulus.neg(modulus.inv(modulus.product(drop))?))?;
    let k = s.retype(k, Poly { n, q: vec![factor], form: Form::Coeff }.ty())?;
    s.op("rns.extend", Attrs::new().with("to", kept), &[k])
}
