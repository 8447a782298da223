//! What BFV, BGV and CKKS share: keys of ring learning with errors, and key switching.

mod key_switch;
mod public_key;
mod secret_key;
mod switching_key;

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Form, Limb, Poly, Residues, cycled};
use crate::ops::{OpDef, Session};
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(key_switch::KeySwitch),
        Arc::new(public_key::PublicKey),
        Arc::new(secret_key::SecretKey),
        Arc::new(switching_key::SwitchingKeyOp),
    ]
}

/// The value types of this folder whose words are residues.
pub fn residues() -> [(&'static str, Residues); 1] {
    [("pair", cycled)]
}

/// Two polynomials of one type.
pub(super) fn pair_type(poly: &Poly) -> ValueType {
    ValueType::new("pair", 2 * poly.ty().size, Attrs::new().with("n", poly.n).with("q", poly.q.as_slice()))
}

/// A small polynomial modulo each prime, NTT form.
pub(super) fn spread(s: &mut Session<'_>, small: OperandId, q: &[u64]) -> Result<Vec<OperandId>> {
    let mut limbs = Vec::with_capacity(q.len());
    for &q in q {
        let limb = s.op("limb.from_small", Attrs::new().with("q", q), &[small])?;
        limbs.push(s.op("limb.ntt", Attrs::new(), &[limb])?);
    }
    Ok(limbs)
}

/// The limbs of a secret key for some of its primes.
pub(super) fn secret_limbs(s: &mut Session<'_>, secret: OperandId, q: &[u64]) -> Result<Vec<OperandId>> {
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

/// A fresh sample (b, a), b = -a s + e, NTT form: the limbs of b and of a.
fn rlwe_sample(
    s: &mut Session<'_>,
    secret: &[OperandId],
    q: &[u64],
    public_seed: OperandId,
    secret_seed: OperandId,
) -> Result<(Vec<OperandId>, Vec<OperandId>)> {
    let n = Limb::of(s.ty(secret[0]))?.n;
    let error = s.op("sample.error", Attrs::new().with("n", n), &[secret_seed])?;
    let error = spread(s, error, q)?;
    let (mut b, mut a) = (Vec::new(), Vec::new());
    for (index, &q) in q.iter().enumerate() {
        let uniform = s.op("sample.uniform", Attrs::new().with("n", n).with("q", q), &[public_seed])?;
        let product = s.op("limb.mul", Attrs::new(), &[uniform, secret[index]])?;
        b.push(s.op("limb.sub", Attrs::new(), &[error[index], product])?);
        a.push(uniform);
    }
    Ok((b, a))
}
