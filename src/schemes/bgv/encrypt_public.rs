//! `bgv.encrypt_public`: encrypts a plaintext with a public key (b, a) whose errors are multiples of t: c_0 = b u + t e_0 + m, c_1 =
//! a u + t e_1, u ternary. Inputs: the public key, the plaintext, a secret seed. Attribute `drop`: as that of `bfv.encrypt_public`. The factor
//! is 1.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.encrypt_public`; see the module.
pub struct EncryptPublic;

impl OpDef for EncryptPublic {
    fn name(&self) -> &str {
        "bgv.encrypt_public"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["drop"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let (n, q) = rlwe::public_ring(call)?;
        let t = types::modulus(call.input(1, "plain")?, "t")?;
        call.input(2, "secret_seed")?;
        let factor = types::error_factor(&call.inputs[0].attrs)?;
        if !factor.is_multiple_of(t) {
            return Err(call.error("factor of the public key", factor, format!("a multiple of {t}")));
        }
        rlwe::coprime(call, factor, &types::moduli(&call.inputs[0], "q")?)?;
        let parties = types::parties(&call.inputs[0])?;
        Ok(Ciphertext { parties, ..Ciphertext::new(n, q, 2, Scheme::Bgv { t, factor: 1 }) }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let factor = ty.scheme.error_factor();
        let zero = rlwe::zero_public(s, inputs[0], &rlwe::dropped(call)?, factor, inputs[2])?;
        rlwe::with_message(s, zero, inputs[1], &ty)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = inputs;
        let key = call.inputs.first()?;
        let (secret, t) = (rlwe::secret_of(key)?, types::modulus(call.inputs.get(1)?, "t").ok()?);
        let drop = rlwe::dropped(call).ok()?;
        let log_factor = bounds::log2(&[types::error_factor(&key.attrs).ok()?]);
        Some(Noise::error(bounds::fresh_bgv(
            secret,
            t,
            log_factor,
            (!drop.is_empty()).then(|| bounds::log2(&drop)),
        )))
    }
}
