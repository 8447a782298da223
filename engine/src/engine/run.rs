//! One run of a plan over data: operators whose waiting set is empty run, and notify the rest.
//!
//! A run is resumable: [`Run::step`] works for a while and comes back, so that the caller can look after other
//! things (a cancel message, a progress bar) on the same thread. Dropping an unfinished run cancels it.

use super::Input;
use super::device::{Flight, Given};
use super::plan::{Constants, Home, Part, Place, Plan, Step};
use super::sync::{AtomicU32, Condvar, Mutex, MutexGuard, Ordering, current_num_threads, spin_loop};
use super::trace::{Span, Trace};
use super::workspace::Workspace;
use crate::graph::ValueType;
use crate::math::bits::copy_bits;
use crate::ops::types::block_size;
use crate::platform::{ForeignCall, Kernel};
use crate::{Error, Result, memory, parallel};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use zeroize::Zeroizing;

/// Milliseconds since some fixed moment. A function, because not every target has a clock of its own.
pub type Clock = fn() -> f64;

/// Inputs up to this number are collected without an allocation.
const FEW: usize = 40;

/// Most ready operators of one kind that a thread takes at a time.
const BATCH: usize = 8;

/// How often a thread without work looks for some before it sleeps: waking it costs more than a small operator.
const SPINS: usize = if cfg!(loom) { 1 } else { 20_000 };

/// An operator that is computed elsewhere, with copies of its data; these are overwritten when they are dropped.
pub struct Outgoing {
    /// Its number in the planned graph.
    pub op: u32,
    /// What it computes.
    pub call: Arc<ForeignCall>,
    /// The bytes of each input; where a type does not fill its last byte, the other bits are arbitrary.
    pub inputs: Vec<Zeroizing<Vec<u8>>>,
}

/// A run of a plan.
pub struct Run {
    pub(super) plan: Arc<Plan>,
    pub(super) inputs: Vec<Input>,
    /// Those that are known so far.
    constants: Arc<Constants>,
    /// Room for the others, in order.
    room: VecDeque<Box<[u64]>>,
    /// How many of the operators that only the first run computes are done.
    pub(super) once: usize,
    workspace: Workspace,
    state: Mutex<State>,
    /// Counts what waiting threads should know of.
    news: AtomicU32,
    wake: Condvar,
    pub(super) clock: Clock,
    pub(super) started: Option<f64>,
    pub(super) traced: bool,
    /// What is known of the device, if there is one.
    pub(super) given: Given,
    discarded: bool,
}

pub(super) struct State {
    ready: BinaryHeap<Reverse<u32>>,
    waiting: Vec<u32>,
    /// Operators that are to be handed out.
    leaving: Vec<u32>,
    /// Those that were, with the time.
    away: Vec<(u32, f64)>,
    /// Operators that are ready for a device.
    pub(super) device: Vec<u32>,
    /// What was encoded and has not landed, the earliest first.
    pub(super) flights: VecDeque<Flight>,
    /// Set where a device that has nothing to do could have: threads return to the caller.
    pub(super) attention: bool,
    running: usize,
    asleep: usize,
    /// Of the operators that every run computes.
    pub(super) done: usize,
    pub(super) trace: Trace,
    /// Milliseconds from the run's first step at which the device was done with what it had been given first, as far as it is traced.
    pub(super) device_free: f64,
}

