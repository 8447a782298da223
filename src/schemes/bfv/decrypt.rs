//! `bfv.decrypt`: m = round(t x / Q) mod t, x the phase, by switching from Q to t; of an extract in its subring, divided by what of the sum it is. Inputs: the secret
//! key, unless there is c_0 alone, and the ciphertext or extract.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};
use crate::schemes::rlwe;

/// `bfv.decrypt`; see the module.
pub struct Decrypt;

impl OpDef for Decrypt {
    fn name(&self) -> &str {
        "bfv.decrypt"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let (ty, t) = super::extract(call, rlwe::decrypted_input(call)?)?;
        Ok(types::plain(ty.kept(), t))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (ty, t) = super::extract(call, rlwe::decrypted_input(call)?)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let message = s.op("rns.switch", Attrs::new().with("to", vec![t]), &[phase])?;
        rlwe::decrypted(s, message, ty.times, ty.ciphertext.n, output)
    }
}
