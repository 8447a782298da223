//! Very large graphs, stage by stage, natively: time, memory held and its peak. Usage: scale [SHAPE [COUNT...]]

#![allow(clippy::unwrap_used, clippy::panic, reason = "a tool for developers")]
#![expect(unsafe_code, reason = "a global allocator that counts")]

#[path = "../src/shapes.rs"]
mod shapes;

use cipherloom::circuit::{Circuit, RunOptions, To};
use cipherloom::platform::Simd;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Seconds of this thread: of the processor, where Linux tells, so that a busy machine does not count.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.as_deref().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Times a stage, whose result stays held.
fn stage<T>(name: &str, spent: &mut f64, work: impl FnOnce() -> cipherloom::Result<T>) -> T {
    PEAK.store(LIVE.load(Relaxed), Relaxed);
    let start = clock();
    let result = work().unwrap_or_else(|error| panic!("{name}: {error}"));
    let seconds = clock() - start;
    *spent += seconds;
    let mb = |bytes: &AtomicUsize| bytes.load(Relaxed) as f64 / 1e6;
    println!("  {name:10} {seconds:8.4} s   held {:7.1} MB   peak {:7.1} MB", mb(&LIVE), mb(&PEAK));
    result
}

fn measure(shape: &str, count: usize) {
    let registry = Arc::new(cipherloom::registry());
    let platform = Simd::new();
    println!("{shape} {count}");
    let mut total = 0.0;
    // What the next stage does not need is dropped, as `using` does.
    let built = stage("build", &mut total, || shapes::build(shape, &registry, count));
    let base = stage("expand", &mut total, || built.expand(To::Platform(&platform)));
    drop(built);
    let lean = stage("optimize", &mut total, || base.optimize_by_default());
    let (expanded, operators) = (base.graph().operators().len(), lean.graph().operators().len());
    drop(base);
    let analysis = stage("analyze", &mut total, || lean.analyze());
    let plan = stage("plan", &mut total, || lean.plan(&platform, &[], RunOptions::default()));
    println!("  together   {total:8.4} s: {expanded} operators, optimized {operators}");
    drop((analysis, plan));
    let mut spent = 0.0;
    let bytes = stage("to_bytes", &mut spent, || Ok(lean.to_bytes()));
    println!("  {:.2} bytes an operator", bytes.len() as f64 / operators as f64);
    let again = stage("from_bytes", &mut spent, || Circuit::from_bytes(&bytes, Arc::clone(&registry)));
    assert!(again.to_bytes() == bytes, "the same circuit");
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let counts: Vec<usize> = args.iter().skip(1).map(|count| count.parse().unwrap()).collect();
    let counts = if counts.is_empty() { vec![10_000, 100_000, 1_000_000] } else { counts };
    for (shape, _) in shapes::SHAPES {
        if args.first().is_none_or(|wanted| wanted == "all" || wanted == shape) {
            counts.iter().for_each(|&count| measure(shape, count));
        }
    }
}
