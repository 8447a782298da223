//! `aes.encrypt_blocks`, `aes.decrypt_blocks`: every block by itself, for inputs (blocks, round keys) of types
//! `u8[n,16]` and `u8[rounds+1,16]`; gives `u8[n,16]`. As a mode of operation this is ECB.

use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.encrypt_blocks`; see the module.
pub(super) struct Blocks {
    pub inverse: bool,
}

impl OpDef for Blocks {
    fn name(&self) -> &str {
        if self.inverse { "aes.decrypt_blocks" } else { "aes.encrypt_blocks" }
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(2, 2)?;
        call.round_keys(1)?;
        call.ty(&bytes(&[call.blocks(0)?, 16]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let rounds = call.round_keys(1)?;
        let round = if self.inverse { "aes.inverse_round" } else { "aes.round" };
        let mut state = logic::op(s, "aes.to_state", &inputs[..1])?;
        for number in 0..=rounds {
            let place = if self.inverse { rounds - number } else { number };
            let key = logic::part(s, inputs[1], 16 * place, &bytes(&[16]))?;
            state = match number {
                0 => logic::op(s, "aes.add_round_key", &[state, key])?,
                _ if number == rounds => s.op(round, Attrs::new().with("last", 1u64), &[state, key])?,
                _ => logic::op(s, round, &[state, key])?,
            };
        }
        logic::op(s, "aes.to_blocks", &[state])
    }
}