impl Run {
    /// A run over `inputs`, one for each declared input of the graph, in order.
    ///
    /// # Errors
    /// `MissingInput` for fewer inputs; `InputLength` for one of another size; `OutOfMemory` when the memory that was
    /// planned cannot be had.
    pub fn new(plan: Arc<Plan>, inputs: Vec<Input>, clock: Clock) -> Result<Self> {
        for (index, port) in plan.graph.inputs().iter().enumerate() {
            let expected = plan.input_words(index);
            match inputs.get(index) {
                None => return Err(Error::MissingInput { name: port.name.clone() }),
                Some(data) if data.len() != expected => {
                    return Err(Error::InputLength { input: port.name.clone(), found: data.len(), expected });
                }
                Some(_) => {}
            }
        }
        let mut workspace = Workspace::new(&plan)?;
        let (device, ready) = match plan.device() {
            None => (Vec::new(), std::mem::take(&mut workspace.ready)),
            Some(_) => {
                let all = std::mem::take(&mut workspace.ready).into_vec();
                let (device, ready): (Vec<_>, Vec<_>) = all.into_iter().partition(|op| plan.is_device(op.0));
                (device.into_iter().map(|op| op.0).collect(), ready.into())
            }
        };
        let state = Mutex::new(State {
            ready,
            device,
            flights: VecDeque::new(),
            attention: false,
            waiting: std::mem::take(&mut workspace.waiting),
            leaving: Vec::new(),
            away: Vec::new(),
            running: 0,
            asleep: 0,
            done: 0,
            trace: Trace::default(),
            device_free: 0.0,
        });
        let mut run = Self {
            plan,
            inputs,
            constants: Arc::default(),
            room: VecDeque::new(),
            once: 0,
            workspace,
            state,
            news: AtomicU32::new(0),
            wake: Condvar::new(),
            clock,
            started: None,
            traced: false,
            given: Given::default(),
            discarded: false,
        };
        if !run.find_constants() {
            run.make_room()?;
        }
        Ok(run)
    }

    /// Takes over what another run has computed, if any has.
    fn find_constants(&mut self) -> bool {
        let Some(constants) = self.plan.constants.get() else { return self.plan.once.is_empty() };
        self.constants = Arc::clone(constants);
        self.once = self.plan.once.len();
        self.room.clear();
        true
    }

    /// Asks for all the memory that constants take, so that computing them cannot fail.
    fn make_room(&mut self) -> Result<()> {
        for &op in &self.plan.once {
            let step = self.plan.step(op);
            if let Home::Constant(_) = step.output {
                self.room.push_back(memory::zeros(step.size.div_ceil(8))?.into_boxed_slice());
            }
        }
        Ok(())
    }

    /// Computes what is the same in every run, one operator after the other, and leaves it to the plan; false when the
    /// time is up before.
    fn compute_constants(&mut self, started: f64, deadline: f64) -> bool {
        if self.once == self.plan.once.len() || self.find_constants() {
            return true;
        }
        let plan = Arc::clone(&self.plan);
        let mut scratch = self.workspace.scratch(1, plan.scratch);
        let first = self.once;
        for &op in &plan.once[first..] {
            let start = self.now(deadline);
            // One operator at least, so that every step gets on.
            if start >= deadline && self.once > first {
                break;
            }
            let step = plan.step(op);
            match step.output {
                Home::Arena(from) => self.execute(&step, from, &mut scratch[0]),
                Home::Constant(_) => {
                    let mut words = self.room.pop_front().unwrap_or_default();
                    self.compute(&step, &mut words, &mut scratch[0]);
                    // In the order that they are numbered in.
                    Arc::make_mut(&mut self.constants).push(words);
                }
                // A device's operators are never such.
                Home::Device(_) => {}
            }
            self.once += 1;
            if self.traced {
                let span = Span { op, thread: 0, start: start - started, end: (self.clock)() - started };
                self.lock().trace.spans.push(span);
            }
        }
        self.workspace.scratch = scratch;
        let done = self.once == plan.once.len();
        if done {
            self.constants = Arc::clone(plan.constants.get_or_init(|| Arc::clone(&self.constants)));
        }
        done
    }

    /// The time, where somebody wants to know it.
    fn now(&self, deadline: f64) -> f64 {
        if self.traced || deadline < f64::INFINITY { (self.clock)() } else { 0.0 }
    }

    /// Notes what ran where and when, from now on.
    pub fn set_trace(&mut self, on: bool) {
        self.traced = on;
    }

    /// Whether it notes what runs where and when.
    pub fn is_traced(&self) -> bool {
        self.traced
    }

    /// Gives the memory of a run back that does not go on.
    pub fn discard(&mut self) {
        self.workspace = Workspace::default();
        self.discarded = true;
    }

    /// What ran so far. What a device computes tells of the graph without copies to and from it.
    pub fn trace(&self) -> Trace {
        let mut trace = self.lock().trace.clone();
        trace.origin = self.started.unwrap_or(0.0);
        trace.threads = current_num_threads().max(1) as u32;
        if let Some(device) = self.plan.device() {
            trace.spans.iter_mut().for_each(|span| span.op = device.origin(span.op));
        }
        trace
    }

