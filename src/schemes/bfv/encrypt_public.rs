//! `bfv.encrypt_public`: encrypts a plaintext with a public key (b, a): c_0 = b u + e_0 + round(Q m / t), c_1 = a u + e_1, u
//! ternary. Inputs: the public key, the plaintext, a secret seed.
//!
//! Attribute `drop`, where given: primes of the key that the ciphertext does not have, product P. The encryption of 0 is
//! then made modulo Q P and divided by P, which leaves little more noise than its rounding.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Form, Limb, Poly};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::noise;

/// `bfv.encrypt_public`; see the module.
pub struct EncryptPublic;

impl OpDef for EncryptPublic {
    fn name(&self) -> &str {
        "bfv.encrypt_public"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["drop"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let key = call.input(0, "public_key")?;
        let t = types::modulus(call.input(1, "plain")?, "t")?;
        call.input(2, "secret_seed")?;
        let (all, drop) = (types::moduli(key, "q")?, dropped(call)?);
        let q: Vec<u64> = all.iter().copied().filter(|q| !drop.contains(q)).collect();
        if q.is_empty() || q.len() + drop.len() != all.len() {
            return Err(call.error("drop", format!("{drop:?}"), format!("some, not all, of {all:?}")));
        }
        Ok(Ciphertext { n: key.dim("n")?, t, q, parts: 2 }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let scaled = s.op("bfv.scale_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..2])?;
        let u = s.op("sample.ternary", Attrs::new().with("n", ty.n), &inputs[2..])?;
        let all = types::moduli(&call.inputs[0], "q")?;
        let wide = Poly { n: ty.n, q: all.clone(), form: Form::Coeff };
        let mut halves = [Vec::new(), Vec::new()];
        let mut errors = Vec::with_capacity(2);
        for _ in 0..2 {
            errors.push(s.op("sample.error", Attrs::new().with("n", ty.n), &inputs[2..])?);
        }
        for (index, &q) in all.iter().enumerate() {
            let key = Limb { n: ty.n, q, form: Form::Ntt };
            let mut operands = vec![s.op("limb.from_small", Attrs::new().with("q", q), &[u])?];
            for half in 0..2 {
                operands.push(s.split(inputs[0], ((half * all.len() + index) * ty.n) as u64, key.ty())?);
            }
            let attrs = Attrs::new().with("q", q).with("outputs", 2u64);
            let products = s.op("limb.convolve", attrs, &operands)?;
            for (k, half) in halves.iter_mut().enumerate() {
                let product = s.split(products, (k * ty.n) as u64, key.in_form(Form::Coeff).ty())?;
                let error = s.op("limb.from_small", Attrs::new().with("q", q), &errors[k..=k])?;
                half.push(s.op("limb.add", Attrs::new(), &[product, error])?);
            }
        }
        let drop = dropped(call)?;
        let mut parts = Vec::with_capacity(2);
        for half in halves {
            let half = s.merge(&half, wide.ty())?;
            let attrs = Attrs::new().with("drop", drop.as_slice()).with("factor", 1u64);
            parts.push(if drop.is_empty() { half } else { s.op("rns.scale_round", attrs, &[half])? });
        }
        parts[0] = s.op("poly.add", Attrs::new(), &[parts[0], scaled])?;
        s.merge(&parts, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let _ = inputs;
        let n = call.inputs.first()?.dim("n").ok()?;
        let drop = dropped(call).ok()?;
        let divided = noise::fresh_public_divided(n, noise::log2(&drop));
        Some(if drop.is_empty() { noise::fresh_public(n) } else { divided })
    }
}

/// Attribute `drop`.
fn dropped(call: &Call<'_>) -> Result<Vec<u64>> {
    if call.attrs.get("drop").is_some() { Ok(call.attrs.uints("drop")?) } else { Ok(Vec::new()) }
}
