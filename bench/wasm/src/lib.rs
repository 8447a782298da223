//! What the benchmark measures of the core, below the public JavaScript API: single operators as resident programs,
//! kernels, the engine without its scheduling, and very large graphs. Built by `bench/build.mjs`, driven by `bench/`.
#![cfg(target_arch = "wasm32")]

mod circuit;
mod kernels;
mod operators;
mod scale;
mod scheme;
mod shapes;
mod task;

use cipherloom::engine::Clock;
use wasm_bindgen::prelude::*;

/// The thread pool.
pub use cipherloom_border::pool;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// The clock of every run. Only spans of one thread are compared.
const CLOCK: Clock = || performance_now();

/// Bytes of memory that the instance has taken; it never shrinks.
#[wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    core::arch::wasm32::memory_size::<0>() as f64 * 65536.0
}
