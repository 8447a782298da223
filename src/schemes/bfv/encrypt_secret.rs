//! `bfv.encrypt_secret`: encrypts a plaintext with the secret key: c_1 = a uniform, c_0 = round(Q m / t) + e - a s. Inputs:
//! the secret key, the plaintext, a public seed (for a), a secret seed (for e). Attribute `q`: the data primes.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::noise;

/// `bfv.encrypt_secret`; see the module.
pub struct EncryptSecret;

impl OpDef for EncryptSecret {
    fn name(&self) -> &str {
        "bfv.encrypt_secret"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(4)?;
        let n = call.input(0, "secret_key")?.dim("n")?;
        let t = types::modulus(call.input(1, "plain")?, "t")?;
        call.input(2, "public_seed")?;
        call.input(3, "secret_seed")?;
        Ok(Ciphertext { n, t, q: call.moduli("q")?, parts: 2 }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let q = call.moduli("q")?;
        let secret = crate::schemes::rlwe::secret_limbs(s, inputs[0], &q)?;
        let n = s.ty(inputs[0]).dim("n")?;
        let scaled = s.op("bfv.scale_plain", Attrs::new().with("q", q.as_slice()), &inputs[1..2])?;
        let scaled = s.limbs(scaled)?;
        let error = s.op("sample.error", Attrs::new().with("n", n), &inputs[3..])?;
        let (mut c0, mut c1) = (Vec::new(), Vec::new());
        for (index, &q) in q.iter().enumerate() {
            let a = s.op("sample.uniform", Attrs::new().with("n", n).with("q", q), &inputs[2..3])?;
            let product = s.op("limb.mul", Attrs::new(), &[a, secret[index]])?;
            let product = s.op("limb.intt", Attrs::new(), &[product])?;
            let error = s.op("limb.from_small", Attrs::new().with("q", q), &[error])?;
            let message = s.op("limb.add", Attrs::new(), &[scaled[index], error])?;
            c0.push(s.op("limb.sub", Attrs::new(), &[message, product])?);
            c1.push(s.op("limb.intt", Attrs::new(), &[a])?);
        }
        s.merge(&[c0, c1].concat(), output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let _ = (call, inputs);
        Some(noise::fresh_secret())
    }
}
