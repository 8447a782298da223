//! The only unsafe code of the engine: one block of memory that several operators read and write at once.
#![expect(unsafe_code, reason = "threads share one arena; the plan keeps their parts apart, see below")]

use super::sync::Watch;
use crate::parallel;
use std::cell::UnsafeCell;

/// Words that a thread overwrites in one go.
const WIPED: usize = 1 << 16;

/// One block of 64-bit words.
///
/// # Why it is sound
/// A [`super::Plan`] gives every operator one output range and some input ranges, and an order: `a` comes before
/// `b` when `b` is notified by `a`, directly or through others. It keeps two rules.
///
/// 1. A range that is read was written by an operator that comes before the reader.
/// 2. A range is given to a second writer only when that writer comes after the first writer and after all its
///    readers (the ordering edges of `plan.rs`).
///
/// So while an operator runs, nobody else writes what it reads and nobody else touches what it writes: the slices
/// given out below never alias mutably. The run calls each operator once, and the counters that release an operator
/// are decremented and read under one lock, which orders the memory accesses.
#[derive(Default)]
pub(super) struct Arena {
    words: Box<[UnsafeCell<u64>]>,
    watch: Watch,
}

// SAFETY: see the type; all sharing goes through `read` and `write`, whose callers follow the plan.
unsafe impl Sync for Arena {}

impl Arena {
    /// `size` words of 0; `None` when there is no memory for them.
    pub(super) fn new(size: usize) -> Option<Self> {
        let mut words: Vec<UnsafeCell<u64>> = Vec::new();
        words.try_reserve_exact(size).ok()?;
        words.resize_with(size, || UnsafeCell::new(0));
        Some(Self { words: words.into_boxed_slice(), watch: Watch::new(size) })
    }

    /// Words `from..from + size`.
    ///
    /// # Safety
    /// Nobody writes them while the slice lives.
    pub(super) unsafe fn read(&self, from: usize, size: usize) -> &[u64] {
        self.watch.read(from, size);
        let words = &self.words[from..from + size];
        // SAFETY: UnsafeCell<u64> has the layout of u64; the range was checked; the caller keeps writers away.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size) }
    }

    /// Words `from..from + size`, to be written.
    ///
    /// # Safety
    /// Nobody else reads or writes them while the slice lives.
    #[expect(clippy::mut_from_ref, reason = "that is what the cells are for")]
    pub(super) unsafe fn write(&self, from: usize, size: usize) -> &mut [u64] {
        self.watch.write(from, size);
        let words = &self.words[from..from + size];
        // SAFETY: as in `read`, and the caller keeps everybody else away; the pointer comes from the cells.
        unsafe { std::slice::from_raw_parts_mut(UnsafeCell::raw_get(words.as_ptr()), size) }
    }

    /// Overwrites everything with 0.
    pub(super) fn wipe(&mut self) {
        let wipe = |words: &mut [UnsafeCell<u64>]| words.iter_mut().for_each(|word| *word.get_mut() = 0);
        parallel::map(self.words.len(), self.words.chunks_mut(WIPED), wipe);
    }
}
