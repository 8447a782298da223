//! The pool of a build with shared memory, and what its tests do with it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cipherloom_border::pool::pool_start;
use rayon::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

// `js/pool.js` starts the workers of the package's glue; this does so for the glue that the test runner makes.
#[wasm_bindgen(inline_js = r#"
const source = `
  import { initSync, poolServe } from '${new URL('/wasm-bindgen-test.js', import.meta.url)}';
  addEventListener('message', ({ data }) => { initSync(data); postMessage('ready'); poolServe(); });
`;
const workers = [];
export async function startWorkers(count, module, memory) {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const ready = [];
  for (let started = 0; started < count; started++) {
    const worker = new Worker(url, { type: 'module' });
    ready.push(new Promise((resolve, reject) => { worker.onmessage = resolve; worker.onerror = reject; }));
    worker.postMessage({ module, memory });
    workers.push(worker);
  }
  await Promise.all(ready);
}
"#)]
extern "C" {
    #[wasm_bindgen(js_name = startWorkers)]
    fn start_workers(count: usize, module: JsValue, memory: JsValue) -> js_sys::Promise;
}

/// Starts the pool of `threads` threads, of which the calling one is the first, unless it runs: the tests of one file
/// share it.
///
/// # Errors
/// Where a worker does not start.
pub async fn start_pool(threads: usize) -> Result<(), JsValue> {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if STARTED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    JsFuture::from(start_workers(threads - 1, wasm_bindgen::module(), wasm_bindgen::memory())).await?;
    Ok(pool_start(threads)?)
}

/// The index of each thread of the pool, told by itself.
#[wasm_bindgen]
pub fn indices() -> Vec<usize> {
    rayon::broadcast(|thread| thread.index())
}

/// 1 + 2 + ... + n, on every thread.
#[wasm_bindgen]
pub fn sum(n: u32) -> f64 {
    (1..=n).into_par_iter().map(f64::from).sum()
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The address of what [`spin`] counts up.
#[wasm_bindgen]
pub fn counter() -> usize {
    COUNTER.as_ptr() as usize
}

/// Keeps every thread busy for good.
#[wasm_bindgen]
pub fn spin() {
    rayon::broadcast(|_| {
        loop {
            COUNTER.fetch_add(1, Ordering::Relaxed);
        }
    });
}

/// Panics on one thread of the pool.
#[wasm_bindgen]
pub fn panic(thread: usize) {
    rayon::broadcast(|context| assert_ne!(context.index(), thread, "as it was told to"));
}
