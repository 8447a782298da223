//! `ghash.hash`: sum of X_i h^(n-i) over blocks X_0 to X_(n-1), for inputs (blocks, h) of types `u8[n,16]`, `u8[16]`;
//! gives `u8[16]`.
//!
//! With h^m for a power m of two, the blocks that lie m before the last m are multiplied at once and added to these; then
//! m is halved. So n blocks take about log2(n) operators instead of a chain of n.

use crate::Result;
use crate::ciphers::call::{BLOCK, CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `ghash.hash`; see the module.
pub(super) struct Hash;

impl OpDef for Hash {
    fn name(&self) -> &str {
        "ghash.hash"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(2, 2)?;
        call.blocks(0)?;
        call.block(1)?;
        call.ty(&bytes(&[BLOCK]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (mut blocks, h, mut n) = (inputs[0], inputs[1], call.blocks(0)?);
        // h^(2^i), the highest for the most blocks that are left beside others.
        let mut powers = vec![h];
        let mut last = h;
        while 1u64 << powers.len() < n {
            last = logic::op(s, "ghash.square", &[last])?;
            powers.push(last);
        }
        for (i, &power) in powers.iter().enumerate().rev() {
            let m = 1u64 << i;
            if m < n {
                blocks = fold(s, blocks, (n, m), power)?;
                n = m;
            }
        }
        let product = logic::op(s, "ghash.multiply", &[blocks, h])?;
        logic::retype(s, product, &bytes(&[BLOCK]))
    }
}

/// `m` blocks with the same hash as `n` of them, m < n <= 2m.
fn fold(s: &mut Session<'_>, blocks: OperandId, (n, m): (u64, u64), power: OperandId) -> Result<OperandId> {
    let count = n - m;
    let mut part = |from, n| logic::part(s, blocks, BLOCK * from, &bytes(&[n, BLOCK]));
    let (moved, onto) = (part(0, count)?, part(m, count)?);
    let between = if count < m { Some(part(count, m - count)?) } else { None };
    let product = logic::op(s, "ghash.multiply", &[moved, power])?;
    let sum = logic::xor(s, product, onto)?;
    let parts: Vec<OperandId> = between.into_iter().chain([sum]).collect();
    logic::merge(s, &parts, &bytes(&[m, BLOCK]))
}
