//! `joint.combine`: c_0 plus the decryption shares of all parties: a ciphertext of one part, which decrypts without a key. Inputs: the ciphertext or extract of two parts, then the shares.

use super::decryption_share::shared;
use super::first_part;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::Extract;
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// `joint.combine`; see the module.
pub struct Combine;

impl OpDef for Combine {
    fn name(&self) -> &str {
        "joint.combine"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(2)?;
        let extract = shared(call, 0)?;
        let expected = first_part(&extract).ty();
        for (index, ty) in call.inputs.iter().enumerate().skip(1) {
            if ty != &expected {
                return Err(call.error(format!("input {index}"), ty, &expected));
            }
        }
        Ok(Extract { ciphertext: extract.ciphertext.with_parts(1), ..extract }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let extract = shared(call, 0)?;
        let poly = first_part(&extract).ty();
        let mut sum = s.split(inputs[0], 0, poly)?;
        for &share in &inputs[1..] {
            sum = s.op("poly.add", Attrs::new(), &[sum, share])?;
        }
        s.retype(sum, self.assemble(call)?)
    }

    /// What hides the errors is not counted, since its deviation is an attribute of the shares.
    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = (call, inputs);
        None
    }
}