    /// (operators done, all operators); what another run has computed for all is done from the start.
    pub fn progress(&self) -> (usize, usize) {
        (self.once + self.lock().done, self.plan.len())
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Where a device has nothing to do and something is ready for it, comes back before: see [`Run::encode`].
    ///
    /// Runs ready operators on all threads of the current rayon pool, or on one where there is little to do ([`Plan::is_small`]), until about `milliseconds` have passed or all are
    /// done; true when all are done. An operator that has started is finished: none takes longer than a few
    /// milliseconds.
    pub fn step(&mut self, milliseconds: f64) -> bool {
        let now = (self.clock)();
        let started = *self.started.get_or_insert(now);
        let deadline = now + milliseconds;
        if !self.compute_constants(started, deadline) {
            return false;
        }
        self.lock().attention = false;
        let threads = if self.plan.small { 1 } else { current_num_threads().max(1) };
        let size = self.plan.scratch;
        let mut scratch = self.workspace.scratch(threads, size);
        let run = &*self;
        {
            let places: Vec<StdMutex<&mut Vec<u64>>> = scratch.iter_mut().map(StdMutex::new).collect();
            parallel::each(threads, &|thread| {
                let mut scratch = places[thread].lock().unwrap_or_else(PoisonError::into_inner);
                run.work(thread as u32, &mut scratch, started, deadline);
            });
        }
        self.workspace.scratch = scratch;
        let (done, all) = self.progress();
        done == all
    }

    /// Runs to the end, or until it waits for what was handed out, or is to be.
    pub fn finish(&mut self) {
        while !self.step(f64::INFINITY) && !self.waits() {}
    }

    /// True when there is nothing to do before something that is computed elsewhere is there.
    pub fn waits(&self) -> bool {
        let state = self.lock();
        let elsewhere = !(state.leaving.is_empty() && state.away.is_empty());
        state.ready.is_empty() && (elsewhere || !(state.device.is_empty() && state.flights.is_empty()))
    }

    /// Hands out what is computed elsewhere and whose inputs are there, each operator once. The results are wanted by
    /// [`Run::deliver`]; until then the run goes on with what does not need them.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn hand_out(&mut self) -> Result<Vec<Outgoing>> {
        let leaving = std::mem::take(&mut self.lock().leaving);
        let now = if self.traced { (self.clock)() } else { 0.0 };
        let outgoing = |&op: &u32| {
            let step = self.plan.step(op);
            let Kernel::Elsewhere(call) = step.kernel else { return Ok(None) };
            // Kernels take some operands in blocks, others whole.
            let mut blocks = step.inputs.iter().map(|&place| self.read(place));
            let input = |(ty, bits): (&ValueType, u64)| {
                let count = ty.size.checked_div(block_size(ty)).unwrap_or(1).max(1) as usize;
                let own: Vec<&[u8]> = blocks.by_ref().take(count).collect();
                let mut bytes = memory::room(own.iter().map(|block| block.len()).sum())?;
                own.iter().for_each(|block| bytes.extend_from_slice(block));
                // What follows in a view's last byte is no part of it: it may be somebody's secret.
                if !bits.is_multiple_of(8)
                    && let Some(last) = bytes.last_mut()
                {
                    *last &= (1 << (bits % 8)) - 1;
                }
                Ok(Zeroizing::new(bytes))
            };
            let inputs =
                call.inputs.iter().zip(self.plan.input_bits(op)).map(input).collect::<Result<_>>()?;
            Ok(Some(Outgoing { op, call: Arc::clone(call), inputs }))
        };
        let outgoing = leaving.iter().filter_map(|op| outgoing(op).transpose()).collect::<Result<_>>()?;
        self.lock().away.extend(leaving.into_iter().map(|op| (op, now)));
        Ok(outgoing)
    }

