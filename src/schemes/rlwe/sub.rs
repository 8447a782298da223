//! `rlwe.sub`: the difference of two ciphertexts of one type, but that one may have three parts and the other two; slot by slot. Noise: the sum of the two.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `rlwe.sub`; see the module.
pub struct Sub;

impl OpDef for Sub {
    fn name(&self) -> &str {
        "rlwe.sub"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::sum_type(call)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        super::pairwise(s, "poly.sub", inputs, self.assemble(call)?, |s, part| {
            s.op("poly.neg", Attrs::new(), &[part])
        })
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        Some(noise::sums(inputs))
    }
}
