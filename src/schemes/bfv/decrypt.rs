//! `bfv.decrypt`: m = round(t x / Q) mod t, x the phase, by switching from Q to t. Inputs: the secret key and the
//! ciphertext.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};

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
        call.arity(2)?;
        call.input(0, "secret_key")?;
        let (ty, t) = super::ciphertext(call, 1)?;
        Ok(types::plain(ty.n, t))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (_, t) = super::ciphertext(call, 1)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let message = s.op("rns.switch", Attrs::new().with("to", vec![t]), &[phase])?;
        s.retype(message, output)
    }
}
