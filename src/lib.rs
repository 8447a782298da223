//! cipherloom: compute on data that you may not see.
pub mod math;
#[cfg(feature = "wasm")]
pub mod wasm;
