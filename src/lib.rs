//! cipherloom: compute on data that you may not see.
pub mod analyze;
pub mod error;
pub mod graph;
pub mod math;

pub use error::{Error, Result};
