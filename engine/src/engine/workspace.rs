//! What a run writes to: storage, scratch and counters. A plan keeps one for its next run, so that runs in a row
//! allocate nothing.

use super::plan::Plan;
use super::storage::Arena;
use super::sync::Mutex;
use crate::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::PoisonError;

/// The memory of one run.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) arena: Arena,
    /// One for each thread.
    pub(super) scratch: Vec<Vec<u64>>,
    /// Ready operators; the earliest in program order goes first, which keeps the order that storage was planned for.
    pub(super) ready: BinaryHeap<Reverse<u32>>,
    /// How many operators each operator still waits for.
    pub(super) waiting: Vec<u32>,
}

/// The workspace that a finished run left, if any.
#[derive(Default)]
pub(super) struct Spare(Mutex<Option<Workspace>>);

impl Spare {
    fn take(&self) -> Option<Workspace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps a workspace; of two, one.
    pub(super) fn put(&self, workspace: Workspace) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(workspace);
    }
}

impl Workspace {
    /// A workspace at the start of a run: nothing is done.
    pub(super) fn new(plan: &Plan) -> Result<Self> {
        let mut workspace = match plan.spare.take() {
            Some(spare) => spare,
            None => {
                let asked = 8 * plan.arena as u64;
                let arena = Arena::new(plan.arena).ok_or(Error::OutOfMemory { asked })?;
                Self { arena, scratch: Vec::new(), ready: BinaryHeap::new(), waiting: Vec::new() }
            }
        };
        workspace.ready.clear();
        workspace.waiting.clear();
        workspace.waiting.extend((0..plan.len()).map(|op| plan.waits.dep(op).len() as u32));
        let first = plan.order.iter().filter(|&&op| workspace.waiting[op as usize] == 0);
        workspace.ready.extend(first.map(|&op| Reverse(op)));
        Ok(workspace)
    }

    /// Scratch for each of `threads` threads.
    pub(super) fn scratch(&mut self, threads: usize, size: usize) -> Vec<Vec<u64>> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize_with(threads.max(scratch.len()), || vec![0; size]);
        scratch
    }

    /// Overwrites all data.
    pub(super) fn wipe(&mut self) {
        self.arena.wipe();
        self.scratch.iter_mut().for_each(|scratch| scratch.fill(0));
    }
}
