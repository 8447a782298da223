//! cipherloom: compute on data that you may not see.
pub mod analyze;
pub mod engine;
pub mod error;
pub mod expand;
pub mod graph;
pub mod math;
pub mod ops;
pub mod optimize;
pub mod place;
pub mod platform;
pub mod schemes;

pub use error::{Error, Result};
