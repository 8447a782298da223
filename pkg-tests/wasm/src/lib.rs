//! Tests of the wasm builds in a real browser: `node scripts/test-wasm.mjs`.
//!
//! A crate of its own, so that its tests are built without the native ones and what these depend on.
#![cfg(target_arch = "wasm32")]

#[cfg(feature = "threads")]
mod pool;

#[cfg(feature = "threads")]
pub use pool::{counter, indices, panic, spin, start_pool, sum};

/// The build with one thread has no pool to start.
///
/// # Errors
/// None.
#[cfg(not(feature = "threads"))]
pub async fn start_pool(_: usize) -> Result<(), wasm_bindgen::JsValue> {
    Ok(())
}
