//! Large bytes that many tasks use: circuits, programs, globals. Each is kept once, by what is in it.

use std::collections::HashMap;
use std::sync::Arc;

/// Bytes and their number, by which other processes know them.
#[derive(Clone, Debug)]
pub struct Blob {
    /// Its number in the run.
    pub number: u32,
    /// What it is.
    pub bytes: Arc<[u8]>,
}

/// All blobs of a run.
#[derive(Default)]
pub struct Blobs {
    known: HashMap<[u8; 32], Blob>,
}

impl Blobs {
    /// The blob of these bytes.
    pub fn keep(&mut self, bytes: &[u8]) -> Blob {
        let number = self.known.len() as u32;
        let new = || Blob { number, bytes: bytes.into() };
        self.known.entry(*blake3::hash(bytes).as_bytes()).or_insert_with(new).clone()
    }
}
