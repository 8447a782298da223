//! What means the same under every scheme: keys, key switching, and the operators on ciphertexts of ring learning with errors that ask
//! for no more than their types.

mod add;
mod automorphism;
mod automorphism_hoisted;
mod decompose;
mod divide;
mod divide_extract;
mod drop_primes;
mod extract;
mod form;
mod key_switch;
mod lift_plain;
mod multiply_integer;
mod negate;
mod phase;
mod public_key;
mod relinearize;
mod relinearize_divide;
mod secret_key;
mod sub;
mod subring;
mod switching_key;
mod tensor;
mod times_plain;
mod zero;

pub(super) use divide::{divide, divide_parts};
pub(super) use divide_extract::DivideExtract;
pub(super) use form::in_form;
pub use phase::limb_of;
pub(super) use relinearize_divide::RelinearizeDivide;
pub(super) use subring::decrypted;
pub use subring::in_subring;
pub(super) use tensor::{own_parts, product_type, tensor};
pub(super) use times_plain::times_plain;
pub(super) use zero::{dropped, fresh_secret, plus_plain, public_ring, with_message, zero_public};

use super::noise::Switched;
use super::{canonical, noise as bounds};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::base::galois;
use crate::ops::types::{
    self, Ciphertext, Extract, Form, Limb, Poly, Residues, Scheme, SwitchingKey, cycled,
};
use crate::ops::{Call, Noise, OpDef, Session};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add::Add),
        Arc::new(automorphism::Automorphism),
        Arc::new(automorphism_hoisted::AutomorphismHoisted),
        Arc::new(decompose::Decompose),
        Arc::new(drop_primes::DropPrimes),
        Arc::new(extract::ExtractOp),
        Arc::new(key_switch::KeySwitch),
        Arc::new(lift_plain::LiftPlain),
        Arc::new(multiply_integer::MultiplyInteger),
        Arc::new(negate::Negate),
        Arc::new(form::Transform::FORWARD),
        Arc::new(form::Transform::INVERSE),
        Arc::new(phase::Phase),
        Arc::new(public_key::PublicKey),
        Arc::new(relinearize::Relinearize),
        Arc::new(secret_key::SecretKey),
        Arc::new(sub::Sub),
        Arc::new(switching_key::SwitchingKeyOp),
    ]
}

