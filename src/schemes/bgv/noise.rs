//! `bgv.noise`: measures the noise with the secret key: log2 of the largest coefficient of [x]_Q, x the phase. The noise budget is log2(Q)
//! - 1 minus this. Inputs: the secret key, unless there is c_0 alone, and the ciphertext or extract.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.noise`; see the module.
pub struct Noise;

impl OpDef for Noise {
    fn name(&self) -> &str {
        "bgv.noise"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        super::extract(call, rlwe::decrypted_input(call)?)?;
        Ok(ValueType::new("log2", 1, Attrs::new()))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let _ = call;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let limbs = s.limbs(phase)?;
        s.op("rns.norm", Attrs::new(), &limbs)
    }
}