    /// Takes the output of an operator that was handed out, in bytes of exactly its size; bits beyond its end are cleared.
    ///
    /// # Errors
    /// `Job` for an operator that is not away; `InputLength` for other bytes, after which it still is.
    pub fn deliver(&mut self, op: u32, bytes: &[u8]) -> Result<()> {
        let Some(at) = self.lock().away.iter().position(|&(away, _)| away == op) else {
            return Err(Error::Job("results are taken of operators that were handed out, once"));
        };
        let step = self.plan.step(op);
        if bytes.len() != step.size {
            let (Kernel::Elsewhere(call), expected) = (step.kernel, step.size) else {
                return Err(Error::Job("what is computed here is not delivered"));
            };
            let input = format!("output of {}", call.name);
            return Err(Error::InputLength { input, found: bytes.len(), expected });
        }
        let bits = self.plan.output_bits(op);
        if let Home::Arena(from) = step.output {
            let out = bytemuck::cast_slice_mut(self.write(from, step.size));
            out[..bytes.len()].copy_from_slice(bytes);
            // What does not fill its last byte leaves 0 there, as kernels do.
            if !bits.is_multiple_of(8) {
                out[bytes.len() - 1] &= (1 << (bits % 8)) - 1;
            }
        }
        let end = if self.traced { (self.clock)() } else { 0.0 };
        let mut state = self.lock();
        let (_, start) = state.away.swap_remove(at);
        state.done += 1;
        if let Some(started) = self.started.filter(|_| self.traced) {
            // A lane of its own, beside the threads.
            let thread = current_num_threads().max(1) as u32;
            state.trace.spans.push(Span { op, thread, start: start - started, end: end - started });
        }
        self.release(&mut state, op);
        Ok(())
    }

    /// Notifies those who wait for an operator; gives how many wait for nobody any more.
    fn release(&self, state: &mut State, op: u32) -> usize {
        self.release_some(state, op, |_| true)
    }

    /// As [`Run::release`], of those that `which` says yes to.
    pub(super) fn release_some(&self, state: &mut State, op: u32, which: impl Fn(u32) -> bool) -> usize {
        let mut released = 0;
        for &next in self.plan.waits.notify(op as usize) {
            if !which(next) {
                continue;
            }
            let waiting = &mut state.waiting[next as usize];
            *waiting -= 1;
            if *waiting > 0 {
                continue;
            }
            if self.plan.is_device(next) {
                state.device.push(next);
                state.attention |= state.flights.is_empty();
            } else {
                state.ready.push(Reverse(next));
                released += 1;
            }
        }
        released
    }

    /// Runs all operators on the calling thread in the order that storage was planned for, without asking who is ready:
    /// what [`Run::finish`] takes longer is the price of scheduling.
    ///
    /// # Errors
    /// `Job` when operators ran before, or are computed elsewhere.
    pub fn finish_straight(&mut self) -> Result<()> {
        if self.plan.order.iter().any(|&op| self.is_elsewhere(op) || self.plan.is_device(op)) {
            return Err(Error::Job("a run that hands operators out does not go straight"));
        }
        if self.lock().done > 0 {
            return Err(Error::Job("a run goes straight from its start or not at all"));
        }
        self.compute_constants(0.0, f64::INFINITY);
        let mut scratch = self.workspace.scratch(1, self.plan.scratch);
        for &op in &self.plan.order {
            self.run_operator(op, &mut scratch[0]);
        }
        self.workspace.scratch = scratch;
        let mut state = self.lock();
        state.ready.clear();
        state.done = self.plan.order.len();
        Ok(())
    }

    /// The data of declared output `index`, once all operators are done, in whole words: the last one is filled up with 0.
    ///
    /// # Errors
    /// `Job` before that; `OutOfMemory`.
    pub fn output(&self, index: usize) -> Result<Vec<u64>> {
        let parts = self.output_parts(index)?;
        let mut words = memory::zeros(bits_of(parts).div_ceil(64))?;
        self.copy_parts(parts, bytemuck::cast_slice_mut(&mut words));
        Ok(words)
    }

    /// The same in whole bytes.
    ///
    /// # Errors
    /// As [`Run::output`].
    pub fn output_bytes(&self, index: usize) -> Result<Vec<u8>> {
        let parts = self.output_parts(index)?;
        let mut bytes = memory::zeros(bits_of(parts).div_ceil(8))?;
        self.copy_parts(parts, &mut bytes);
        Ok(bytes)
    }

