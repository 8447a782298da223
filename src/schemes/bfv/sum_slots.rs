//! `bfv.sum_slots`: every slot becomes the sum of all slots: for each Galois element g in attribute `g`, the ciphertext and
//! its image under X to X^g are added. With the rotations by 1, 2, 4, ..., n/4 and the swap of rows all slots are
//! summed. Noise: twice that before, and a key switch, for each step. Inputs: the ciphertext and one switching key per element, in order.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `bfv.sum_slots`; see the module.
pub struct SumSlots;

impl OpDef for SumSlots {
    fn name(&self) -> &str {
        "bfv.sum_slots"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let steps = call.attrs.uints("g")?;
        call.arity(1 + steps.len())?;
        let (ty, _) = super::ciphertext(call, 0)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        for key in 1..call.inputs.len() {
            rlwe::key_at_level(call, key, &ty)?;
        }
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let mut sum = inputs[0];
        for (&g, &key) in call.attrs.uints("g")?.iter().zip(&inputs[1..]) {
            let rotated = s.op("rlwe.automorphism", Attrs::new().with("g", g), &[sum, key])?;
            sum = s.op("rlwe.add", Attrs::new(), &[sum, rotated])?;
        }
        Ok(sum)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let mut bound = inputs.first()?.error;
        for key in 1..call.inputs.len() {
            bound = noise::sum(&[bound, bound, rlwe::switching_noise(call, key)?]);
        }
        Some(Noise::error(bound))
    }
}
