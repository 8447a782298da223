//! `bgv.encrypt_secret`: encrypts a plaintext with the secret key: c_1 = a uniform, c_0 = m + t e - a s. Inputs: the secret key, the
//! plaintext, a public seed (for a), a secret seed (for e). Attributes `q`: the data primes; `form`: that of the
//! ciphertext, of coefficients where it is left out. The factor is 1.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.encrypt_secret`; see the module.
pub struct EncryptSecret;

impl OpDef for EncryptSecret {
    fn name(&self) -> &str {
        "bgv.encrypt_secret"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["form", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(4)?;
        let n = call.input(0, "secret_key")?.dim("n")?;
        let t = types::modulus(call.input(1, "plain")?, "t")?;
        call.input(2, "public_seed")?;
        call.input(3, "secret_seed")?;
        let q = call.moduli("q")?;
        rlwe::coprime(call, t, &q)?;
        Ok(Ciphertext {
            form: call.optional_form()?,
            ..Ciphertext::new(n, q, 2, Scheme::Bgv { t, factor: 1 })
        }
        .ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let lifted = s.op("rlwe.lift_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..2])?;
        rlwe::fresh_secret(s, inputs[0], lifted, &ty, [inputs[2], inputs[3]])
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = inputs;
        let t = types::modulus(call.inputs.get(1)?, "t").ok()?;
        Some(Noise::error(super::fresh_secret(t)))
    }
}
