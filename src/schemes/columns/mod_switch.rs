//! `column.mod_switch`: the column at the level of its first primes, as many as attribute `low` says; smaller to send and
//! cheaper to decrypt. A column that has no more primes stays as it is. Input: a complete column.

use super::elementwise::complete;
use super::layout::{at_level, ciphertexts, columns_and_keys};
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `column.mod_switch`; see the module.
pub struct ModSwitch;

impl OpDef for ModSwitch {
    fn name(&self) -> &str {
        "column.mod_switch"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["low"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, 1)?;
        let column = complete(call, 0)?;
        let low = call.attrs.size("low")?;
        if low == 0 {
            return Err(call.error("low", low, "at least 1"));
        }
        Ok(column.at_level(low.min(column.q.len())).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let low = call.attrs.size("low")?;
        let mut out = Vec::new();
        for ciphertext in ciphertexts(s, inputs[0])?.concat() {
            out.push(at_level(s, ciphertext, low)?);
        }
        s.merge(&out, output)
    }
}
