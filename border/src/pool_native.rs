//! The thread pool of an addon: threads of the system, and one pool for each thread of JavaScript that computes.

use super::Thrown;
use super::js::wasm_bindgen;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;

/// What a thread may need: as much as those in wasm have.
const STACK_BYTES: usize = 2 << 20;

thread_local! {
    static POOL: RefCell<Option<ThreadPool>> = const { RefCell::new(None) };
}

/// Makes the pool of the calling thread: that one, which takes part in the work while it waits for it, and `threads - 1` others. Without it the work would be
/// that of a pool for the whole process. Once made it stays: where several instances are on one thread, they share it.
///
/// # Errors
/// Throws where the system has no more threads, and for another number of them than before.
#[wasm_bindgen(js_name = poolStart)]
pub fn pool_start(threads: usize) -> Result<(), Thrown> {
    POOL.with_borrow_mut(|pool| match pool {
        Some(made) if made.current_num_threads() == threads => Ok(()),
        Some(_) => Err(cipherloom::Error::Job("this thread has a pool of another number of threads").into()),
        none => {
            let made =
                ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).use_current_thread();
            let made = made.thread_name(|index| format!("cipherloom-{index}")).build();
            *none = Some(made.map_err(|_| cipherloom::Error::Job("the threads of the pool do not start"))?);
            Ok(())
        }
    })
}
