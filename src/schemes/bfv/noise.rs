//! `bfv.noise`: measures the noise with the secret key: log2 of the largest coefficient of [t x]_Q, x the phase. The noise
//! budget is log2(Q) - 1 minus this. Inputs: the secret key, unless there is c_0 alone, and the ciphertext or extract.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `bfv.noise`; see the module.
pub struct Noise;

impl OpDef for Noise {
    fn name(&self) -> &str {
        "bfv.noise"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::extract(call, rlwe::decrypted_input(call)?)?;
        Ok(ValueType::new("log2", 1, Attrs::new()))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (ty, t) = super::extract(call, rlwe::decrypted_input(call)?)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let mut limbs = Vec::new();
        for (limb, &q) in s.limbs(phase)?.into_iter().zip(&ty.ciphertext.q) {
            limbs.push(s.op(
                "limb.mul_scalar",
                Attrs::new().with("c", Modulus::new(q)?.reduce(t)),
                &[limb],
            )?);
        }
        s.op("rns.norm", Attrs::new(), &limbs)
    }
}
