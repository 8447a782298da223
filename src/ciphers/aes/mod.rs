//! AES (FIPS 197) with keys of 128, 192 and 256 bits, in both directions; counter mode (SP 800-38A) and GCM
//! (SP 800-38D). ECB is `aes.encrypt_blocks` itself.
//!
//! Three granularities: whole rounds (`aes.round`), steps of bytes and a table, gates on bits (unit 1). A step and its
//! inverse stand in one file, since they share a rule.
//!
//! *Blocks* are `u8[n,16]`. Rounds work on the *state* of FIPS 197, for all blocks at once: s[r, c] of every block lies
//! together, `u8[4,4,n]` in unit 8. In unit 1 it is `bit[8,4,4,n]`: bit 0 of everything, then bit 1. So rows, columns and
//! bits are views, and each kernel runs along the blocks.

mod add_round_key;
mod blocks;
mod counter_blocks;
mod ctr;
mod field;
mod galois_counter;
mod gcm_open;
mod gcm_seal;
mod key_schedule;
mod mix_columns;
mod round;
mod shift_rows;
mod state;
mod sub_bytes;
mod tables;
mod to_blocks;
mod to_state;

use crate::ops::OpDef;
use std::sync::Arc;

/// The operator types of this folder.
pub(super) fn all() -> Vec<Arc<dyn OpDef>> {
    let mut all: Vec<Arc<dyn OpDef>> = vec![
        Arc::new(add_round_key::AddRoundKey),
        Arc::new(counter_blocks::CounterBlocks),
        Arc::new(ctr::Ctr),
        Arc::new(gcm_open::GcmOpen),
        Arc::new(gcm_seal::GcmSeal),
        Arc::new(key_schedule::KeySchedule),
        Arc::new(to_blocks::ToBlocks),
        Arc::new(to_state::ToState),
    ];
    for inverse in [false, true] {
        all.push(Arc::new(blocks::Blocks { inverse }));
        all.push(Arc::new(mix_columns::MixColumns { inverse }));
        all.push(Arc::new(round::Round { inverse }));
        all.push(Arc::new(shift_rows::ShiftRows { inverse }));
        all.push(Arc::new(sub_bytes::SubBytes { inverse }));
    }
    all
}
