//! `aes.gcm_seal`: GCM (SP 800-38D), for inputs (round keys, iv, message, additional data) of types `u8[rounds+1,16]` and
//! three times `u8[bytes]`; gives the ciphertext and behind it the tag, `u8[bytes+16]`.
//!
//! The IV has at least one byte, 12 being the length that others expect too; no two messages under one key may share one. A
//! tensor has no length of 0: additional data is left out where there is none, and so is the message, with attribute
//! `message="none"`.

use super::galois_counter::{GaloisCounter, TAG, check_length};
use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.gcm_seal`; see the module.
pub(super) struct GcmSeal;

/// True when there is a message.
fn has_message(call: &Call<'_>) -> Result<bool> {
    if call.attrs.get("message").is_none() {
        return Ok(true);
    }
    match call.attrs.text("message")? {
        "none" => Ok(false),
        other => Err(call.error("message", format!("{other:?}"), "none, or no such attribute")),
    }
}

/// Bytes of the message, after a check of everything.
fn message_bytes(call: &Call<'_>) -> Result<u64> {
    let message = has_message(call)?;
    let least = if message { 3 } else { 2 };
    call.cipher(least, least + 1)?;
    call.round_keys(0)?;
    for index in 1..call.inputs.len() {
        call.message(index)?;
    }
    let len = if message { call.message(2)? } else { 0 };
    check_length(call, len)?;
    Ok(len)
}

impl OpDef for GcmSeal {
    fn name(&self) -> &str {
        "aes.gcm_seal"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["message"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.ty(&bytes(&[message_bytes(call)? + TAG]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let len = message_bytes(call)?;
        let mut rest = inputs[2..].iter().copied();
        let message = if len > 0 { rest.next() } else { None };
        let additional = rest.next();
        let counter = GaloisCounter::new(s, inputs[0], inputs[1], len)?;
        let ciphertext = counter.apply(s, message)?;
        let tag = counter.tag(s, additional, ciphertext)?;
        let parts: Vec<OperandId> = ciphertext.into_iter().chain([tag]).collect();
        logic::merge(s, &parts, &bytes(&[len + TAG]))
    }
}
