//! `rlwe.add`: the sum of two ciphertexts of one type, but that one may have three parts and the other two; slot by slot. Noise: the sum of the two.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `rlwe.add`; see the module.
pub struct Add;

impl OpDef for Add {
    fn name(&self) -> &str {
        "rlwe.add"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn commutative(&self) -> bool {
        true
    }

    fn rounded_once(&self, inner: &str) -> Option<&str> {
        (inner == "bfv.multiply").then_some("bfv.multiply")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::sum_type(call)?.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        super::pairwise(s, "poly.add", inputs, self.assemble(call)?, |_, part| Ok(part))
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        Some(noise::sums(inputs))
    }
}
