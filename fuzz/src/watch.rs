//! What a target may take: memory, and time of the processor.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A typed error.
    Refused,
    /// It was taken.
    Accepted,
}

/// Limits of one input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that may be held at once, beyond what was held before.
    pub bytes: usize,
    /// Milliseconds of the processor until it is refused.
    pub refused: f64,
    /// Milliseconds of the processor until it is done with.
    pub accepted: f64,
}

/// The system's allocator, which counts, and gives nothing beyond what the machine can bear.
pub struct Memory;

/// Bytes that are held, and most that were.
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Where allocations fail.
const MOST: usize = 3 << 30;

fn took(size: usize) {
    PEAK.fetch_max(HELD.fetch_add(size, Relaxed) + size, Relaxed);
}

#[allow(unsafe_code, reason = "an allocator")]
// SAFETY: every call goes to the system's allocator unchanged, or fails with a null pointer.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if HELD.load(Relaxed).saturating_add(layout.size()) > MOST {
            return std::ptr::null_mut();
        }
        took(layout.size());
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if HELD.load(Relaxed).saturating_add(layout.size()) > MOST {
            return std::ptr::null_mut();
        }
        took(layout.size());
        // SAFETY: as the caller says.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if HELD.load(Relaxed).saturating_add(size) > MOST {
            return std::ptr::null_mut();
        }
        took(size);
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Runs `input` on one target and looks at what it took. Time is looked at where the fuzzer is built in; tests that run
/// beside others on a busy machine say nothing about it.
///
/// # Panics
/// When it took more than it may.
pub fn watched(target: &super::Target, input: &[u8]) -> Verdict {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let start = processor_milliseconds();
    let verdict = (target.run)(input);
    let took = processor_milliseconds() - start;
    let peak = PEAK.load(Relaxed).saturating_sub(before);
    let limits = target.limits;
    assert!(peak <= limits.bytes, "{}: {peak} bytes, at most {} were expected", target.name, limits.bytes);
    let most = if verdict == Verdict::Refused { limits.refused } else { limits.accepted };
    assert!(took <= most, "{}: {verdict:?} after {took:.0} ms, at most {most} were expected", target.name);
    verdict
}

#[cfg(feature = "libfuzzer")]
#[allow(unsafe_code, reason = "the standard library has no clock of the processor")]
fn processor_milliseconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

#[cfg(not(feature = "libfuzzer"))]
fn processor_milliseconds() -> f64 {
    0.0
}
