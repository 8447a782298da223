//! The container that everything travels in, taken apart and sealed again: its checksum stops accidents only, so a fuzzer
//! has to get behind it.
//!
//! Only the frame is known here: the head (magic, kind, version) comes from a container that the package made.

use twox_hash::XxHash3_128;

/// Magic, kind and version.
const HEAD: usize = 13;
const LENGTH: usize = 8;
const CHECKSUM: usize = 16;

/// What a container holds.
pub fn content(bytes: &[u8]) -> &[u8] {
    &bytes[HEAD + LENGTH..bytes.len() - CHECKSUM]
}

/// `content` in a container with the head of `like`, with length and checksum that fit.
pub fn sealed(like: &[u8], content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + LENGTH + content.len() + CHECKSUM);
    bytes.extend_from_slice(&like[..HEAD]);
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(content);
    let checksum = XxHash3_128::oneshot(&bytes).to_le_bytes();
    bytes.extend_from_slice(&checksum);
    bytes
}

/// Bytes of any make with a checksum that fits all before it.
pub fn checked(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(end) = bytes.len().checked_sub(CHECKSUM) {
        let checksum = XxHash3_128::oneshot(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
    }
    bytes
}
