//! Operators that protocols between parties add to those of schemes: what one party makes of its share of the secret, and what comes of all shares.

mod combine;
mod common;
mod decryption_share;
mod evaluate;
mod galois_share;
mod mask;
mod masked_share;
mod public_share;
mod recombine;
mod refresh_share;
mod refreshed;
mod relin_first;
mod relin_second;
mod shamir;
mod sum;
mod switch_share;
mod switched;

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{self, Form, Limb, Poly, SwitchingKey, error_factor};
use crate::ops::{Call, OpDef, Session};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(combine::Combine),
        Arc::new(common::Common),
        Arc::new(decryption_share::DecryptionShare),
        Arc::new(evaluate::Evaluate),
        Arc::new(galois_share::GaloisShare),
        Arc::new(mask::Mask),
        Arc::new(masked_share::MaskedShare),
        Arc::new(public_share::PublicShare),
        Arc::new(recombine::Recombine),
        Arc::new(refresh_share::RefreshShare),
        Arc::new(refreshed::Refreshed),
        Arc::new(relin_first::RelinFirst),
        Arc::new(relin_second::RelinSecond),
        Arc::new(shamir::Shamir),
        Arc::new(sum::Sum),
        Arc::new(switch_share::SwitchShare),
        Arc::new(switched::Switched),
    ]
}

/// The limbs of an operand that goes through these primes again and again, NTT form.
fn limbs_of(s: &mut Session<'_>, x: OperandId, n: usize, q: &[u64]) -> Result<Vec<OperandId>> {
    let count = (s.ty(x).size / n as u64) as usize;
    (0..count)
        .map(|at| s.split(x, (at * n) as u64, Limb { n, q: q[at % q.len()], form: Form::Ntt }.ty()))
        .collect()
}

/// The switching key that the attributes `q`, `special`, `digit` and `factor` of a share tell, for the ring of a secret key at input 0.
fn key_of(call: &Call<'_>) -> Result<SwitchingKey> {
    let n = call.input(0, "secret_key")?.dim("n")?;
    let (q, special) = (call.moduli("q")?, call.moduli("special")?);
    let (digit, factor) = (call.attrs.size("digit")?, error_factor(call.attrs)?);
    crate::schemes::rlwe::coprime(call, factor, &[q.as_slice(), &special].concat())?;
    SwitchingKey::of(&SwitchingKey { n, q, special, digit, factor, parties: 1 }.ty())
}

/// The key that a share of a relinearization key is for: what both rounds are given, the share of the secret, u_i, `each` polynomials for each digit, and a secret seed.
fn relinearization_of(call: &Call<'_>, each: usize) -> Result<SwitchingKey> {
    call.arity(4)?;
    let key = key_of(call)?;
    call.input(1, "secret_key")?;
    rows_in(call, 2, &key, each)?;
    call.input(3, "secret_seed")?;
    Ok(key)
}

/// The attributes of both rounds.
const RELINEARIZATION: &[&str] = &["digit", "factor", "q", "special"];

/// So many polynomials of a key, for each of its digits.
fn rows(key: &SwitchingKey, each: usize) -> ValueType {
    types::polys(&key.poly(), each * key.digits())
}

/// Checks that input `index` is so many polynomials of a key for each digit.
fn rows_in(call: &Call<'_>, index: usize, key: &SwitchingKey, each: usize) -> Result<()> {
    let expected = rows(key, each);
    if call.input(index, "polys")? != &expected {
        return Err(call.error(format!("input {index}"), &call.inputs[index], expected));
    }
    Ok(())
}

/// Adds P g_d x to limbs modulo all primes of a key: P x modulo the primes of digit d, 0 modulo the others.
fn add_gadget(
    s: &mut Session<'_>,
    key: &SwitchingKey,
    digit: usize,
    limbs: &mut [OperandId],
    x: &[OperandId],
) -> Result<()> {
    for index in key.digit_range(digit) {
        let q = Modulus::new(key.q[index])?;
        let term = crate::schemes::rlwe::times(s, x[index], q.value(), q.product(&key.special))?;
        limbs[index] = s.op("limb.add", crate::graph::Attrs::new(), &[limbs[index], term])?;
    }
    Ok(())
}

/// A secret key or one party's share of it, over which primes.
fn ring_of(ty: &ValueType) -> Result<(usize, Vec<u64>)> {
    Ok((types::dimension(ty)?, types::moduli(ty, "q")?))
}

/// The type of what is decrypted of an extract, in the form in which it is sent: that of its first part.
fn first_part(extract: &types::Extract) -> Poly {
    let form = if extract.is_whole() { extract.ciphertext.form } else { Form::Coeff };
    Poly { n: extract.kept(), q: extract.ciphertext.q.clone(), form }
}
