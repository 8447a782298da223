//! The JavaScript border: the only place that knows `wasm_bindgen`. Thin classes over `program` (feature `columns`) and
//! `circuit` (feature `graphs`), which are modules of their own, so that who has one need not load the other; names, defaults
//! and documentation for users are TypeScript's (`bindings/src`).
//!
//! Every throw is an `Error` with a stable `code` and with `details`.

#[cfg(feature = "graphs")]
pub mod circuit;
#[cfg(feature = "columns")]
pub mod columns;
#[cfg(feature = "graphs")]
pub mod elsewhere;
mod error;
mod job;
#[cfg(feature = "threads")]
pub mod pool;
#[cfg(feature = "graphs")]
pub mod verification;

use crate::engine::Clock;
use crate::graph::Graph;
use crate::memory;
use crate::platform::Simd;
use crate::program::GraphView;
pub use error::Thrown;
#[cfg(feature = "columns")]
use error::from_js;
use error::to_js;
pub use job::RawJob;
use js_sys::{Reflect, Uint8Array};
use std::sync::{Arc, OnceLock};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;
}

/// Every worker counts from its own start; only with that added do the threads of a pool agree on a deadline.
const CLOCK: Clock = || TIME_ORIGIN.with(|origin| *origin) + performance_now();

/// Makes panics readable on the console; a panic traps, and the module is then of no more use.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// Version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Threads of this instance.
#[wasm_bindgen]
pub fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// One platform for all programs or circuits: they share its tables.
fn platform() -> Arc<Simd> {
    static PLATFORM: OnceLock<Arc<Simd>> = OnceLock::new();
    // Columns are made of lattice operators.
    let new = if cfg!(feature = "graphs") { Simd::new } else { Simd::lattice };
    Arc::clone(PLATFORM.get_or_init(|| Arc::new(new())))
}

/// A graph as arrays.
fn view_of(graph: &Graph) -> Result<JsValue, Thrown> {
    let view = GraphView::new(graph)?;
    let out = to_js(&view)?;
    // Numbers travel as typed arrays.
    let arrays: [(&str, JsValue); 7] = [
        ("type", js_sys::Uint32Array::from(view.r#type.as_slice()).into()),
        ("parent", js_sys::Int32Array::from(view.parent.as_slice()).into()),
        ("inputsStart", js_sys::Uint32Array::from(view.inputs_start.as_slice()).into()),
        ("inputs", js_sys::Int32Array::from(view.inputs.as_slice()).into()),
        ("placeholders", js_sys::Float64Array::from(view.placeholders.as_slice()).into()),
        ("label", js_sys::Uint32Array::from(view.label.as_slice()).into()),
        ("wave", js_sys::Uint32Array::from(view.wave.as_slice()).into()),
    ];
    for (name, array) in arrays {
        set(&out, name, &array);
    }
    Ok(out)
}

/// Bytes from JavaScript. The glue's own copy would trap where memory is short.
fn copy(bytes: &Uint8Array) -> Result<Vec<u8>, crate::Error> {
    let mut copy = memory::zeros(bytes.length() as usize)?;
    bytes.copy_to(&mut copy);
    Ok(copy)
}

/// Sets a property of a plain object, which cannot fail.
fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
