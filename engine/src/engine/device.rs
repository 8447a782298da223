//! Operators of a device: what a plan says of them, and how a run hands them to whoever has the device.
//!
//! The run *encodes* those that are ready, wave by wave, into a [`Submission`]: operators of one shader that do not wait for each other are one dispatch. One that
//! is encoded releases those of the device that wait for it, since a device keeps the order of what it is given. Those of the host hear of it when the submission has
//! [landed](Run::landed): only downloads have such, for whom the host's memory is written then.
//!
//! The run knows no device: what becomes of submissions is its caller's affair. They land in the order in which they were encoded.

use super::Input;
use super::plan::{Home, Place, Plan};
use super::run::{Run, State};
use super::trace::Span;
use crate::math::checksum::checksum;
use crate::platform::Kernel;
use crate::platform::gpu::Shader;
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of one submission's uploads, about: they lie twice in the host's memory until it has been handed over.
const MOST_BYTES: usize = 1 << 25;

/// Operators that one dispatch can have: its workgroups along y.
const MOST_TOGETHER: usize = 65_535;

/// Where a part of a buffer that is bound may begin, bytes.
const ALIGNMENT: usize = 256;

/// What a device has to know of a plan.
pub struct OnDevice {
    /// Words of its memory.
    words: usize,
    shaders: Vec<Arc<Shader>>,
    tables: Vec<Table>,
    /// For each kernel its shader and its table.
    kernels: Vec<(u32, u32)>,
    /// For each operator the one of the graph without copies that it is, or was put in for.
    origin: Vec<u32>,
}

/// Words that operators read beside their data.
pub struct Table {
    /// A hash of them: what a device has of it, it need not be given again.
    pub id: [u8; 16],
    shader: Arc<Shader>,
}

impl Table {
    /// The words.
    pub fn words(&self) -> &[u64] {
        &self.shader.table
    }
}

impl OnDevice {
    /// Of kernels by number, and a memory of so many words.
    pub(super) fn new(kernels: &[Kernel], words: usize, origin: Vec<u32>) -> Self {
        let (mut shaders, mut tables): (Vec<Arc<Shader>>, Vec<Table>) = (Vec::new(), Vec::new());
        let (mut texts, mut ids) = (HashMap::new(), HashMap::new());
        let mut numbers = |shader: &Arc<Shader>| {
            let number = *texts.entry(shader.source.clone()).or_insert_with(|| {
                shaders.push(Arc::clone(shader));
                shaders.len() as u32 - 1
            });
            let id = checksum(bytemuck::cast_slice(&shader.table));
            let table = *ids.entry(id).or_insert_with(|| {
                tables.push(Table { id, shader: Arc::clone(shader) });
                tables.len() as u32 - 1
            });
            (number, table)
        };
        let of = |kernel: &Kernel| match kernel {
            Kernel::Device(shader) => numbers(shader),
            _ => (u32::MAX, u32::MAX),
        };
        let kernels = kernels.iter().map(of).collect();
        Self { words, shaders, tables, kernels, origin }
    }

    /// Words of memory that a run takes there.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Its shaders, by number; what these say of one operator, its record says.
    pub fn shaders(&self) -> impl Iterator<Item = &Shader> {
        self.shaders.iter().map(|shader| &**shader)
    }

    /// Its tables, by number.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The operator of the graph without copies that one of the planned graph is, or was put in for.
    pub(super) fn origin(&self, op: u32) -> u32 {
        self.origin[op as usize]
    }
}

/// What a device has to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Copies words from the submission's bytes, from that one on, to word `to` of the memory.
    Upload {
        /// First byte.
        from: usize,
        /// First word there.
        to: u32,
        /// How many.
        words: u32,
    },
    /// Copies words of an input that the device keeps.
    Kept {
        /// Number of the input.
        input: u32,
        /// First word of it.
        from: u32,
        /// First word there.
        to: u32,
        /// How many.
        words: u32,
    },
    /// Runs all passes of a shader on some operators.
    Dispatch {
        /// Its number.
        shader: u32,
        /// Where in the submission's bytes their records begin.
        from: usize,
        /// Bytes of all records.
        bytes: usize,
        /// The operators.
        ops: Vec<u32>,
    },
    /// Copies words of the memory to what comes back, from its word `to` on.
    Download {
        /// First word there.
        from: u32,
        /// First word of what comes back.
        to: u32,
        /// How many.
        words: u32,
    },
}

