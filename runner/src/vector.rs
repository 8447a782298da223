//! Vectors: rows as chunks, in their order, each of one sub-vector.

use crate::template::Template;
use std::sync::Arc;

/// Rows as bytes.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// How many.
    pub rows: u64,
    /// See `chunk`.
    pub bytes: Arc<[u8]>,
}

/// A chunk, and where it belongs.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The rows.
    pub chunk: Chunk,
    /// The sub-vector.
    pub part: u32,
    /// The position of its first row in its sub-vector.
    pub first: u64,
}

/// A vector.
#[derive(Clone, Debug)]
pub struct Vector {
    /// What its rows are.
    pub template: Template,
    /// How many sub-vectors.
    pub parts: u32,
    /// In the order in which rows are read.
    pub chunks: Vec<Placed>,
    /// Rows of each sub-vector that has some, so far.
    lengths: std::collections::HashMap<u32, u64>,
}

impl Vector {
    /// One without rows.
    pub fn new(template: Template, parts: u32) -> Self {
        Self { template, parts, chunks: Vec::new(), lengths: std::collections::HashMap::new() }
    }

    /// Takes a chunk, after all others.
    pub fn push(&mut self, part: u32, chunk: Chunk) {
        let length = self.lengths.entry(part).or_default();
        let first = *length;
        *length = length.saturating_add(chunk.rows);
        self.chunks.push(Placed { chunk, part, first });
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.chunks.iter().map(|placed| placed.chunk.rows).sum()
    }
}
