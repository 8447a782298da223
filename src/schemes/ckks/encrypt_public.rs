//! `ckks.encrypt_public`: encrypts a plaintext with a public key (b, a): c_0 = b u + e_0 + m, c_1 = a u + e_1, u ternary. Inputs: the public
//! key, the plaintext, a secret seed. Attribute `drop`: as that of `bfv.encrypt_public`.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `ckks.encrypt_public`; see the module.
pub struct EncryptPublic;

impl OpDef for EncryptPublic {
    fn name(&self) -> &str {
        "ckks.encrypt_public"
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
        let scale = super::plain_scale(call, 1, n)?;
        call.input(2, "secret_seed")?;
        let factor = types::error_factor(&call.inputs[0].attrs)?;
        if factor != 1 {
            return Err(call.error("factor of the public key", factor, "1: errors that are not enlarged"));
        }
        let parties = types::parties(&call.inputs[0])?;
        Ok(Ciphertext { parties, ..Ciphertext::new(n, q, 2, Scheme::Ckks { scale }) }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let zero = rlwe::zero_public(s, inputs[0], &rlwe::dropped(call)?, 1, inputs[2])?;
        rlwe::with_message(s, zero, inputs[1], &ty)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let secret = rlwe::secret_of(call.inputs.first()?)?;
        let drop = rlwe::dropped(call).ok()?;
        let fresh = canonical::fresh_public(secret, (!drop.is_empty()).then(|| noise::log2(&drop)));
        super::with_error(inputs.get(1)?, fresh)
    }
}
