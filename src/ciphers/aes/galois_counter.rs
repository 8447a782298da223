//! What both directions of GCM (SP 800-38D) share: hash key, counters, tag.

use crate::Result;
use crate::ciphers::call::{BLOCK, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId};
use crate::ops::{Call, Session};

/// Bytes of a tag.
pub(super) const TAG: u64 = 16;

/// Most bytes of a message: 2^32 - 2 blocks.
const MOST: u64 = (1 << 36) - 32;

/// Checks the length of a message.
///
/// # Errors
/// `Operator` for one that is too long.
pub(super) fn check_length(call: &Call<'_>, len: u64) -> Result<()> {
    match len {
        0..=MOST => Ok(()),
        _ => Err(call.error("bytes of the message", len, format!("at most {MOST}"))),
    }
}

/// A message's key stream and what its tag needs.
pub(super) struct GaloisCounter {
    /// E(0), which the hash multiplies by.
    hash_key: OperandId,
    /// The encrypted first counter block: hides the hash.
    tag_mask: OperandId,
    /// The blocks behind it; none for an empty message.
    stream: Option<OperandId>,
}

impl GaloisCounter {
    /// For a message of `len` bytes.
    ///
    /// # Errors
    /// What the session says.
    pub(super) fn new(s: &mut Session<'_>, keys: OperandId, iv: OperandId, len: u64) -> Result<Self> {
        let zero = logic::constant(s, &bytes(&[1, BLOCK]), &[0; 16])?;
        let hash_key = logic::op(s, "aes.encrypt_blocks", &[zero, keys])?;
        let hash_key = logic::retype(s, hash_key, &bytes(&[BLOCK]))?;
        let first = first_counter(s, iv, hash_key)?;
        let attrs = Attrs::new().with("n", 1 + len.div_ceil(BLOCK)).with("bits", 32u64);
        let counters = s.op("aes.counter_blocks", attrs, &[first])?;
        let blocks = logic::op(s, "aes.encrypt_blocks", &[counters, keys])?;
        let tag_mask = logic::part(s, blocks, 0, &bytes(&[BLOCK]))?;
        let stream = match len {
            0 => None,
            _ => Some(logic::part(s, blocks, BLOCK, &bytes(&[len]))?),
        };
        Ok(Self { hash_key, tag_mask, stream })
    }

    /// A message of that length encrypted, or decrypted.
    ///
    /// # Errors
    /// `Operator` for another length.
    pub(super) fn apply(&self, s: &mut Session<'_>, message: Option<OperandId>) -> Result<Option<OperandId>> {
        match (message, self.stream) {
            (Some(message), Some(stream)) => logic::xor(s, message, stream).map(Some),
            _ => Ok(None),
        }
    }

    /// The tag of additional data and ciphertext.
    ///
    /// # Errors
    /// What the session says.
    pub(super) fn tag(
        &self,
        s: &mut Session<'_>,
        additional: Option<OperandId>,
        ciphertext: Option<OperandId>,
    ) -> Result<OperandId> {
        let mut lengths = Vec::new();
        for part in [additional, ciphertext] {
            let len = match part {
                Some(part) => logic::tensor(s, part)?.len() as u64,
                None => 0,
            };
            lengths.extend((8 * len).to_be_bytes());
        }
        let lengths = logic::constant(s, &bytes(&[BLOCK]), &lengths)?;
        let parts: Vec<OperandId> = additional.into_iter().chain(ciphertext).chain([lengths]).collect();
        let blocks = logic::padded(s, &parts)?;
        let hash = logic::op(s, "ghash.hash", &[blocks, self.hash_key])?;
        logic::xor(s, hash, self.tag_mask)
    }
}

/// The first counter block: an IV of 12 bytes and the number 1, or the hash of any other.
fn first_counter(s: &mut Session<'_>, iv: OperandId, hash_key: OperandId) -> Result<OperandId> {
    let len = logic::tensor(s, iv)?.len() as u64;
    if len == 12 {
        let one = logic::constant(s, &bytes(&[4]), &[0, 0, 0, 1])?;
        return logic::merge(s, &[iv, one], &bytes(&[BLOCK]));
    }
    let lengths = u128::from(8 * len).to_be_bytes();
    let lengths = logic::constant(s, &bytes(&[BLOCK]), &lengths)?;
    let blocks = logic::padded(s, &[iv, lengths])?;
    logic::op(s, "ghash.hash", &[blocks, hash_key])
}