/// What is handed to a device in one go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    /// Uploads and records.
    pub bytes: Vec<u8>,
    /// What is to be done.
    pub commands: Vec<Command>,
    /// Words that come back.
    pub downloads: usize,
    /// What it costs, in the unit of [`crate::platform::Platform::cost`].
    pub cost: f64,
}

/// A submission that has not landed.
pub(super) struct Flight {
    /// All operators.
    ops: Vec<u32>,
    /// Those whose results come back, in order.
    downloads: Vec<u32>,
    words: usize,
    start: f64,
}

/// What a run knows of the device that it is given.
#[derive(Default)]
pub(super) struct Given {
    /// Where each table begins there, words.
    tables: Vec<u32>,
    /// Which inputs it keeps.
    kept: Vec<bool>,
}

impl Run {
    /// Says where tables of the plan begin in the device's table memory, in words, and which inputs the device keeps; no others are copied from the host but once in the run.
    pub fn open_device(&mut self, tables: Vec<u32>, kept: Vec<bool>) {
        self.given = Given { tables, kept };
    }

    /// The inputs, for which somebody else than this run holds some: a device may keep these for later runs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Takes the inputs out of a run that does not go on.
    pub fn take_inputs(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.inputs)
    }

    /// True where operators wait to be encoded.
    pub fn has_device_work(&self) -> bool {
        !self.lock().device.is_empty()
    }

    /// Takes operators that are ready for the device, and what becomes ready by these, until they cost about `budget`; none where there are none. They are done
    /// once it has [landed](Run::landed).
    pub fn encode(&mut self, budget: f64) -> Option<Submission> {
        let plan = Arc::clone(&self.plan);
        let device = plan.device.as_ref()?;
        // What is the same in every run may be among what goes there.
        if self.once < plan.once.len() {
            return None;
        }
        let mut submission = Submission::default();
        let mut flight = Flight { ops: Vec::new(), downloads: Vec::new(), words: 0, start: 0.0 };
        let mut state = self.lock();
        loop {
            let mut ready = std::mem::take(&mut state.device);
            // What is one dispatch lies together.
            let key = |op: u32| {
                let kernel = plan.kernel_number(op);
                (device.kernels[kernel as usize].0, kernel, op)
            };
            ready.sort_unstable_by_key(|&op| key(op));
            let (mut taken, wave) = (0, submission.commands.len());
            for &op in &ready {
                if submission.cost >= budget || submission.bytes.len() >= MOST_BYTES {
                    break;
                }
                taken += 1;
                submission.cost += plan.cost(op);
                self.encode_operator((&plan, device, op), wave, &mut submission, &mut flight);
            }
            state.device.extend_from_slice(&ready[taken..]);
            for &op in &ready[..taken] {
                let download = matches!(plan.step(op).kernel, Kernel::Download);
                self.release_some(&mut state, op, |next| !download || plan.is_device(next));
            }
            flight.ops.extend_from_slice(&ready[..taken]);
            if taken == 0 {
                break;
            }
        }
        state.attention = false;
        if flight.ops.is_empty() {
            return None;
        }
        submission.downloads = flight.words;
        flight.start = if self.traced { (self.clock)() } else { 0.0 };
        state.flights.push_back(flight);
        Some(submission)
    }

    /// Writes down what is to be done for one operator. Operators of one shader and one wave, whose commands begin at number `wave`, are one command.
    fn encode_operator(
        &self,
        (plan, device, op): (&Plan, &OnDevice, u32),
        wave: usize,
        submission: &mut Submission,
        flight: &mut Flight,
    ) {
        let step = plan.step(op);
        let word = |place: Place| (place.range().0 / 8) as u32;
        let home = if let Home::Device(from) = step.output { from as u32 } else { 0 };
        let Submission { bytes, commands, .. } = submission;
        match step.kernel {
            Kernel::Upload => {
                let (place, words) = (step.inputs[0], (step.size / 8) as u32);
                commands.push(match place {
                    Place::Input { port, .. } if self.given.kept.get(port as usize) == Some(&true) => {
                        Command::Kept { input: port, from: word(place), to: home, words }
                    }
                    _ => {
                        // Records are no whole words.
                        let from = bytes.len().next_multiple_of(8);
                        bytes.resize(from, 0);
                        bytes.extend_from_slice(self.read(place));
                        Command::Upload { from, to: home, words }
                    }
                });
            }
            Kernel::Download => {
                let (to, words) = (flight.words as u32, (step.size / 8) as u32);
                commands.push(Command::Download { from: word(step.inputs[0]), to, words });
                flight.words += words as usize;
                flight.downloads.push(op);
            }
            Kernel::Device(shader) => {
                let (number, table) = device.kernels[plan.kernel_number(op) as usize];
                let last = commands[wave..].last();
                let joins = |command: &Command| matches!(command, Command::Dispatch { shader, ops, .. } if *shader == number && ops.len() < MOST_TOGETHER);
                if !last.is_some_and(joins) {
                    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
                    let from = bytes.len();
                    commands.push(Command::Dispatch { shader: number, from, bytes: 0, ops: Vec::new() });
                }
                let start = bytes.len();
                let mut add = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
                add(home);
                step.inputs.iter().for_each(|&place| add(word(place)));
                shader.constants.iter().for_each(|&number| add(number));
                add(self.given.tables.get(table as usize).copied().unwrap_or(0));
                if let Some(Command::Dispatch { bytes: size, ops, .. }) = commands.last_mut() {
                    *size += bytes.len() - start;
                    ops.push(op);
                }
            }
            _ => {}
        }
    }

    /// Takes what comes back of the submission that was encoded first of those that have not landed.
    ///
    /// # Errors
    /// `Job` where there is none; `InputLength` for other bytes than it has, after which it still has not.
    pub fn landed(&mut self, bytes: &[u8]) -> Result<()> {
        let expected = self.lock().flights.front().map(|flight| 8 * flight.words);
        let expected = expected.ok_or(Error::Job("submissions land once they were encoded"))?;
        if bytes.len() != expected {
            let input = "results of a device".to_owned();
            return Err(Error::InputLength { input, found: bytes.len(), expected });
        }
        let Some(Flight { ops, downloads, start, .. }) = self.lock().flights.pop_front() else {
            return Ok(());
        };
        let plan = Arc::clone(&self.plan);
        let mut at = 0;
        for &op in &downloads {
            let step = plan.step(op);
            if let Home::Arena(from) = step.output {
                let out: &mut [u8] = bytemuck::cast_slice_mut(self.write(from, step.size));
                out.copy_from_slice(&bytes[at..at + step.size]);
            }
            at += step.size;
        }
        let end = if self.traced { (self.clock)() } else { 0.0 };
        let mut state = self.lock();
        state.done += ops.len();
        if let Some(started) = self.started.filter(|_| self.traced) {
            self.note(&mut state, &ops, (start - started, end - started));
        }
        for &op in &downloads {
            self.release_some(&mut state, op, |next| !plan.is_device(next));
        }
        Ok(())
    }

    /// Lanes of their own for what a device does, beside the threads and what is computed elsewhere: one for what it computes, and one for what is copied there and back. A
    /// submission begins when it was handed over and the one before it was done; its time is shared out by what its operators cost.
    fn note(&self, state: &mut State, ops: &[u32], (start, end): (f64, f64)) {
        let lane = super::sync::current_num_threads().max(1) as u32 + 1;
        let start = start.max(state.device_free).min(end);
        state.device_free = end;
        let total: f64 = ops.iter().map(|&op| self.plan.cost(op)).sum();
        let mut at = start;
        for &op in ops {
            let copied = matches!(self.plan.step(op).kernel, Kernel::Upload | Kernel::Download);
            let thread = lane + u32::from(copied);
            let until = at + (end - start) * self.plan.cost(op) / total.max(f64::MIN_POSITIVE);
            state.trace.spans.push(Span { op, thread, start: at, end: until });
            at = until;
        }
    }
}
