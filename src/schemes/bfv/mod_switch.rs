//! `bfv.mod_switch`: the same plaintext under a smaller modulus: round(Q'/Q c). Attribute `keep`: how many primes stay.
//! Noise shrinks with the modulus, but for the rounding. Cheaper operators and smaller keys follow.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `bfv.mod_switch`; see the module.
pub struct ModSwitch;

impl OpDef for ModSwitch {
    fn name(&self) -> &str {
        "bfv.mod_switch"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["keep"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, _) = super::ciphertext(call, 0)?;
        Ok(Ciphertext { q: rlwe::kept(call, &ty)?, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        rlwe::divide_parts(s, inputs[0], 1, output)
    }

    fn fused(&self, inner: &str) -> Option<&str> {
        (inner == "rlwe.relinearize").then_some("bfv.relinearize_switch")
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, keep) = (Ciphertext::of(call.inputs.first()?).ok()?, call.attrs.size("keep").ok()?);
        Some(Noise::error(noise::switched_bfv(&ty, inputs.first()?.error, keep)?))
    }
}
