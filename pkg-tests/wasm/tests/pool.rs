//! The thread pool: every thread is there, and takes part.
#![cfg(target_arch = "wasm32")]

use std::collections::HashSet;
use std::thread::current;

use cipherloom_border::pool::pool_start;
use cipherloom_wasm_tests::start_pool;
use rayon::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

// A page's main thread may not block: here, as in the package, a dedicated worker drives.
wasm_bindgen_test_configure!(run_in_dedicated_worker);

const THREADS: usize = 3;

#[wasm_bindgen_test]
async fn parallel_iterators_run_on_every_thread_of_the_pool() {
    start_pool(THREADS).await.unwrap();

    assert_eq!(rayon::current_num_threads(), THREADS);
    let seen: HashSet<_> = rayon::broadcast(|_| current().id()).into_iter().collect();
    assert_eq!(seen.len(), THREADS);
    let parallel: u64 = (0..1_000_000u64).into_par_iter().map(|x| x * x % 65_537).sum();
    let serial: u64 = (0..1_000_000u64).map(|x| x * x % 65_537).sum();
    assert_eq!(parallel, serial);
}

#[wasm_bindgen_test]
async fn a_second_pool_over_one_memory_is_refused() {
    start_pool(THREADS).await.unwrap();
    assert!(pool_start(THREADS).is_err());
}
