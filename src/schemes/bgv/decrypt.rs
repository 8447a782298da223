//! `bgv.decrypt`: m = f^-1 [x]_Q mod t, x the phase, centered modulo Q; of an extract in its subring, so that `slots.decode` of it gives the slots that are then all
//! there are. Inputs: the secret key, unless there is c_0 alone, and the ciphertext or extract.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};
use crate::schemes::rlwe;

/// `bgv.decrypt`; see the module.
pub struct Decrypt;

impl OpDef for Decrypt {
    fn name(&self) -> &str {
        "bgv.decrypt"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let (ty, t, _) = super::extract(call, rlwe::decrypted_input(call)?)?;
        Ok(types::plain(ty.kept(), t))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (ty, t, factor) = super::extract(call, rlwe::decrypted_input(call)?)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let message = s.op("rns.extend", Attrs::new().with("to", vec![t]), &[phase])?;
        rlwe::decrypted(s, message, factor, ty.ciphertext.n, output)
    }
}