/// The value types of this folder whose words are residues.
pub fn residues() -> [(&'static str, Residues); 2] {
    [("pair", cycled), ("digits", decompose::residues)]
}

/// Two polynomials of one type.
pub(super) fn pair_type(poly: &Poly) -> ValueType {
    let attrs = Attrs::new().with("n", poly.n).with("q", poly.q.as_slice());
    ValueType::new("pair", 2 * poly.ty().size, types::with_form(attrs, poly.form))
}

/// A small polynomial modulo each prime, NTT form.
///
/// # Errors
/// `Graph` for what is no small polynomial.
pub fn spread(s: &mut Session<'_>, small: OperandId, q: &[u64]) -> Result<Vec<OperandId>> {
    let mut limbs = Vec::with_capacity(q.len());
    for &q in q {
        let limb = s.op("limb.from_small", Attrs::new().with("q", q), &[small])?;
        limbs.push(s.op("limb.ntt", Attrs::new(), &[limb])?);
    }
    Ok(limbs)
}

/// Input `index`, which is to be decrypted: an extract, or a ciphertext, which is one of all of it.
///
/// # Errors
/// `Operator` for what is neither.
pub fn extract_in(call: &Call<'_>, index: usize) -> Result<Extract> {
    let head = call.inputs.get(index).map(|ty| ty.head.as_str());
    Extract::of(call.input(index, if head == Some("extract") { "extract" } else { "ciphertext" })?)
}

/// Which input is to be decrypted: the one after the secret key. A ciphertext of one part needs none: whoever had the secret added c_1 s up, in shares (`joint`).
///
/// # Errors
/// `Operator` for another number of inputs, for what is no secret key, and for more parts where there is none.
pub(super) fn decrypted_input(call: &Call<'_>) -> Result<usize> {
    if call.inputs.len() != 1 {
        call.arity(2)?;
        call.input(0, "secret_key")?;
        return Ok(1);
    }
    match extract_in(call, 0)?.ciphertext.parts {
        1 => Ok(0),
        parts => Err(call.error("parts of a ciphertext without a secret key", parts, 1)),
    }
}

/// The limbs of a secret key for some of its primes.
///
/// # Errors
/// `Operator` for a prime that the key lacks.
pub fn secret_limbs(s: &mut Session<'_>, secret: OperandId, q: &[u64]) -> Result<Vec<OperandId>> {
    let n = s.ty(secret).dim("n")?;
    let all = types::moduli(s.ty(secret), "q")?;
    let mut limbs = Vec::with_capacity(q.len());
    for q in q {
        let index = all.iter().position(|p| p == q).ok_or_else(|| crate::Error::Operator {
            op: "rlwe".into(),
            what: "prime of the secret key".into(),
            found: q.to_string(),
            expected: format!("{all:?}"),
        })?;
        limbs.push(s.split(secret, (index * n) as u64, Limb { n, q: *q, form: Form::Ntt }.ty())?);
    }
    Ok(limbs)
}

/// A fresh sample (b, a), b = -a s + factor e, NTT form: the limbs of b and of a.
fn rlwe_sample(
    s: &mut Session<'_>,
    secret: &[OperandId],
    q: &[u64],
    factor: u64,
    [public_seed, secret_seed]: [OperandId; 2],
) -> Result<(Vec<OperandId>, Vec<OperandId>)> {
    let n = Limb::of(s.ty(secret[0]))?.n;
    let error = error_limbs(s, n, q, factor, secret_seed)?;
    let (mut b, mut a) = (Vec::new(), Vec::new());
    for (index, &q) in q.iter().enumerate() {
        let uniform = s.op("sample.uniform", Attrs::new().with("n", n).with("q", q), &[public_seed])?;
        let product = s.op("limb.mul", Attrs::new(), &[uniform, secret[index]])?;
        b.push(s.op("limb.sub", Attrs::new(), &[error[index], product])?);
        a.push(uniform);
    }
    Ok((b, a))
}

/// `factor` times a fresh error modulo each prime, NTT form.
///
/// # Errors
/// `Graph` for what is no secret seed.
pub fn error_limbs(
    s: &mut Session<'_>,
    n: usize,
    q: &[u64],
    factor: u64,
    secret_seed: OperandId,
) -> Result<Vec<OperandId>> {
    let error = s.op("sample.error", Attrs::new().with("n", n), &[secret_seed])?;
    let mut error = spread(s, error, q)?;
    for (limb, &q) in error.iter_mut().zip(q) {
        *limb = times(s, *limb, q, factor)?;
    }
    Ok(error)
}

/// A limb times a constant; the limb itself where that is 1.
///
/// # Errors
/// `Math` for what is no modulus.
pub fn times(s: &mut Session<'_>, limb: OperandId, q: u64, c: u64) -> Result<OperandId> {
    if c == 1 {
        return Ok(limb);
    }
    s.op("limb.mul_scalar", Attrs::new().with("c", Modulus::new(q)?.reduce(c)), &[limb])
}

/// Every limb of a ciphertext times a constant of its own, which `of` gives for its prime.
pub(super) fn times_constants(
    s: &mut Session<'_>,
    x: OperandId,
    output: ValueType,
    of: impl Fn(Modulus) -> u64,
) -> Result<OperandId> {
    let mut limbs = Vec::new();
    for part in s.parts(x)? {
        for limb in s.limbs(part)? {
            let q = Limb::of(s.ty(limb))?.q;
            limbs.push(times(s, limb, q, of(Modulus::new(q)?))?);
        }
    }
    s.merge(&limbs, output)
}

/// A plaintext polynomial as the limb modulo t that it is.
pub(super) fn plain_limb(ty: &ValueType) -> Result<Limb> {
    Ok(Limb { n: types::dimension(ty)?, q: types::modulus(ty, "t")?, form: Form::Coeff })
}

/// The ciphertext of an operator that takes one and a plaintext of its scheme.
pub(super) fn with_plain(call: &Call<'_>) -> Result<Ciphertext> {
    call.arity(2)?;
    let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
    let expected = ty.scheme.plain(ty.n);
    if call.input(1, &expected.head)? != &expected {
        return Err(call.error("input 1", &call.inputs[1], expected));
    }
    Ok(ty)
}

/// The type of a sum or difference of two ciphertexts, of which one may lack parts: these are 0.
pub(super) fn sum_type(call: &Call<'_>) -> Result<Ciphertext> {
    call.arity(2)?;
    let [x, y] = [0, 1].map(|index| call.input(index, "ciphertext").and_then(Ciphertext::of));
    let (x, y) = (x?, y?);
    let parts = x.parts.max(y.parts);
    let (sum, other) = (x.with_parts(parts), y.with_parts(parts));
    if sum == other {
        Ok(sum)
    } else {
        Err(call.error("input 1", &call.inputs[1], x.with_parts(y.parts).ty()))
    }
}

/// A polynomial operator on the parts of two ciphertexts; `alone` is what it makes of a part of the second one where the first has none.
pub(super) fn pairwise(
    s: &mut Session<'_>,
    op: &str,
    inputs: &[OperandId],
    output: ValueType,
    alone: impl Fn(&mut Session<'_>, OperandId) -> Result<OperandId>,
) -> Result<OperandId> {
    let (x, y) = (s.parts(inputs[0])?, s.parts(inputs[1])?);
    let mut parts = Vec::with_capacity(x.len().max(y.len()));
    for index in 0..x.len().max(y.len()) {
        parts.push(match (x.get(index), y.get(index)) {
            (Some(&x), Some(&y)) => s.op(op, Attrs::new(), &[x, y])?,
            (Some(&x), None) => x,
            (None, Some(&y)) => alone(s, y)?,
            (None, None) => break,
        });
    }
    s.merge(&parts, output)
}

/// One polynomial operator on each part of the ciphertexts.
pub(super) fn partwise(
    s: &mut Session<'_>,
    op: &str,
    inputs: &[OperandId],
    output: ValueType,
) -> Result<OperandId> {
    partwise_with(s, op, &Attrs::new(), inputs, output)
}

/// As [`partwise`], for an operator that has attributes.
fn partwise_with(
    s: &mut Session<'_>,
    op: &str,
    attrs: &Attrs,
    inputs: &[OperandId],
    output: ValueType,
) -> Result<OperandId> {
    let ciphertexts: Vec<Vec<OperandId>> = inputs.iter().map(|&i| s.parts(i)).collect::<Result<_>>()?;
    let mut parts = Vec::with_capacity(ciphertexts[0].len());
    for index in 0..ciphertexts[0].len() {
        let own: Vec<OperandId> = ciphertexts.iter().map(|c| c[index]).collect();
        parts.push(s.op(op, attrs.clone(), &own)?);
    }
    s.merge(&parts, output)
}

/// Checks that `factor` has no divisor in common with the primes: modulo one that it has, errors would be 0, and the secret in the open.
///
/// # Errors
/// `Operator` for a factor that has one.
pub fn coprime(call: &Call<'_>, factor: u64, primes: &[u64]) -> Result<()> {
    let common = |q: u64| {
        let (mut a, mut b) = (factor, q);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    match primes.iter().find(|&&q| common(q) != 1) {
        None => Ok(()),
        Some(q) => {
            Err(call.error("factor of the errors", factor, format!("no divisor in common with prime {q}")))
        }
    }
}

/// The primes that stay when attribute `keep` of them are to.
pub(super) fn kept(call: &Call<'_>, ty: &Ciphertext) -> Result<Vec<u64>> {
    let keep = call.attrs.size("keep")?;
    if keep == 0 || keep >= ty.q.len() {
        return Err(call.error("keep", keep, format!("1 to {}", ty.q.len().saturating_sub(1))));
    }
    Ok(ty.q[..keep].to_vec())
}

/// Checks that input `index` is a switching key at the ciphertext's level.
pub(super) fn key_at_level(call: &Call<'_>, index: usize, ty: &Ciphertext) -> Result<()> {
    let key = SwitchingKey::of(call.input(index, "switching_key")?)?;
    if key.q != ty.q || key.n != ty.n {
        return Err(call.error(format!("level of key {index}"), &call.inputs[index], &call.inputs[0]));
    }
    if key.parties != ty.parties {
        return Err(call.error(format!("parties of key {index}"), key.parties, ty.parties));
    }
    let factor = ty.scheme.error_factor();
    if !key.factor.is_multiple_of(factor) {
        return Err(call.error(
            format!("factor of key {index}"),
            key.factor,
            format!("a multiple of {factor}"),
        ));
    }
    Ok(())
}

/// The secret of a public key's type.
pub(super) fn secret_of(key: &ValueType) -> Option<bounds::Secret> {
    Some(bounds::Secret { n: key.dim("n").ok()?, parties: types::parties(key).ok()? })
}

/// Bound of what switching a ciphertext, input 0, with the key at input `index` adds.
pub(super) fn switching_noise(call: &Call<'_>, index: usize, from: Switched) -> Option<f64> {
    let random = random_switching_noise(call, index, from);
    if random != f64::NEG_INFINITY {
        return Some(random);
    }
    let factor = Ciphertext::of(call.inputs.first()?).ok()?.scheme.error_factor();
    Some(key_noise(&SwitchingKey::of(call.inputs.get(index)?).ok()?, factor, from))
}

/// That part of [`switching_noise`] that is random: all, of reals.
pub(super) fn random_switching_noise(call: &Call<'_>, index: usize, from: Switched) -> f64 {
    let types = call.inputs.first().map(Ciphertext::of).zip(call.inputs.get(index).map(SwitchingKey::of));
    match types {
        Some((Ok(Ciphertext { scheme: Scheme::Ckks { .. }, .. }), Ok(key))) => {
            canonical::key_switch(&key, from)
        }
        _ => f64::NEG_INFINITY,
    }
}

/// Bound of what switching with such a key adds where numbers are exact, rounded to multiples of `factor`.
pub fn key_noise(key: &SwitchingKey, factor: u64, from: Switched) -> f64 {
    let digits = (0..key.digits()).map(|d| bounds::log2(&key.q[key.digit_range(d)]) - 1.0);
    let largest = digits.fold(0.0, f64::max);
    let (log_errors, error) = (largest + bounds::log2(&[key.factor]), bounds::key_error(key, from));
    bounds::key_switch(key, key.digits(), error, log_errors, bounds::log2(&key.special), factor)
}

/// As [`switching_noise`], on top of that of input 0.
fn switched(call: &Call<'_>, inputs: &[Noise], from: Switched) -> Option<Noise> {
    let input = inputs.first()?;
    Some(Noise { error: bounds::sum(&[input.error, switching_noise(call, 1, from)?]), ..*input })
}

/// (kept_0 + ks_0, kept_1 + ks_1) with ks the key switch of `switched`; a missing kept part is 0.
fn switch_onto(
    s: &mut Session<'_>,
    kept: &[OperandId],
    switched: OperandId,
    key: OperandId,
    output: &ValueType,
) -> Result<OperandId> {
    let Ciphertext { n, q, form, scheme, .. } = Ciphertext::of(output)?;
    let attrs = types::with_error_factor(Attrs::new(), scheme.error_factor());
    let pair = s.op("rlwe.key_switch", attrs, &[&[switched, key], kept].concat())?;
    let poly = Poly { n, q, form }.ty();
    let parts = [0, 1].map(|index| s.split(pair, index * poly.size, poly.clone()));
    let [first, second] = parts;
    s.merge(&[first?, second?], output.clone())
}
