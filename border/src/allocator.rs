//! The allocator of the WebAssembly modules: dlmalloc, as the standard library's, over memory that grows in large steps, behind a lock that sleeps.
//!
//! V8 tells a realm of a growth that another one made at its next safe point, and until then atomic and bulk operations (`memory.copy`, `memory.fill`) trap beyond the size that the realm knows. A
//! thread that takes a block of memory which another one made a moment ago may come before that. The standard library's allocator grows by 64 kB whenever that does; here there is room for all that 16 threads need to
//! start before the second one joins, and a few growths in an engine's life. The lock is the standard library's mutex, whose waiting is such a safe point: the one in its allocator spins for as long as its
//! owner is off the processor.
#![expect(unsafe_code, reason = "an allocator: what it promises is dlmalloc's, and the lock's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::{memory_grow, memory_size};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::{Allocator, Dlmalloc};

/// Bytes of a page of WebAssembly.
const PAGE: usize = 65_536;
/// Pages that the first growth makes, 48 MiB: stacks of 16 threads, 2 MiB each, and what they begin with. Memory that nobody has touched takes addresses and nothing else.
const FIRST: usize = 768;

/// Has the standard library's allocator take its page now, rather than while threads start: it stays in use for what they drop at their end.
pub fn start() {
    let layout = Layout::new::<u64>();
    // SAFETY: the layout has a size.
    let block = unsafe { System.alloc(layout) };
    if !block.is_null() {
        // SAFETY: the block goes back where it came from.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Where dlmalloc has its memory from.
struct Growing;

// SAFETY: `alloc` gives memory that nobody else has: `memory.grow` never gives the same pages twice. None is taken back.
unsafe impl Allocator for Growing {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let needed = size.div_ceil(PAGE);
        // A quarter more each time; near the maximum half of what is left, or more.
        let mut pages = needed.max(FIRST).max(memory_size::<0>() / 4);
        let before = loop {
            let before = memory_grow::<0>(pages);
            if before != usize::MAX {
                break before;
            }
            if pages == needed {
                return (null_mut(), 0, 0);
            }
            pages = (pages / 2).max(needed);
        };
        let end = (before + pages).checked_mul(PAGE);
        // No pointer may wrap around behind the last byte of 4 GiB.
        let bytes = pages * PAGE - if end.is_none() { 16 } else { 0 };
        ((before * PAGE) as *mut u8, bytes, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}

struct Shared(Mutex<Dlmalloc<Growing>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Dlmalloc<Growing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: dlmalloc's promises, of one caller at a time.
unsafe impl GlobalAlloc for Shared {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's `layout` has a size.
        unsafe { self.lock().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.lock().calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller has `block` from here, with this layout.
        unsafe { self.lock().free(block, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the same.
        unsafe { self.lock().realloc(block, layout.size(), layout.align(), size) }
    }
}

#[global_allocator]
static ALLOCATOR: Shared = Shared(Mutex::new(Dlmalloc::new_with_allocator(Growing)));
