//! `aes.gcm_open`: undoes `aes.gcm_seal`, for inputs (round keys, iv, sealed, additional data) of types
//! `u8[rounds+1,16]`, `u8[bytes]`, `u8[bytes+16]`, `u8[bytes]`; additional data is left out where there is none.
//!
//! Gives `u8[bytes+1]`: the message, and behind it 1 where the tag fits. Where it does not, all of it is 0: a graph cannot
//! stop, so whoever reads the message has to look at its last byte. All 16 bytes of the tag are compared.

use super::galois_counter::{GaloisCounter, TAG, check_length};
use crate::Result;
use crate::ciphers::call::{CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.gcm_open`; see the module.
pub(super) struct GcmOpen;

/// Bytes of the message, after a check of everything.
fn message_bytes(call: &Call<'_>) -> Result<u64> {
    call.cipher(3, 4)?;
    call.round_keys(0)?;
    for index in 1..call.inputs.len() {
        call.message(index)?;
    }
    let sealed = call.message(2)?;
    let len = sealed.checked_sub(TAG).ok_or_else(|| {
        call.error("input 2", bytes(&[sealed]), format!("a tag at its end: at least {TAG} bytes"))
    })?;
    check_length(call, len)?;
    Ok(len)
}

impl OpDef for GcmOpen {
    fn name(&self) -> &str {
        "aes.gcm_open"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.ty(&bytes(&[message_bytes(call)? + 1]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let len = message_bytes(call)?;
        let ciphertext = match len {
            0 => None,
            _ => Some(logic::part(s, inputs[2], 0, &bytes(&[len]))?),
        };
        let found = logic::part(s, inputs[2], len, &bytes(&[TAG]))?;
        let counter = GaloisCounter::new(s, inputs[0], inputs[1], len)?;
        let tag = counter.tag(s, inputs.get(3).copied(), ciphertext)?;
        let difference = logic::xor(s, tag, found)?;
        let [fits, mask] = fits(s, difference)?;
        let message = match counter.apply(s, ciphertext)? {
            Some(message) => Some(logic::logic(s, "and", message, mask)?),
            None => None,
        };
        let parts: Vec<OperandId> = message.into_iter().chain([fits]).collect();
        logic::merge(s, &parts, &bytes(&[len + 1]))
    }
}

/// For bytes that should be 0: 1 and all ones where they are, else 0 and 0; each `u8[1]`.
fn fits(s: &mut Session<'_>, difference: OperandId) -> Result<[OperandId; 2]> {
    let axis = Attrs::new().with("axis", 0u64);
    if !logic::in_bits(s) {
        let any = s.op("u8.reduce_or", axis, &[difference])?;
        let any = logic::retype(s, any, &bytes(&[1]))?;
        let zero = logic::constant(s, &bytes(&[1]), &[0])?;
        let fits = logic::op(s, "u8.eq", &[any, zero])?;
        return Ok([fits, logic::op(s, "u8.sub", &[zero, fits])?]);
    }
    let difference = logic::retype(s, difference, &bits(&[8 * TAG]))?;
    let any = s.op("bit.reduce_or", axis, &[difference])?;
    let fits = logic::op(s, "bit.not", &[any])?;
    let zeros = logic::constant(s, &bits(&[7]), &[0])?;
    let byte = logic::merge(s, &[fits, zeros], &bytes(&[1]))?;
    let all = Attrs::new().with("shape", [1u64, 8].as_slice());
    let mask = s.op("bit.broadcast", all, &[fits])?;
    Ok([byte, logic::retype(s, mask, &Tensor::new(Element::U8, [1]))?])
}
