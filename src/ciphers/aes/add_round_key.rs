//! `aes.add_round_key`: adds a round key, `u8[16]`, to the state of every block, bit by bit.

use super::state::{State, xor};
use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.add_round_key`; see the module.
pub(super) struct AddRoundKey;

impl OpDef for AddRoundKey {
    fn name(&self) -> &str {
        "aes.add_round_key"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(2, 2)?;
        call.block(1)?;
        call.ty(&State::of(call, 0)?.tensor())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let state = State::of(call, 0)?;
        let block = logic::retype(s, inputs[1], &bytes(&[1, 16]))?;
        let key = logic::op(s, "aes.to_state", &[block])?;
        // Row by row, as the mixed rows are.
        let mut rows = Vec::new();
        for row in 0..4 {
            let own = state.columns(s, inputs[0], row, (0, 4))?;
            let key = State { n: 1, ..state }.columns(s, key, row, (0, 4))?;
            rows.push(xor(s, &own, &key)?);
        }
        state.of_rows(s, &rows)
    }
}
