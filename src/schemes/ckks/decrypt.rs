//! `ckks.decrypt`: the plaintext of a ciphertext, noise and all: its phase, centered modulo Q, as doubles. Inputs: the secret key, unless there is c_0 alone, and the
//! ciphertext or extract, of which it is the plaintext in its subring.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session, types};
use crate::schemes::rlwe;

/// `ckks.decrypt`; see the module.
pub struct Decrypt;

impl OpDef for Decrypt {
    fn name(&self) -> &str {
        "ckks.decrypt"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let (ty, scale) = super::extract(call, rlwe::decrypted_input(call)?)?;
        Ok(types::reals(ty.kept(), scale))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (_, scale) = super::extract(call, rlwe::decrypted_input(call)?)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let limbs = s.limbs(phase)?;
        s.op("rns.to_real", Attrs::new().with("scale", scale), &limbs)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        inputs.last().copied()
    }
}
