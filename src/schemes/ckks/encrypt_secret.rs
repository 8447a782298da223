//! `ckks.encrypt_secret`: encrypts a plaintext with the secret key: c_1 = a uniform, c_0 = m + e - a s. Inputs: the secret key, the plaintext, a
//! public seed (for a), a secret seed (for e). Attributes `q`: the data primes; `form`: that of the
//! ciphertext, of coefficients where it is left out.

use super::canonical;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `ckks.encrypt_secret`; see the module.
pub struct EncryptSecret;

impl OpDef for EncryptSecret {
    fn name(&self) -> &str {
        "ckks.encrypt_secret"
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
        let scale = super::plain_scale(call, 1, n)?;
        call.input(2, "public_seed")?;
        call.input(3, "secret_seed")?;
        Ok(Ciphertext {
            form: call.optional_form()?,
            ..Ciphertext::new(n, call.moduli("q")?, 2, Scheme::Ckks { scale })
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
        super::with_error(inputs.get(1)?, canonical::fresh_secret(call.inputs.first()?.dim("n").ok()?))
    }
}
