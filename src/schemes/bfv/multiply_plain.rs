//! `bfv.multiply_plain`: the product with a plaintext, slot by slot: every part times m, centered. Noise: times n t/2.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::noise;

/// `bfv.multiply_plain`; see the module.
pub struct MultiplyPlain;

impl OpDef for MultiplyPlain {
    fn name(&self) -> &str {
        "bfv.multiply_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::with_plain(call)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[0])?;
        let lifted = s.op("bfv.lift_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..])?;
        let lifted = s.op("poly.ntt", Attrs::new(), &[lifted])?;
        let lifted = s.limbs(lifted)?;
        let mut limbs = Vec::new();
        for part in s.parts(inputs[0])? {
            for ((limb, &lifted), &q) in s.limbs(part)?.into_iter().zip(&lifted).zip(&ty.q) {
                let attrs = Attrs::new().with("q", q).with("outputs", 1u64);
                limbs.push(s.op("limb.convolve", attrs, &[limb, lifted])?);
            }
        }
        s.merge(&limbs, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let ty = Ciphertext::of(call.inputs.first()?).ok()?;
        Some(noise::multiply_plain(ty.n, ty.t, *inputs.first()?))
    }
}
