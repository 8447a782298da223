//! One run of a plan over data: operators whose waiting set is empty run, and notify the rest.
//!
//! A run is resumable: [`Run::step`] works for a while and comes back, so that the caller can look after other
//! things (a cancel message, a progress bar) on the same thread. Dropping an unfinished run cancels it.

use super::plan::{Place, Plan};
use super::storage::Arena;
use super::trace::{Span, Trace};
use crate::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Milliseconds since some fixed moment. A function, because not every target has a clock of its own.
pub type Clock = fn() -> f64;

/// The data of one graph input; shared, so that keys are held once for many runs.
pub type Input = Arc<[u64]>;

/// A run of a plan.
pub struct Run {
    plan: Arc<Plan>,
    inputs: Vec<Input>,
    arena: Arena,
    state: Mutex<State>,
    wake: Condvar,
    clock: Clock,
    started: Option<f64>,
    traced: bool,
}

struct State {
    /// Ready operators; the earliest in program order goes first, which keeps the order that storage was planned for.
    ready: BinaryHeap<Reverse<u32>>,
    /// How many operators each operator still waits for.
    waiting: Vec<u32>,
    running: usize,
    done: usize,
    trace: Trace,
}

impl Run {
    /// A run over `inputs`, one for each declared input of the graph, in order.
    ///
    /// # Errors
    /// `MissingInput` for fewer inputs; `InputLength` for one of another size; `MemoryLimit` when the memory that was
    /// planned cannot be had.
    pub fn new(plan: Arc<Plan>, inputs: Vec<Input>, clock: Clock) -> Result<Self> {
        for (index, port) in plan.graph.inputs().iter().enumerate() {
            let expected = plan.graph.ty(port.operand).size as usize;
            match inputs.get(index) {
                None => return Err(Error::MissingInput { name: port.name.clone() }),
                Some(data) if data.len() != expected => {
                    return Err(Error::InputLength { input: port.name.clone(), found: data.len(), expected });
                }
                Some(_) => {}
            }
        }
        let needed = 8 * plan.arena as u64;
        let arena = Arena::new(plan.arena).ok_or(Error::MemoryLimit { needed, limit: 0 })?;
        let waiting: Vec<u32> = (0..plan.len()).map(|op| plan.waits.dep(op).len() as u32).collect();
        let ready = (0..plan.len() as u32).filter(|&op| waiting[op as usize] == 0).map(Reverse).collect();
        let state = Mutex::new(State { ready, waiting, running: 0, done: 0, trace: Trace::default() });
        Ok(Self { plan, inputs, arena, state, wake: Condvar::new(), clock, started: None, traced: false })
    }

    /// Notes what ran where and when, from now on.
    pub fn set_trace(&mut self, on: bool) {
        self.traced = on;
    }

    /// What ran so far.
    pub fn trace(&self) -> Trace {
        self.lock().trace.clone()
    }