    fn copy_parts(&self, parts: &[Part], out: &mut [u8]) {
        let mut at = 0;
        for &Part { place, skip, bits } in parts {
            copy_bits(out, at, self.read(place), skip, bits);
            at += bits;
        }
    }

    fn output_parts(&self, index: usize) -> Result<&[Part]> {
        let (done, all) = self.progress();
        if done < all {
            return Err(Error::Job("outputs are read after the last operator is done"));
        }
        self.plan.outputs.get(index).map(Vec::as_slice).ok_or(Error::Job("there is no such output"))
    }

    /// `size` words of declared output `index` from word `from` on, as far as it has them, in the blocks that they lie in;
    /// of a graph of unit 64.
    ///
    /// # Errors
    /// `Job` before all operators are done.
    pub fn output_blocks(
        &self,
        index: usize,
        from: usize,
        size: usize,
    ) -> Result<impl Iterator<Item = &[u64]>> {
        let (mut skip, mut left) = (from, size);
        Ok(self.output_parts(index)?.iter().map(move |part| {
            let words = self.read_words(part.place);
            let start = skip.min(words.len());
            let end = start + left.min(words.len() - start);
            skip -= start;
            left -= end - start;
            &words[start..end]
        }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(unsafe_code, reason = "the plan's order keeps writers away, see storage.rs")]
    fn read_words(&self, place: Place) -> &[u64] {
        // All words that hold some of the bytes: blocks are whole words, so that these are nobody else's.
        let words = |from: usize, size: usize| from / 8..(from + size).div_ceil(8);
        match place {
            Place::Input { port, from, size } => &self.inputs[port as usize][words(from, size)],
            Place::Arena { from, size } => {
                let words = words(from, size);
                // SAFETY: rule 1 of the arena: the writer came before, later writers come after this reader.
                unsafe { self.workspace.arena.read(words.start, words.len()) }
            }
            Place::Constant { index, from, size } => &self.constants[index as usize][words(from, size)],
            // The host reads none of these: what it reads of a device is downloaded.
            Place::Device { .. } => &[],
        }
    }

    pub(super) fn read(&self, place: Place) -> &[u8] {
        let (from, size) = place.range();
        &bytemuck::cast_slice(self.read_words(place))[from % 8..][..size]
    }

    /// What every thread does: take the earliest ready operators of one kind, run them, notify, until the time is up.
    pub(super) fn work(&self, thread: u32, scratch: &mut [u64], started: f64, deadline: f64) {
        let threads = current_num_threads().max(1);
        let mut batch = [0; BATCH];
        let mut first = true;
        let mut state = self.lock();
        loop {
            if state.attention {
                self.tell(&state);
                return;
            }
            let size = self.take(&mut state, &mut batch, threads);
            if size > 0 && self.is_elsewhere(batch[0]) {
                state.leaving.extend_from_slice(&batch[..size]);
                continue;
            }
            if size == 0 {
                if state.running == 0 {
                    self.tell(&state);
                    return;
                }
                // Whoever runs now will notify: with new operators, or at the end.
                state = self.wait(state);
                continue;
            }
            state.running += 1;
            drop(state);
            let mut spans = [(0.0, 0.0); BATCH];
            let mut done = 0;
            let alarm = Alarm(self);
            for (&op, span) in batch[..size].iter().zip(&mut spans) {
                let start = self.now(deadline);
                // One operator at least, so that every step gets on.
                if start >= deadline && !first {
                    break;
                }
                first = false;
                self.run_operator(op, scratch);
                done += 1;
                if self.traced {
                    *span = (start - started, (self.clock)() - started);
                }
            }
            std::mem::forget(alarm);
            state = self.lock();
            state.running -= 1;
            state.done += done;
            if self.traced {
                let spans = batch.iter().zip(spans).take(done);
                state.trace.spans.extend(spans.map(|(&op, (start, end))| Span { op, thread, start, end }));
            }
            let mut released = 0;
            for &op in &batch[..done] {
                released += self.release(&mut state, op);
            }
            if done < size {
                state.ready.extend(batch[done..size].iter().copied().map(Reverse));
                self.tell(&state);
                return;
            }
            // This thread takes some itself.
            if released > 1 || state.running == 0 {
                self.tell(&state);
            }
        }
    }

    /// Takes the earliest ready operator and others of its kind that follow it, but leaves the other threads theirs;
    /// gives their number.
    fn take(&self, state: &mut State, batch: &mut [u32; BATCH], threads: usize) -> usize {
        let kernel = |op: u32| self.plan.kernel_number(op);
        let most = (state.ready.len() / threads).clamp(1, BATCH);
        let mut size = 0;
        while size < most
            && let Some(&Reverse(op)) = state.ready.peek()
            && (size == 0 || kernel(op) == kernel(batch[0]))
        {
            batch[size] = op;
            size += 1;
            state.ready.pop();
        }
        size
    }

    /// Lets waiting threads look again.
    fn tell(&self, state: &State) {
        self.news.fetch_add(1, Ordering::Release);
        if state.asleep > 0 {
            self.wake.notify_all();
        }
    }

    /// Waits for news: awake for a moment, then asleep.
    fn wait<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let seen = self.news.load(Ordering::Acquire);
        drop(state);
        for _ in 0..SPINS {
            if self.news.load(Ordering::Acquire) != seen {
                return self.lock();
            }
            spin_loop();
        }
        let mut state = self.lock();
        while self.news.load(Ordering::Acquire) == seen {
            state.asleep += 1;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
        state
    }

    fn is_elsewhere(&self, op: u32) -> bool {
        matches!(self.plan.step(op).kernel, Kernel::Elsewhere(_))
    }

    /// Runs an operator that every run computes.
    fn run_operator(&self, op: u32, scratch: &mut [u64]) {
        let step = self.plan.step(op);
        if let Home::Arena(from) = step.output {
            self.execute(&step, from, scratch);
        }
    }

    /// Computes an operator into the arena.
    fn execute(&self, step: &Step<'_>, from: usize, scratch: &mut [u64]) {
        self.compute(step, self.write(from, step.size), scratch);
    }

    /// The words of a block that an operator writes, which is ready and not done: only it is told of them.
    #[expect(
        unsafe_code,
        clippy::mut_from_ref,
        reason = "the plan's order keeps everybody else away, see storage.rs"
    )]
    pub(super) fn write(&self, from: usize, size: usize) -> &mut [u64] {
        // SAFETY: rule 2 of the arena: earlier users of this range are done, later ones wait for this operator.
        unsafe { self.workspace.arena.write(from, size.div_ceil(8)) }
    }

