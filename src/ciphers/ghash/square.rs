//! `ghash.square`: h^2 in GF(2^128), `u8[16]` -> `u8[16]`. Squaring is linear: the sum of what becomes of each bit that is
//! set, which is a constant.

use super::place;
use crate::Result;
use crate::ciphers::call::{BLOCK, CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `ghash.square`; see the module.
pub(super) struct Square;

impl OpDef for Square {
    fn name(&self) -> &str {
        "ghash.square"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.block(0)?;
        call.ty(&bytes(&[BLOCK]))
    }

    fn expand(&self, s: &mut Session<'_>, _: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let squares = logic::constant(s, &bits(&[128, 128]), &squares())?;
        let x = logic::retype(s, inputs[0], &bits(&[128, 1]))?;
        let taken = logic::op(s, "bit.and", &[x, squares])?;
        let sum = s.op("bit.reduce_xor", Attrs::new().with("axis", 0u64), &[taken])?;
        logic::retype(s, sum, &bytes(&[BLOCK]))
    }
}

/// x^2k for each bit x^k of an element, in memory order.
fn squares() -> Vec<u8> {
    // The standard's elements are numbers whose highest bit is the coefficient of x^0.
    let mut powers = vec![1u128 << 127];
    for k in 1..256 {
        let last: u128 = powers[k - 1];
        powers.push(last >> 1 ^ if last & 1 == 1 { 0xe1 << 120 } else { 0 });
    }
    (0..128).flat_map(|at| powers[2 * place(at) as usize].to_be_bytes()).collect()
}
