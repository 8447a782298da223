//! `slots.encode`: n slot values modulo t to a plaintext polynomial: values at the roots of X^n + 1 modulo t (batching, Smart
//! and Vercauteren, ia.cr/2011/133).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};

/// `slots.encode`; see the module.
pub struct Encode;

impl OpDef for Encode {
    fn name(&self) -> &str {
        "slots.encode"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn inverse(&self) -> Option<&str> {
        Some("slots.decode")
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = call.input(0, "slots")?;
        Ok(types::plain(types::dimension(ty)?, types::modulus(ty, "t")?))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let values = s.op("slots.write", Attrs::new(), inputs)?;
        let coefficients = s.op("limb.intt", Attrs::new(), &[values])?;
        s.retype(coefficients, output)
    }
}
