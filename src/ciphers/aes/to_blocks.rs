//! `aes.to_blocks`: the state that rounds work on as blocks, `u8[n,16]`; undoes `aes.to_state`.

use super::state::State;
use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.to_blocks`; see the module.
pub(super) struct ToBlocks;

impl OpDef for ToBlocks {
    fn name(&self) -> &str {
        "aes.to_blocks"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.ty(&bytes(&[State::of(call, 0)?.n, 16]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let state = State::of(call, 0)?;
        let axes: &[u64] = if state.bits { &[3, 2, 1, 0] } else { &[2, 1, 0] };
        let turned = logic::transpose(s, inputs[0], axes)?;
        logic::retype(s, turned, &bytes(&[state.n, 16]))
    }
}
