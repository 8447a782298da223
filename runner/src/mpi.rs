//! Many processes by MPI: rank 0 is the management node, the others are workers.
//!
//! A worker has one task at a time, and rank 0 sends to a worker only while that one waits to be sent something: so both ends of no pair ever send at once, and no send
//! waits for one that waits for it, however large messages are. A message is its length and then pieces, each far below what MPI counts with 32 bits. Circuits,
//! programs and globals go to each rank once, by their content. Whoever waits looks now and then: MPI's own waiting takes a whole processor.

use crate::blob::Blob;
use crate::crew::{Crew, pool};
use crate::error::{Error, Result};
use crate::task::{Outcome, Task};
use crate::wire;
use crate::worker::Worker;
use mpi::datatype::Equivalence;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source, Status};
use mpi::topology::{Communicator, Process, Rank, SimpleCommunicator};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Bytes of a piece, at most.
const PIECE: usize = 1 << 24;

/// How often one looks before one sleeps between looks, and how long then.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_micros(200);

/// What a message to a worker is; outcomes of tasks have no kind.
const TASK: u8 = 0;
const BLOB: u8 = 1;
const END: u8 = 2;

/// The processes of this run. There is one for as long as the process lives.
pub struct Processes {
    // Ends MPI where it is dropped.
    _universe: Universe,
    world: SimpleCommunicator,
}

impl Processes {
    /// Joins the others, also where there are none.
    ///
    /// # Errors
    /// `worker.failed`.
    pub fn join() -> Result<Self> {
        let universe =
            mpi::initialize().ok_or_else(|| Error::new("worker.failed", "MPI cannot be started"))?;
        let world = universe.world();
        Ok(Self { _universe: universe, world })
    }

    /// Number of this one, from 0.
    pub fn rank(&self) -> i32 {
        self.world.rank()
    }

    /// How many there are.
    pub fn count(&self) -> i32 {
        self.world.size()
    }

    /// Ends all processes: what is under way in others would go on otherwise, for nothing.
    pub fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
    }

    /// Of rank 0: the others as workers.
    pub fn workers(&self) -> Ranks<'_> {
        let ranks = 1..self.count();
        Ranks { world: &self.world, idle: ranks.rev().collect(), sent: HashMap::new() }
    }

    /// Of other ranks: does tasks until there are no more. An error of a task goes to rank 0.
    ///
    /// # Errors
    /// `job.worker`, `worker.failed`.
    pub fn work(&self, threads: usize) -> Result<()> {
        let pool = pool(threads)?;
        let manager = self.world.process_at_rank(0);
        let mut blobs: HashMap<u32, Blob> = HashMap::new();
        // In its own thread: what is open stays there, and MPI is called from this one alone.
        let (tasks, waiting) = std::sync::mpsc::channel::<(u64, Task)>();
        let (told, outcomes) = std::sync::mpsc::channel();
        let worker = std::thread::spawn(move || {
            pool.install(move || {
                let mut worker = Worker::default();
                while let Ok((name, task)) = waiting.recv() {
                    if told.send((name, worker.run(&task))).is_err() {
                        break;
                    }
                }
            });
        });
        let gone = || Error::new("job.worker", "the thread that does tasks is gone");
        loop {
            let message = receive(&manager, wait_for(&manager));
            match message.split_first() {
                Some((&TASK, bytes)) => {
                    let task = wire::read_task(bytes, |number| blobs.get(&number).cloned())?;
                    tasks.send(task).map_err(|_| gone())?;
                    let (name, outcome) = outcomes.recv().map_err(|_| gone())?;
                    send(&manager, &[&wire::outcome_bytes(name, &outcome)]);
                }
                Some((&BLOB, bytes)) => {
                    let (number, bytes) = bytes.split_first_chunk().ok_or_else(gone)?;
                    let number = u32::from_le_bytes(*number);
                    blobs.insert(number, Blob { number, bytes: bytes.into() });
                }
                _ => break,
            }
        }
        drop(tasks);
        worker.join().map_err(|_| gone())
    }
}

/// The workers of rank 0.
pub struct Ranks<'w> {
    world: &'w SimpleCommunicator,
    /// Those that wait for a task.
    idle: Vec<Rank>,
    /// Numbers of the blobs that each has.
    sent: HashMap<Rank, HashSet<u32>>,
}

impl Ranks<'_> {
    /// Tells all that there are no more tasks.
    pub fn end(self) {
        for rank in 1..self.world.size() {
            send(&self.world.process_at_rank(rank), &[&[END]]);
        }
    }

    /// The one whose the part is, if it waits; else the one that has waited longest.
    fn take_idle(&mut self, part: u32) -> Option<Rank> {
        let own = 1 + (part % (self.world.size() as u32 - 1)) as Rank;
        let at = self.idle.iter().position(|&rank| rank == own).unwrap_or(0);
        (at < self.idle.len()).then(|| self.idle.remove(at))
    }
}

impl Crew for Ranks<'_> {
    fn has_room(&self) -> bool {
        !self.idle.is_empty()
    }

    fn give(&mut self, name: u64, task: Task) -> Result<()> {
        let rank = self.take_idle(task.part);
        let rank = rank.ok_or_else(|| Error::new("job.worker", "no process waits for a task"))?;
        let worker = self.world.process_at_rank(rank);
        let sent = self.sent.entry(rank).or_default();
        for blob in wire::blobs_of(&task) {
            if sent.insert(blob.number) {
                send(&worker, &[&[BLOB], &blob.number.to_le_bytes(), &blob.bytes]);
            }
        }
        send(&worker, &[&[TASK], &wire::task_bytes(name, &task)]);
        Ok(())
    }

    fn wait(&mut self) -> Result<(u64, Outcome)> {
        let status = wait_for(&self.world.any_process());
        let rank = status.source_rank();
        let message = receive(&self.world.process_at_rank(rank), status);
        self.idle.push(rank);
        let (name, outcome) = wire::read_outcome(&message)?;
        let told = |error: Error| Error { message: format!("rank {rank}: {}", error.message), ..error };
        Ok((name, outcome.map_err(told)?))
    }
}

/// Sends one message, which is these parts one after the other.
fn send(to: &Process<'_>, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    to.send(&(length as u64).to_le_bytes()[..]);
    for piece in parts.iter().flat_map(|part| part.chunks(PIECE)) {
        to.send(piece);
    }
}

/// Waits until there is something to receive.
fn wait_for(from: &impl Source) -> Status {
    let mut looks = 0;
    loop {
        if let Some(status) = from.immediate_probe() {
            return status;
        }
        // What comes at once is not slept for.
        if looks < LOOKS {
            std::thread::yield_now()
        } else {
            std::thread::sleep(PAUSE)
        }
        looks += 1;
    }
}

/// Receives the message whose first piece is there: messages of one process do not overtake each other.
fn receive(from: &Process<'_>, first: Status) -> Vec<u8> {
    let mut length = [0; 8];
    debug_assert_eq!(first.count(u8::equivalent_datatype()), 8);
    from.receive_into(&mut length[..]);
    let mut message = vec![0; u64::from_le_bytes(length) as usize];
    let mut at = 0;
    while at < message.len() {
        let piece = wait_for(from).count(u8::equivalent_datatype()) as usize;
        from.receive_into(&mut message[at..at + piece]);
        at += piece;
    }
    message
}
