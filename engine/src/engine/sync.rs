//! What the threads of a run share: the standard library's types or, where `--cfg loom` is set, those of the model checker
//! loom, so that `models.rs` explores the code that runs, not a copy of it.

#[cfg(not(loom))]
mod imp {
    pub use rayon::current_num_threads;
    pub use std::hint::spin_loop;
    pub use std::sync::atomic::{AtomicU32, Ordering};
    pub use std::sync::{Condvar, Mutex, MutexGuard};

    /// Nobody watches.
    #[derive(Default)]
    pub struct Watch;

    impl Watch {
        pub fn new(_: usize) -> Self {
            Self
        }
        pub fn read(&self, _: usize, _: usize) {}
        pub fn write(&self, _: usize, _: usize) {}
    }
}

#[cfg(loom)]
mod imp {
    use loom::cell::UnsafeCell;
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic::{AtomicU32, Ordering};
    pub use loom::sync::{Condvar, Mutex, MutexGuard};

    /// As many as `models.rs` starts.
    pub fn current_num_threads() -> usize {
        2
    }

    /// A cell for each word of an arena. loom fails the model when two threads touch one, one of them to write, and no lock
    /// or join puts one before the other.
    #[derive(Default)]
    pub struct Watch(Box<[UnsafeCell<()>]>);

    impl Watch {
        pub fn new(size: usize) -> Self {
            Self((0..size).map(|_| UnsafeCell::new(())).collect())
        }
        pub fn read(&self, from: usize, size: usize) {
            self.0[from..from + size].iter().for_each(|cell| cell.with(|_| ()));
        }
        pub fn write(&self, from: usize, size: usize) {
            self.0[from..from + size].iter().for_each(|cell| cell.with_mut(|_| ()));
        }
    }
}

pub use imp::*;
