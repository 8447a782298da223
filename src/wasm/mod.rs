//! The JavaScript border: the only place that knows `wasm_bindgen`.
#[cfg(feature = "threads")]
pub mod pool;
