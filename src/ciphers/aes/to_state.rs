//! `aes.to_state`: blocks, `u8[n,16]`, as the state that rounds work on: s[r, c] of a block is its byte r + 4c.

use super::state::State;
use crate::Result;
use crate::ciphers::call::{CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.to_state`; see the module.
pub(super) struct ToState;

impl OpDef for ToState {
    fn name(&self) -> &str {
        "aes.to_state"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.ty(&State { bits: call.unit == 1, n: call.blocks(0)? }.tensor())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let n = call.blocks(0)?;
        let (seen, axes): (_, &[u64]) = match logic::in_bits(s) {
            true => (bits(&[n, 4, 4, 8]), &[3, 2, 1, 0]),
            false => (bytes(&[n, 4, 4]), &[2, 1, 0]),
        };
        let seen = logic::retype(s, inputs[0], &seen)?;
        logic::transpose(s, seen, axes)
    }
}
