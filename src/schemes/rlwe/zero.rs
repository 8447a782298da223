//! What all schemes encrypt with: errors that are multiples of a factor, under the secret key or a public one.

use super::{divide, secret_limbs, times};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::types::{self, Ciphertext, Form, Limb, Poly};
use crate::ops::{Call, Session};

/// A message, encrypted with the secret key: (m + factor e - a s, a), a uniform, as a ciphertext of that type. `message`: a polynomial in coefficient form modulo its primes;
/// `seeds`: a public one (for a) and a secret one (for e).
///
/// # Errors
/// `Operator` for a prime that the key lacks.
pub fn fresh_secret(
    s: &mut Session<'_>,
    secret: OperandId,
    message: OperandId,
    ty: &Ciphertext,
    [public_seed, secret_seed]: [OperandId; 2],
) -> Result<OperandId> {
    let secret = secret_limbs(s, secret, &ty.q)?;
    let (n, factor) = (ty.n, ty.scheme.error_factor());
    let error = s.op("sample.error", Attrs::new().with("n", n), &[secret_seed])?;
    let (mut c0, mut c1) = (Vec::with_capacity(ty.q.len()), Vec::with_capacity(ty.q.len()));
    for (index, (&q, &secret)) in ty.q.iter().zip(&secret).enumerate() {
        let a = s.op("sample.uniform", Attrs::new().with("n", n).with("q", q), &[public_seed])?;
        let product = s.op("limb.mul", Attrs::new(), &[a, secret])?;
        let error = s.op("limb.from_small", Attrs::new().with("q", q), &[error])?;
        let error = times(s, error, q, factor)?;
        let own = s.split(message, (index * n) as u64, Limb { n, q, form: Form::Coeff }.ty())?;
        let noisy = s.op("limb.add", Attrs::new(), &[own, error])?;
        // Values take one transform, coefficients two.
        let (noisy, product, a) = match ty.form {
            Form::Ntt => (s.op("limb.ntt", Attrs::new(), &[noisy])?, product, a),
            Form::Coeff => {
                let product = s.op("limb.intt", Attrs::new(), &[product])?;
                (noisy, product, s.op("limb.intt", Attrs::new(), &[a])?)
            }
        };
        c0.push(s.op("limb.sub", Attrs::new(), &[noisy, product])?);
        c1.push(a);
    }
    s.merge(&[c0, c1].concat(), ty.ty())
}

/// With a public key (b, a): (b u + factor e_0, a u + factor e_1), u ternary, divided by the primes `drop` of the key, if any.
///
/// # Errors
/// `Graph` for what is no public key.
pub fn zero_public(
    s: &mut Session<'_>,
    key: OperandId,
    drop: &[u64],
    factor: u64,
    secret_seed: OperandId,
) -> Result<[OperandId; 2]> {
    let ty = s.ty(key).clone();
    let (n, q) = (ty.dim("n")?, types::moduli(&ty, "q")?);
    let u = s.op("sample.ternary", Attrs::new().with("n", n), &[secret_seed])?;
    let mut errors = Vec::with_capacity(2);
    for _ in 0..2 {
        errors.push(s.op("sample.error", Attrs::new().with("n", n), &[secret_seed])?);
    }
    let mut halves = [Vec::with_capacity(q.len()), Vec::with_capacity(q.len())];
    for (index, &prime) in q.iter().enumerate() {
        let limb = Limb { n, q: prime, form: Form::Ntt };
        let mut operands = vec![s.op("limb.from_small", Attrs::new().with("q", prime), &[u])?];
        for half in 0..2 {
            operands.push(s.split(key, ((half * q.len() + index) * n) as u64, limb.ty())?);
        }
        let attrs = Attrs::new().with("q", prime).with("outputs", 2u64);
        let products = s.op("limb.convolve", attrs, &operands)?;
        for (k, half) in halves.iter_mut().enumerate() {
            let product = s.split(products, (k * n) as u64, limb.in_form(Form::Coeff).ty())?;
            let error = s.op("limb.from_small", Attrs::new().with("q", prime), &errors[k..=k])?;
            let error = times(s, error, prime, factor)?;
            half.push(s.op("limb.add", Attrs::new(), &[product, error])?);
        }
    }
    let wide = Poly { n, q, form: Form::Coeff };
    let mut zero = [key; 2];
    for (zero, half) in zero.iter_mut().zip(halves) {
        let half = s.merge(&half, wide.ty())?;
        *zero = if drop.is_empty() { half } else { divide(s, half, drop, factor)? };
    }
    Ok(zero)
}

/// A fresh encryption: one of zero, and the message.
///
/// # Errors
/// `Graph` for what is no plaintext.
pub fn with_message(
    s: &mut Session<'_>,
    [c0, c1]: [OperandId; 2],
    plain: OperandId,
    ty: &Ciphertext,
) -> Result<OperandId> {
    let c0 = plus_plain(s, c0, plain)?;
    s.merge(&[c0, c1], ty.ty())
}

/// A polynomial, in either form, and a plaintext.
///
/// # Errors
/// `Graph` for what is none.
pub fn plus_plain(s: &mut Session<'_>, poly: OperandId, plain: OperandId) -> Result<OperandId> {
    let Poly { q, form, .. } = Poly::of(s.ty(poly))?;
    let lifted = s.op("rlwe.lift_plain", Attrs::new().with("q", q), &[plain])?;
    let lifted = super::in_form(s, lifted, form)?;
    s.op("poly.add", Attrs::new(), &[poly, lifted])
}

/// Attribute `drop` of an operator that encrypts with a public key: primes of the key that the ciphertext does not have; none where it is left out.
///
/// # Errors
/// `Graph` for what is no list of primes.
pub fn dropped(call: &Call<'_>) -> Result<Vec<u64>> {
    if call.attrs.get("drop").is_some() { Ok(call.attrs.uints("drop")?) } else { Ok(Vec::new()) }
}

/// The ring of what an operator encrypts with the public key at input 0: its dimension, and the primes of the ciphertext.
///
/// # Errors
/// `Operator` for primes to be dropped that the key lacks, or for all of them.
pub fn public_ring(call: &Call<'_>) -> Result<(usize, Vec<u64>)> {
    let key = call.input(0, "public_key")?;
    let (all, drop) = (types::moduli(key, "q")?, dropped(call)?);
    let q: Vec<u64> = all.iter().copied().filter(|q| !drop.contains(q)).collect();
    if q.is_empty() || q.len() + drop.len() != all.len() {
        return Err(call.error("drop", format!("{drop:?}"), format!("some, not all, of {all:?}")));
    }
    Ok((key.dim("n")?, q))
}
