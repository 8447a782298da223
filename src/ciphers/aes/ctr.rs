//! `aes.ctr`: counter mode (SP 800-38A), for inputs (message, round keys, first counter block) of types `u8[bytes]`,
//! `u8[rounds+1,16]`, `u8[16]`; gives `u8[bytes]`: the message and the encrypted counter blocks, added bit by bit. The last
//! block may be part of one. It is its own inverse.
//!
//! Attribute `counter_bits`, 128 where it is missing, or 32: how many bits of the counter block are counted up.

use crate::Result;
use crate::ciphers::call::{BLOCK, CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.ctr`; see the module.
pub(super) struct Ctr;

/// The attribute `counter_bits`.
fn counter_bits(call: &Call<'_>) -> Result<u64> {
    if call.attrs.get("counter_bits").is_none() {
        return Ok(128);
    }
    match call.attrs.uint("counter_bits")? {
        bits @ (32 | 128) => Ok(bits),
        other => Err(call.error("counter_bits", other, "32 or 128")),
    }
}

impl OpDef for Ctr {
    fn name(&self) -> &str {
        "aes.ctr"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["counter_bits"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(3, 3)?;
        let len = call.message(0)?;
        call.round_keys(1)?;
        call.block(2)?;
        if counter_bits(call)? == 32 && len.div_ceil(BLOCK) > 1 << 32 {
            return Err(call.error("input 0", len, "at most 2^32 blocks, for a counter of 32 bits"));
        }
        call.ty(&bytes(&[len]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let len = call.message(0)?;
        let n = len.div_ceil(BLOCK);
        let attrs = Attrs::new().with("n", n).with("bits", counter_bits(call)?);
        let counters = s.op("aes.counter_blocks", attrs, &inputs[2..])?;
        let stream = logic::op(s, "aes.encrypt_blocks", &[counters, inputs[1]])?;
        let stream = logic::part(s, stream, 0, &bytes(&[len]))?;
        logic::xor(s, inputs[0], stream)
    }
}
