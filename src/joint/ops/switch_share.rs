//! `joint.switch_share`: a party's share of a ciphertext under a receiver's public key (b, a): (c_1 s_i + b v_i + f e_(i,0), a v_i + f e_(i,1)), v_i ternary, e_(i,0) noise of a discrete Gaussian that hides
//! the errors of the ciphertext, e_(i,1) an error. Inputs: its share s_i of the secret key, the ciphertext or extract of two parts, the receiver's public key, a secret seed. Attribute `deviation`: the standard
//! deviation of e_(i,0). It is a ciphertext under the receiver's key; of an extract its first part lies in the subring.

use super::decryption_share::{hidden, products, shared};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Extract, Form, Limb};
use crate::ops::{Call, Level, OpDef, Session, base};
use crate::schemes::rlwe;

/// `joint.switch_share`; see the module.
pub struct SwitchShare;

impl OpDef for SwitchShare {
    fn name(&self) -> &str {
        "joint.switch_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["deviation"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(4)?;
        call.input(0, "secret_key")?;
        let extract = shared(call, 1)?;
        let ty = &extract.ciphertext;
        let key = call.input(2, "public_key")?;
        let primes = types::moduli(key, "q")?;
        if key.dim("n")? != ty.n || ty.q.iter().any(|q| !primes.contains(q)) {
            return Err(call.error("input 2", key, "a public key modulo the primes of the ciphertext"));
        }
        call.input(3, "secret_seed")?;
        base::deviation(call)?;
        Ok(switched(&extract).ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let extract = shared(call, 1)?;
        let ty = &extract.ciphertext;
        let (n, factor) = (ty.n, ty.scheme.error_factor());
        let primes = types::moduli(&call.inputs[2], "q")?;
        let first = products(s, inputs[0], inputs[1], &extract)?;
        let first = hidden(s, first, &extract, call, inputs[3])?;
        let v = s.op("sample.ternary", Attrs::new().with("n", n), &[inputs[3]])?;
        let v = rlwe::spread(s, v, &ty.q)?;
        let second = rlwe::error_limbs(s, n, &ty.q, factor, inputs[3])?;
        let mut halves = [Vec::with_capacity(v.len()), Vec::with_capacity(v.len())];
        for (index, (&q, &v)) in ty.q.iter().zip(&v).enumerate() {
            let place = primes.iter().position(|prime| *prime == q).unwrap_or(0);
            for (half, mut own) in [first[index], second[index]].into_iter().enumerate() {
                let at = ((half * primes.len() + place) * n) as u64;
                let key = s.split(inputs[2], at, Limb { n, q, form: Form::Ntt }.ty())?;
                let mut product = s.op("limb.mul", Attrs::new(), &[key, v])?;
                if half == 0 && !extract.is_whole() {
                    product = rlwe::in_subring(s, product, &extract)?;
                } else if ty.form == Form::Coeff {
                    product = s.op("limb.intt", Attrs::new(), &[product])?;
                }
                if half == 1 && ty.form == Form::Coeff {
                    own = s.op("limb.intt", Attrs::new(), &[own])?;
                }
                halves[half].push(s.op("limb.add", Attrs::new(), &[own, product])?);
            }
        }
        s.merge(&halves.concat(), switched(&extract).ty())
    }
}

/// The same under the key of one party.
pub(super) fn switched(extract: &Extract) -> Extract {
    Extract { ciphertext: Ciphertext { parties: 1, ..extract.ciphertext.clone() }, ..extract.clone() }
}
