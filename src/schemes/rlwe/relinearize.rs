//! `rlwe.relinearize`: from three parts back to two: c_2 is switched from s^2 to s. Inputs: the ciphertext and the switching
//! key from s^2 at its level.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise::Switched;

/// `rlwe.relinearize`; see the module.
pub struct Relinearize;

impl OpDef for Relinearize {
    fn name(&self) -> &str {
        "rlwe.relinearize"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.parts != 3 {
            return Err(call.error("parts", ty.parts, 3));
        }
        super::key_at_level(call, 1, &ty)?;
        Ok(ty.with_parts(2).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let parts = s.parts(inputs[0])?;
        super::switch_onto(s, &parts[..2], parts[2], inputs[1], &self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        super::switched(call, inputs, Switched::Square)
    }

    fn random_noise(&self, call: &Call<'_>) -> f64 {
        super::random_switching_noise(call, 1, Switched::Square)
    }
}
