//! Who does tasks: threads of this process, or other processes.

use crate::error::{Error, Result};
use crate::task::{Outcome, Task};
use crate::worker::Worker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Workers. They are given tasks as long as there is room, and tell what came of them in any order.
pub trait Crew {
    /// Whether another task can be given now.
    fn has_room(&self) -> bool;

    /// Gives a task, by a name of its own.
    ///
    /// # Errors
    /// Where it cannot be given: the run is over.
    fn give(&mut self, name: u64, task: Task) -> Result<()>;

    /// Waits for the outcome of a task.
    ///
    /// # Errors
    /// That of the task: the run is over.
    fn wait(&mut self) -> Result<(u64, Outcome)>;
}

/// Tasks for each thread: one is done, the next one waits.
const AHEAD: usize = 2;

/// Threads of this process, each a worker with circuits and programs of its own.
pub struct Threads {
    tasks: Option<Sender<(u64, Task)>>,
    outcomes: Receiver<(u64, Result<Outcome>)>,
    threads: Vec<JoinHandle<()>>,
    under_way: usize,
}

impl Threads {
    /// Starts them.
    ///
    /// # Errors
    /// `worker.failed`.
    pub fn new(count: usize) -> Result<Self> {
        let (tasks, waiting) = channel::<(u64, Task)>();
        let (told, outcomes) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::new();
        for _ in 0..count.max(1) {
            let (waiting, told) = (Arc::clone(&waiting), told.clone());
            let pool = pool(1)?;
            // What a run does on several threads, it does on the one of the pool that it is in.
            let work = move || {
                let mut worker = Worker::default();
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok((name, task)) = next() {
                    // The others would go on, and nobody hear of it.
                    let outcome = catch_unwind(AssertUnwindSafe(|| worker.run(&task)));
                    if told.send((name, outcome.unwrap_or_else(|_| Err(died())))).is_err() {
                        break;
                    }
                }
            };
            threads.push(std::thread::spawn(move || pool.install(work)));
        }
        Ok(Self { tasks: Some(tasks), outcomes, threads, under_way: 0 })
    }
}

impl Crew for Threads {
    fn has_room(&self) -> bool {
        self.under_way < AHEAD * self.threads.len()
    }

    fn give(&mut self, name: u64, task: Task) -> Result<()> {
        let given = self.tasks.as_ref().is_some_and(|tasks| tasks.send((name, task)).is_ok());
        self.under_way += 1;
        if given { Ok(()) } else { Err(died()) }
    }

    fn wait(&mut self) -> Result<(u64, Outcome)> {
        let (name, outcome) = self.outcomes.recv().map_err(|_| died())?;
        self.under_way -= 1;
        Ok((name, outcome?))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.tasks = None;
        // Nobody wants to know any more: each ends after the task that it is at.
        self.outcomes = channel().1;
        for thread in self.threads.drain(..) {
            // One that panicked has told so.
            let _ = thread.join();
        }
    }
}

/// A pool of threads for runs.
///
/// # Errors
/// `worker.failed`.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| Error::new("worker.failed", error.to_string()))
}

fn died() -> Error {
    Error::new("job.worker", "a thread of this process died of a task")
}
