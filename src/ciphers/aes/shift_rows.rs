//! `aes.shift_rows`, `aes.inverse_shift_rows`: row r of the state turns by r columns, s'[r, c] = s[r, c + r] or
//! s[r, c - r]. Views of a state, put together by one copy.

use super::state::State;
use crate::Result;
use crate::ciphers::call::CipherCall;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.shift_rows`; see the module.
pub(super) struct ShiftRows {
    pub inverse: bool,
}

impl OpDef for ShiftRows {
    fn name(&self) -> &str {
        if self.inverse { "aes.inverse_shift_rows" } else { "aes.shift_rows" }
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.ty(&State::of(call, 0)?.tensor())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let state = State::of(call, 0)?;
        // Of each row the columns that come first, and those behind them.
        let (mut heads, mut tails) = (Vec::new(), Vec::new());
        for row in 0..4 {
            let by = if self.inverse { (4 - row) % 4 } else { row };
            heads.push(state.columns(s, inputs[0], row, (by, 4 - by))?);
            tails.push(match by {
                0 => Vec::new(),
                _ => state.columns(s, inputs[0], row, (0, by))?,
            });
        }
        let rows =
            |plane: usize| heads.iter().zip(&tails).flat_map(move |(h, t)| [h.get(plane), t.get(plane)]);
        let parts: Vec<OperandId> = (0..8).flat_map(rows).flatten().copied().collect();
        let whole = s.op("copy", Attrs::new(), &parts)?;
        let ty = call.ty(&state.tensor())?;
        s.retype(whole, ty)
    }
}
