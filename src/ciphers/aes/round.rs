//! `aes.round`, `aes.inverse_round`: one round on the state of all blocks, with a round key `u8[16]`; attribute `last`,
//! where it is 1, leaves out the mixing of columns.
//!
//! Forward: shift rows, substitute, mix columns, add the key. Inverse: shift back, substitute back, add the key, mix back.
//! FIPS 197 substitutes before it shifts rows; both ways give the same, and this one copies scattered rows once.

use super::state::State;
use crate::Result;
use crate::ciphers::call::CipherCall;
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.round`; see the module.
pub(super) struct Round {
    pub inverse: bool,
}

/// The attribute `last`.
fn last(call: &Call<'_>) -> Result<bool> {
    if call.attrs.get("last").is_none() {
        return Ok(false);
    }
    match call.attrs.uint("last")? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(call.error("last", other, "0 or 1")),
    }
}

impl OpDef for Round {
    fn name(&self) -> &str {
        if self.inverse { "aes.inverse_round" } else { "aes.round" }
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["last"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(2, 2)?;
        call.block(1)?;
        last(call)?;
        call.ty(&State::of(call, 0)?.tensor())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (mut state, key, last) = (inputs[0], inputs[1], last(call)?);
        let prefix = if self.inverse { "aes.inverse_" } else { "aes." };
        for step in ["shift_rows", "sub_bytes"] {
            state = logic::op(s, &format!("{prefix}{step}"), &[state])?;
        }
        if !self.inverse && !last {
            state = logic::op(s, "aes.mix_columns", &[state])?;
        }
        state = logic::op(s, "aes.add_round_key", &[state, key])?;
        if self.inverse && !last {
            state = logic::op(s, "aes.inverse_mix_columns", &[state])?;
        }
        Ok(state)
    }
}
