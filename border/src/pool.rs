//! The thread pool of a shared-memory build: rayon's threads run on JavaScript workers that share this module's
//! memory.
//!
//! Start-up has two halves, and JavaScript (`js/pool.js`) starts both. Each worker enters [`pool_serve`], which
//! waits to be handed a rayon thread and then runs it for good. [`pool_start`], on the thread that drives the
//! computation, makes the pool and hands its threads out. No half calls JavaScript, so the generated glue imports
//! no worker script, and bundlers see none but those that `js/` names.

use super::js::{JsError, wasm_bindgen};
use std::sync::{Condvar, Mutex, PoisonError};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Rayon threads that no worker runs yet. One memory holds one pool, so this can be a static.
static THREADS: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());
/// Signals a push to [`THREADS`].
static HANDED_OUT: Condvar = Condvar::new();

/// Makes the global rayon pool of `threads` threads: the calling one and `threads - 1` workers.
///
/// Returns once every worker runs its thread, so as many workers must be in (or on their way into)
/// [`pool_serve`]. The calling thread takes part in the work while it waits for it.
///
/// # Errors
/// Where the pool was started before.
#[wasm_bindgen(js_name = poolStart)]
pub fn pool_start(threads: usize) -> Result<(), JsError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).use_current_thread().spawn_handler(|thread| {
        THREADS.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        HANDED_OUT.notify_one();
        Ok(())
    });
    Ok(pool.build_global()?)
}

/// Runs one thread of the pool on the calling worker. Does not return while the pool lives.
#[wasm_bindgen(js_name = poolServe)]
pub fn pool_serve() {
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let thread = loop {
        match threads.pop() {
            Some(thread) => break thread,
            None => threads = HANDED_OUT.wait(threads).unwrap_or_else(PoisonError::into_inner),
        }
    };
    drop(threads);
    thread.run();
}
