//! Fuzz targets: hostile bytes of each kind that travels, program literals, tasks and graph texts. Each is a function of
//! bytes, so that one fuzzer drives all, and a test replays what it found.
//!
//! A target panics when something is wrong: the code under test panicked, took a number that is no residue, took too much
//! memory or time (see [`watch`]), or did not come back to what it was made from.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a finding is told"
)]

pub mod changes;
pub mod container;
pub mod edits;
pub mod json;
pub mod lines;
pub mod random;
pub mod road;
pub mod targets;
pub mod watch;

pub use random::Random;
pub use targets::{TARGETS, Target, named};
pub use watch::{Memory, Verdict, watched};
