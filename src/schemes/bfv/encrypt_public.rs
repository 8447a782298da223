//! `bfv.encrypt_public`: encrypts a plaintext with a public key (b, a): c_0 = b u + e_0 + round(Q m / t), c_1 = a u + e_1, u
//! ternary. Inputs: the public key, the plaintext, a secret seed.
//!
//! Attribute `drop`, where given: primes of the key that the ciphertext does not have, product P. The encryption of 0 is
//! then made modulo Q P and divided by P, which leaves little more noise than its rounding.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

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
        let t = types::modulus(call.input(1, "plain")?, "t")?;
        call.input(2, "secret_seed")?;
        let (n, q) = rlwe::public_ring(call)?;
        let parties = types::parties(&call.inputs[0])?;
        Ok(Ciphertext { parties, ..Ciphertext::new(n, q, 2, Scheme::Bfv { t }) }.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&self.assemble(call)?)?;
        let scaled = s.op("bfv.scale_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..2])?;
        let [c0, c1] = rlwe::zero_public(s, inputs[0], &rlwe::dropped(call)?, 1, inputs[2])?;
        let c0 = s.op("poly.add", Attrs::new(), &[c0, scaled])?;
        s.merge(&[c0, c1], ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = inputs;
        let key = call.inputs.first()?;
        if types::error_factor(&key.attrs).ok()? != 1 {
            return None;
        }
        let drop = rlwe::dropped(call).ok()?;
        Some(Noise::error(noise::fresh_bfv(
            rlwe::secret_of(key)?,
            (!drop.is_empty()).then(|| noise::log2(&drop)),
        )))
    }
}