    /// (operators done, all operators).
    pub fn progress(&self) -> (usize, usize) {
        (self.lock().done, self.plan.len())
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Runs ready operators on all threads of the current rayon pool until about `milliseconds` have passed or all are
    /// done; true when all are done. An operator that has started is finished: none takes longer than a few
    /// milliseconds.
    pub fn step(&mut self, milliseconds: f64) -> bool {
        let now = (self.clock)();
        let started = *self.started.get_or_insert(now);
        let deadline = now + milliseconds;
        let threads = rayon::current_num_threads().max(1);
        let run = &*self;
        if threads == 1 {
            run.work(0, started, deadline);
        } else {
            rayon::scope(|scope| {
                for thread in 0..threads {
                    scope.spawn(move |_| run.work(thread as u32, started, deadline));
                }
            });
        }
        let (done, all) = self.progress();
        done == all
    }

    /// Runs to the end.
    pub fn finish(&mut self) {
        while !self.step(f64::INFINITY) {}
    }

    /// Runs all operators on the calling thread in the order that storage was planned for, without asking who is ready:
    /// what [`Run::finish`] takes longer is the price of scheduling.
    ///
    /// # Errors
    /// `Job` when operators ran before.
    pub fn finish_straight(&mut self) -> Result<()> {
        if self.progress().0 > 0 {
            return Err(Error::Job("a run goes straight from its start or not at all"));
        }
        for &op in &self.plan.order {
            self.execute(op);
        }
        let mut state = self.lock();
        state.ready.clear();
        state.done = self.plan.len();
        Ok(())
    }

    /// The words of declared output `index`, once all operators are done.
    ///
    /// # Errors
    /// `Job` before that.
    pub fn output(&self, index: usize) -> Result<Vec<u64>> {
        let (done, all) = self.progress();
        if done < all {
            return Err(Error::Job("outputs are read after the last operator is done"));
        }
        let places = self.plan.outputs.get(index).ok_or(Error::Job("there is no such output"))?;
        let mut words = Vec::new();
        for &place in places {
            words.extend_from_slice(self.read(place));
        }
        Ok(words)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(unsafe_code, reason = "the plan's order keeps writers away, see storage.rs")]
    fn read(&self, place: Place) -> &[u64] {
        match place {
            Place::Input { port, from, size } => &self.inputs[port as usize][from..from + size],
            // SAFETY: rule 1 of the arena: the writer came before, later writers come after this reader.
            Place::Arena { from, size } => unsafe { self.arena.read(from, size) },
        }
    }

    /// What every thread does: take the earliest ready operator, run it, notify, until the time is up.
    fn work(&self, thread: u32, started: f64, deadline: f64) {
        let mut state = self.lock();
        let mut first = true;
        loop {
            let Some(Reverse(op)) = state.ready.pop() else {
                if state.running == 0 {
                    self.wake.notify_all();
                    return;
                }
                // Whoever runs now will notify: with new operators, or at the end.
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let start = (self.clock)();
            // One operator at least, so that every step gets on.
            if start >= deadline && !std::mem::take(&mut first) {
                state.ready.push(Reverse(op));
                self.wake.notify_all();
                return;
            }
            first = false;
            state.running += 1;
            drop(state);
            let alarm = Alarm(self);
            self.execute(op);
            std::mem::forget(alarm);
            let end = if self.traced { (self.clock)() } else { start };
            state = self.lock();
            state.running -= 1;
            state.done += 1;
            if self.traced {
                state.trace.spans.push(Span { op, thread, start: start - started, end: end - started });
            }
            let mut released = 0;
            for &next in self.plan.waits.notify(op as usize) {
                let waiting = &mut state.waiting[next as usize];
                *waiting -= 1;
                if *waiting == 0 {
                    state.ready.push(Reverse(next));
                    released += 1;
                }
            }
            // This thread takes one itself.
            if released > 1 || state.running == 0 {
                self.wake.notify_all();
            }
        }
    }

    #[expect(unsafe_code, reason = "the plan's order keeps everybody else away, see storage.rs")]
    fn execute(&self, op: u32) {
        let step = &self.plan.steps[op as usize];
        let places = &self.plan.places[step.inputs.start as usize..step.inputs.end as usize];
        let (from, size) = step.output;
        // SAFETY: rule 2 of the arena: earlier users of this range are done, later ones wait for this operator.
        let out = unsafe { self.arena.write(from, size) };
        let mut inputs: [&[u64]; 8] = [&[]; 8];
        if places.len() <= inputs.len() {
            for (input, &place) in inputs.iter_mut().zip(places) {
                *input = self.read(place);
            }
            self.plan.kernels[step.kernel as usize].run(&inputs[..places.len()], out, step.nonce);
        } else {
            let inputs: Vec<&[u64]> = places.iter().map(|&p| self.read(p)).collect();
            self.plan.kernels[step.kernel as usize].run(&inputs, out, step.nonce);
        }
    }
}

/// Dropped when a kernel panics: nobody may wait for that operator, or the panic would never reach the caller.
struct Alarm<'a>(&'a Run);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        state.ready.clear();
        self.0.wake.notify_all();
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.plan.wipe {
            self.arena.wipe();
        }
    }
}
