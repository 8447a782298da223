//! The clock of runs and traces: milliseconds since 1970.

use cipherloom::engine::Clock;

#[cfg(not(feature = "native"))]
mod performance {
    use crate::js::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        pub(super) fn performance_now() -> f64;
        #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
        pub(super) static TIME_ORIGIN: f64;
    }
}

/// Every worker counts from its own start; only with that added do the threads of a pool agree on a deadline.
#[cfg(not(feature = "native"))]
pub(super) const CLOCK: Clock =
    || performance::TIME_ORIGIN.with(|origin| *origin) + performance::performance_now();

/// That of JavaScript, on every thread.
#[cfg(feature = "native")]
pub(super) const CLOCK: Clock = cipherloom_node::now;
