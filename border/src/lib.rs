//! The JavaScript border: the only place that knows `wasm_bindgen`, and, by the feature `native`, Node's interface for addons. Thin classes over `cipherloom::tasks` (feature `tasks`),
//! `circuit` (feature `graphs`) and the conformance suite (feature `conformance`), which become modules of their own, so that who
//! needs one need not load the others; names, defaults and documentation for users are TypeScript's (`bindings/src`).
//!
//! Every throw is an `Error` with a stable `code` and with `details`.

#[cfg(target_arch = "wasm32")]
mod allocator;
#[cfg(feature = "graphs")]
pub mod circuit;
#[cfg(any(feature = "tasks", feature = "graphs"))]
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(any(feature = "tasks", feature = "graphs"))]
pub mod device;
#[cfg(feature = "graphs")]
pub mod elsewhere;
mod error;
#[cfg(any(feature = "tasks", feature = "graphs"))]
mod job;
#[cfg(feature = "tasks")]
pub mod joint;
mod js;
#[cfg(all(not(feature = "native"), any(feature = "tasks", feature = "graphs", feature = "conformance")))]
pub mod kernels;
#[cfg(feature = "graphs")]
mod last_plan;
#[cfg(feature = "graphs")]
pub mod parties;
#[cfg(all(feature = "threads", not(feature = "native")))]
pub mod pool;
#[cfg(all(feature = "threads", feature = "native"))]
#[path = "pool_native.rs"]
pub mod pool;
#[cfg(feature = "tasks")]
pub mod tasks;
#[cfg(any(feature = "tasks", feature = "graphs", feature = "conformance"))]
mod values;
#[cfg(feature = "graphs")]
pub mod verification;
#[cfg(any(feature = "tasks", feature = "graphs"))]
mod view;

#[cfg(any(feature = "tasks", feature = "graphs"))]
use clock::CLOCK;
pub use error::Thrown;
#[cfg(any(feature = "tasks", feature = "graphs", feature = "conformance"))]
use error::to_js;
#[cfg(any(feature = "tasks", feature = "graphs"))]
pub use job::RawJob;
#[cfg(feature = "tasks")]
use job::js_outputs;
#[cfg(any(feature = "tasks", feature = "graphs"))]
use job::{platform, watched};
use js::wasm_bindgen;
#[cfg(any(feature = "tasks", feature = "graphs", feature = "conformance"))]
use values::{copy, set};
#[cfg(any(feature = "tasks", feature = "graphs"))]
use view::view_of;

/// Makes panics readable on the console; a panic traps, and the module is then of no more use.
#[cfg(not(feature = "native"))]
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_arch = "wasm32")]
    allocator::start();
    console_error_panic_hook::set_once();
}

/// Version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    cipherloom::VERSION.to_owned()
}

/// Threads of this instance.
#[wasm_bindgen]
pub fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// The function table of this instance: what `js/` puts kernels into. Every module of WebAssembly has one, as every pool's worker asks for it.
#[cfg(not(feature = "native"))]
#[wasm_bindgen(js_name = functionTable)]
pub fn function_table() -> js::JsValue {
    wasm_bindgen::function_table()
}
