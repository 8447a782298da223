//! What cipherloom computes with: numbers, graphs of operators on them, the expansion into a base set, kernels for that set,
//! and the engine that plans and runs them.
//!
//! Nothing here knows a scheme, a ciphertext or a task: what they are is said in graphs, by the crate `cipherloom`, which
//! names all of this again. `ARCHITECTURE.md` draws the rooms of both.

pub mod analyze;
pub mod engine;
pub mod error;
mod error_details;
pub mod expand;
pub mod graph;
pub mod math;
pub mod memory;
pub mod ops;
pub mod parallel;
pub mod place;
pub mod platform;
pub mod sorted;
pub mod watch;

pub use error::{At, Difference, Error, Result};
