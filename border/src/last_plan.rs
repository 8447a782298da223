//! The plan of the last run of a circuit: who runs it again, as pages do, neither plans nor allocates again.

use cipherloom::circuit::Execution;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Larger plans are not kept: their circuits may never run again.
const MOST_BYTES: u64 = 1 << 27;
const MOST_OPERATORS: usize = 1 << 17;

/// What a plan depends on, beside the circuit.
#[derive(PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) platforms: Vec<String>,
    pub(super) keep: Vec<u32>,
    pub(super) memory_limit: u64,
    pub(super) secret: bool,
}

struct Last {
    circuit: u32,
    wanted: Wanted,
    execution: Arc<Execution>,
}

thread_local! {
    /// Of this instance, which one thread drives.
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Tells one circuit from all others; when it is dropped, its plan is.
pub(super) struct Owner(u32);

impl Owner {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The plan that is wanted: the last one, or what `plan` makes. Of two circuits only one has its memory.
    pub(super) fn plan<E>(
        &self,
        wanted: Wanted,
        plan: impl FnOnce(&Wanted) -> Result<Execution, E>,
    ) -> Result<Arc<Execution>, E> {
        // What is not wanted goes before more memory is asked for.
        drop(
            LAST.with_borrow_mut(|last| last.take_if(|last| last.circuit != self.0 || last.wanted != wanted)),
        );
        if let Some(same) = LAST.with_borrow(|last| last.as_ref().map(|last| Arc::clone(&last.execution))) {
            return Ok(same);
        }
        let execution = Arc::new(plan(&wanted)?);
        let plan = execution.plan();
        if plan.memory_bytes() <= MOST_BYTES && plan.len() <= MOST_OPERATORS {
            LAST.set(Some(Last { circuit: self.0, wanted, execution: Arc::clone(&execution) }));
        }
        Ok(execution)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A circuit that outlives its thread's plans has none.
        let _ = LAST.try_with(|last| last.borrow_mut().take_if(|last| last.circuit == self.0));
    }
}
