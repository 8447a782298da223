//! `aes.key_schedule`: the round keys of a key, `u8[16]`, `u8[24]` or `u8[32]` -> `u8[rounds+1,16]` with 10, 12 or 14
//! rounds (FIPS 197, KeyExpansion). Words are four bytes; in unit 1 their bits are sorted into planes and back by views.

use super::tables;
use crate::Result;
use crate::ciphers::call::{CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.key_schedule`; see the module.
pub(super) struct KeySchedule;

/// Bytes of a key.
fn key_bytes(call: &Call<'_>) -> Result<u64> {
    call.cipher(1, 1)?;
    match call.message(0)? {
        len @ (16 | 24 | 32) => Ok(len),
        _ => Err(call.error("input 0", call.tensor(0)?, "a key: u8[16], u8[24] or u8[32]")),
    }
}

impl OpDef for KeySchedule {
    fn name(&self) -> &str {
        "aes.key_schedule"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.ty(&bytes(&[key_bytes(call)? / 4 + 7, 16]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let own = key_bytes(call)? / 4;
        let keys = own + 7;
        let word = bytes(&[4]);
        let mut words: Vec<OperandId> =
            (0..own).map(|i| logic::part(s, inputs[0], 4 * i, &word)).collect::<Result<_>>()?;
        let mut round = 1u8;
        for i in own as usize..4 * keys as usize {
            let (before, behind) = (words[i - own as usize], words[i - 1]);
            let added = match i as u64 % own {
                0 => {
                    let turned = turn(s, behind)?;
                    let substituted = substitute(s, turned)?;
                    let number = logic::constant(s, &word, &[round, 0, 0, 0])?;
                    round = tables::multiply(round, 2);
                    logic::xor(s, substituted, number)?
                }
                4 if own > 6 => substitute(s, behind)?,
                _ => behind,
            };
            words.push(logic::xor(s, before, added)?);
        }
        logic::merge(s, &words, &bytes(&[keys, 16]))
    }
}

/// (b0, b1, b2, b3) -> (b1, b2, b3, b0).
fn turn(s: &mut Session<'_>, word: OperandId) -> Result<OperandId> {
    let behind = logic::part(s, word, 1, &bytes(&[3]))?;
    let first = logic::part(s, word, 0, &bytes(&[1]))?;
    logic::merge(s, &[behind, first], &bytes(&[4]))
}

/// The S-box on each byte of a word.
fn substitute(s: &mut Session<'_>, word: OperandId) -> Result<OperandId> {
    if !logic::in_bits(s) {
        return logic::op(s, "aes.sub_bytes", &[word]);
    }
    let seen = logic::retype(s, word, &bits(&[4, 8]))?;
    let planes = exchanged(s, seen, [4, 8])?;
    let out = logic::op(s, "aes.sub_bytes", &[planes])?;
    let out = exchanged(s, out, [8, 4])?;
    logic::retype(s, out, &bytes(&[4]))
}

/// A matrix of bits with rows and columns exchanged, by views.
fn exchanged(s: &mut Session<'_>, x: OperandId, [rows, columns]: [u64; 2]) -> Result<OperandId> {
    let one = bits(&[1]);
    let places = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
    let parts: Vec<OperandId> = places.map(|at| logic::part(s, x, at, &one)).collect::<Result<_>>()?;
    logic::merge(s, &parts, &bits(&[columns, rows]))
}
