//! `joint.decryption_share`: a party's share of what a ciphertext decrypts to: d_i = c_1 s_i + f e_i, where e_i is noise of a discrete Gaussian that hides the errors of the ciphertext (`schemes::releases`)
//! and f is what errors are multiples of under the scheme; of an extract what of it lies in the subring. Inputs: its share s_i of the secret key, the ciphertext or extract of two parts, a secret seed.
//! Attribute `deviation`: the standard deviation of e_i. In the form of c_0.

use super::first_part;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Extract, Form};
use crate::ops::{Call, Level, OpDef, Session, base};
use crate::schemes::rlwe;

/// `joint.decryption_share`; see the module.
pub struct DecryptionShare;

impl OpDef for DecryptionShare {
    fn name(&self) -> &str {
        "joint.decryption_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["deviation"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        call.input(0, "secret_key")?;
        let extract = shared(call, 1)?;
        call.input(2, "secret_seed")?;
        base::deviation(call)?;
        Ok(first_part(&extract).ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let extract = shared(call, 1)?;
        let products = products(s, inputs[0], inputs[1], &extract)?;
        let limbs = hidden(s, products, &extract, call, inputs[2])?;
        s.merge(&limbs, first_part(&extract).ty())
    }
}

/// Input `index`: what several decrypt together.
pub(super) fn shared(call: &Call<'_>, index: usize) -> Result<Extract> {
    let extract = rlwe::extract_in(call, index)?;
    match extract.ciphertext.parts {
        2 => Ok(extract),
        parts => Err(call.error("parts", parts, 2)),
    }
}

/// The limbs of c_1 s_i, of an extract in its subring, in the form of c_0.
pub(super) fn products(
    s: &mut Session<'_>,
    share: OperandId,
    x: OperandId,
    extract: &Extract,
) -> Result<Vec<OperandId>> {
    let ty = &extract.ciphertext;
    let secret = rlwe::secret_limbs(s, share, &ty.q)?;
    let mut limbs = Vec::with_capacity(ty.q.len());
    for (index, secret) in secret.into_iter().enumerate() {
        let part = rlwe::limb_of(s, x, extract, 1, index)?;
        let mut product = if ty.form == Form::Ntt {
            s.op("limb.mul", Attrs::new(), &[part, secret])?
        } else {
            let attrs = Attrs::new().with("q", ty.q[index]).with("outputs", 1u64);
            let product = s.op("limb.convolve", attrs, &[part, secret])?;
            s.retype(product, ty.poly().limb(index).ty())?
        };
        if !extract.is_whole() {
            product = rlwe::in_subring(s, product, extract)?;
        }
        limbs.push(product);
    }
    Ok(limbs)
}

/// The same with noise that hides errors.
pub(super) fn hidden(
    s: &mut Session<'_>,
    mut limbs: Vec<OperandId>,
    extract: &Extract,
    call: &Call<'_>,
    secret_seed: OperandId,
) -> Result<Vec<OperandId>> {
    let (poly, factor) = (first_part(extract), extract.ciphertext.scheme.error_factor());
    let attrs = Attrs::new().with("n", poly.n).with("deviation", base::deviation(call)?);
    let noise = s.op("sample.gaussian", attrs, &[secret_seed])?;
    for (limb, &q) in limbs.iter_mut().zip(&poly.q) {
        let mut small = s.op("limb.from_small", Attrs::new().with("q", q), &[noise])?;
        small = rlwe::times(s, small, q, factor)?;
        if poly.form == Form::Ntt {
            small = s.op("limb.ntt", Attrs::new(), &[small])?;
        }
        *limb = s.op("limb.add", Attrs::new(), &[*limb, small])?;
    }
    Ok(limbs)
}
