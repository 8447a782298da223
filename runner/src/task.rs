//! What the management node and workers say to each other: parts of a round as tasks, and what came of them.

use crate::blob::Blob;
use crate::definition::{Operator, Range};
use crate::template::Template;
use crate::vector::Chunk;

/// A piece of work for one worker. Doing it twice gives the same bytes.
#[derive(Clone, Debug)]
pub struct Task {
    /// Number of its round.
    pub round: u32,
    /// The sub-vector that it belongs to.
    pub part: u32,
    /// What is done.
    pub work: Work,
    /// Globals by name: their rows.
    pub globals: Vec<(String, Blob)>,
}

/// What one task does with its rows.
#[derive(Clone, Debug)]
pub enum Work {
    /// Calls operators.
    Map(Calls),
    /// Makes one run of chunks, sorted by key, of several such: values of earlier runs come first.
    Reduce {
        /// Sorted by key, each key once.
        runs: Vec<Vec<Chunk>>,
        /// What the rows are.
        of: Template,
        /// Makes one value of two.
        reduce: Blob,
    },
}

/// Operators, and the rows that they are called with.
#[derive(Clone, Debug)]
pub struct Calls {
    /// One after the other, each over all that the one before gave.
    pub steps: Vec<Operator>,
    /// The rows.
    pub chunk: Chunk,
    /// Positions in the chunk of the rows that are visited, half-open.
    pub range: Range,
    /// Of `CrossMap`: rows of another sub-vector.
    pub other: Option<Chunk>,
    /// What the rows are.
    pub of: Template,
    /// Where results have to go, if the round says so.
    pub result: Option<Template>,
    /// Makes one value of two with equal keys.
    pub reduce: Option<Blob>,
}

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In order; sorted by key where there is a reducer.
    pub chunks: Vec<Chunk>,
    /// What the rows are; nothing where there are none.
    pub template: Option<Template>,
    /// How often operators were called.
    pub calls: u64,
}
