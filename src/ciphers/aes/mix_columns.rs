//! `aes.mix_columns`, `aes.inverse_mix_columns`: every column of the state times 3x^3 + x^2 + x + 2, or the inverse of
//! that, modulo x^4 + 1 over GF(2^8).
//!
//! Row r becomes 2 (s_r + s_(r+1)) + s_(r+1) + (s_(r+2) + s_(r+3)). The inverse is the same after 4 (s_r + s_(r+2)) was
//! added to each row.

use super::state::{Planes, State, xor};
use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.mix_columns`; see the module.
pub(super) struct MixColumns {
    pub inverse: bool,
}

impl OpDef for MixColumns {
    fn name(&self) -> &str {
        if self.inverse { "aes.inverse_mix_columns" } else { "aes.mix_columns" }
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
        let mut rows: Vec<Planes> =
            (0..4).map(|row| state.columns(s, inputs[0], row, (0, 4))).collect::<Result<_>>()?;
        if self.inverse {
            for pair in 0..2 {
                let sum = xor(s, &rows[pair], &rows[pair + 2])?;
                let doubled = double(s, &sum)?;
                let fourfold = double(s, &doubled)?;
                for row in [pair, pair + 2] {
                    rows[row] = xor(s, &rows[row], &fourfold)?;
                }
            }
        }
        let next = |row: usize| (row + 1) % 4;
        let sums: Vec<Planes> =
            (0..4).map(|row| xor(s, &rows[row], &rows[next(row)])).collect::<Result<_>>()?;
        let mut out = Vec::new();
        for row in 0..4 {
            let doubled = double(s, &sums[row])?;
            let others = xor(s, &rows[next(row)], &sums[(row + 2) % 4])?;
            out.push(xor(s, &doubled, &others)?);
        }
        state.of_rows(s, &out)
    }
}

/// 2x in GF(2^8).
fn double(s: &mut Session<'_>, x: &Planes) -> Result<Planes> {
    match *x.as_slice() {
        [byte] => {
            let mut number = |value: u8| logic::constant(s, &bytes(&[1]), &[value]);
            let (one, seven, polynomial) = (number(1)?, number(7)?, number(0x1b)?);
            let shifted = logic::op(s, "u8.shl", &[byte, one])?;
            let high = logic::op(s, "u8.shr", &[byte, seven])?;
            let reduced = logic::op(s, "u8.mul", &[high, polynomial])?;
            Ok(vec![logic::op(s, "u8.xor", &[shifted, reduced])?])
        }
        [b0, b1, b2, b3, b4, b5, b6, b7] => {
            let mut add = |bit| logic::op(s, "bit.xor", &[bit, b7]);
            Ok(vec![b7, add(b0)?, b1, add(b2)?, add(b3)?, b4, b5, b6])
        }
        _ => Ok(x.clone()),
    }
}
