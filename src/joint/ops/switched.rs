//! `joint.switched`: a ciphertext under a receiver's key, from the shares of all parties (`joint.switch_share`): c_0 plus the sum of their first parts, and the sum of their second ones. Inputs: the ciphertext or
//! extract of two parts, then the shares.

use super::decryption_share::shared;
use super::switch_share::switched;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.switched`; see the module.
pub struct Switched;

impl OpDef for Switched {
    fn name(&self) -> &str {
        "joint.switched"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(2)?;
        let expected = switched(&shared(call, 0)?).ty();
        for (index, ty) in call.inputs.iter().enumerate().skip(1) {
            if ty != &expected {
                return Err(call.error(format!("input {index}"), ty, &expected));
            }
        }
        Ok(expected)
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let extract = shared(call, 0)?;
        let mut limbs = Vec::new();
        for part in 0..2 {
            for index in 0..extract.ciphertext.q.len() {
                let mut terms = Vec::with_capacity(inputs.len());
                for &input in &inputs[part..] {
                    terms.push(rlwe::limb_of(s, input, &extract, part, index)?);
                }
                let mut sum = terms[0];
                for &term in &terms[1..] {
                    sum = s.op("limb.add", Attrs::new(), &[sum, term])?;
                }
                limbs.push(sum);
            }
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}