    fn compute(&self, step: &Step<'_>, out: &mut [u64], scratch: &mut [u64]) {
        let places = step.inputs;
        match step.kernel {
            Kernel::Words(kernel) => {
                with_all(
                    places,
                    |place| self.read_words(place),
                    |inputs| {
                        kernel.run(inputs, out, scratch, step.nonce);
                    },
                );
            }
            Kernel::Bytes(kernel) => {
                let out = &mut bytemuck::cast_slice_mut(out)[..step.size];
                with_all(places, |place| self.read(place), |inputs| kernel.run(inputs, out));
            }
            // Handed out instead, see `work`; a device's never come there.
            Kernel::Elsewhere(_) | Kernel::Device(_) | Kernel::Upload | Kernel::Download => {}
        }
    }
}

fn bits_of(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.bits).sum()
}

/// Calls `f` with what `read` gives of each place.
fn with_all<'a, T: 'a>(places: &[Place], read: impl Fn(Place) -> &'a [T], f: impl FnOnce(&[&'a [T]])) {
    let mut few: [&[T]; FEW] = [&[]; FEW];
    if places.len() <= FEW {
        for (input, &place) in few.iter_mut().zip(places) {
            *input = read(place);
        }
        f(&few[..places.len()]);
    } else {
        f(&places.iter().map(|&place| read(place)).collect::<Vec<_>>());
    }
}

/// Dropped when a kernel panics: nobody may wait for that operator, or the panic would never reach the caller.
struct Alarm<'a>(&'a Run);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        state.ready.clear();
        self.0.tell(&state);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.discarded {
            return;
        }
        let mut workspace = std::mem::take(&mut self.workspace);
        if self.plan.wipe {
            workspace.wipe();
        }
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        workspace.ready = std::mem::take(&mut state.ready);
        workspace.waiting = std::mem::take(&mut state.waiting);
        self.plan.spare.put(workspace);
    }
}
