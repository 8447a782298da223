//! `bfv.encrypt_public`: encrypts a plaintext with a public key (b, a): c_0 = b u + e_0 + round(Q m / t), c_1 = a u + e_1, u
//! ternary. Inputs: the public key, the plaintext, a secret seed.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Limb};
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

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let key = call.input(0, "public_key")?;
        let t = call.input(1, "plain")?.attrs.uint("t")?;
        call.input(2, "secret_seed")?;
        Ok(Ciphertext { n: key.dim("n")?, t, q: key.attrs.uints("q")?, parts: 2 }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let scaled = s.op("bfv.scale_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..2])?;
        let scaled = s.limbs(scaled)?;
        let u = s.op("sample.ternary", Attrs::new().with("n", ty.n), &inputs[2..])?;
        let size = ty.q.len() * ty.n;
        let mut parts = [Vec::new(), Vec::new()];
        let mut errors = Vec::with_capacity(2);
        for _ in 0..2 {
            errors.push(s.op("sample.error", Attrs::new().with("n", ty.n), &inputs[2..])?);
        }
        for (index, &q) in ty.q.iter().enumerate() {
            let key = Limb { n: ty.n, q, form: Form::Ntt };
            let mut operands = vec![s.op("limb.from_small", Attrs::new().with("q", q), &[u])?];
            for half in 0..2 {
                operands.push(s.split(inputs[0], (half * size + index * ty.n) as u64, key.ty())?);
            }
            let attrs = Attrs::new().with("q", q).with("outputs", 2u64);
            let products = s.op("limb.convolve", attrs, &operands)?;
            for (half, part) in parts.iter_mut().enumerate() {
                let product = s.split(products, (half * ty.n) as u64, key.in_form(Form::Coeff).ty())?;
                let error = s.op("limb.from_small", Attrs::new().with("q", q), &errors[half..=half])?;
                let mut limb = s.op("limb.add", Attrs::new(), &[product, error])?;
                if half == 0 {
                    limb = s.op("limb.add", Attrs::new(), &[limb, scaled[index]])?;
                }
                part.push(limb);
            }
        }
        let limbs = parts.concat();
        s.merge(&limbs, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let _ = inputs;
        Some(noise::fresh_public(call.inputs.first()?.dim("n").ok()?))
    }
}
