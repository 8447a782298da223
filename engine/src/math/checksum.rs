//! The checksum of bytes that travel.

use twox_hash::XxHash3_128;

/// Bytes of a checksum.
pub const SIZE: usize = 16;

/// XXH3 of 128 bits (Y. Collet, xxHash specification).
pub fn checksum(bytes: &[u8]) -> [u8; SIZE] {
    XxHash3_128::oneshot(bytes).to_le_bytes()
}
