//! A resumable piece of work with a result in bytes or numbers.

use super::Execution;
use crate::engine::{Input, Outgoing, Run, Trace};
use crate::values::Exact;
use crate::{Error, Result};
use std::sync::Arc;

/// An object's bytes, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Names of an input, or of all values that share its ciphertexts.
    pub names: Vec<String>,
    /// Its byte form.
    pub bytes: Vec<u8>,
    /// True where whoever takes a copy of the bytes overwrites these.
    pub secret: bool,
}

/// What a finished job gives.
pub enum Outcome {
    /// One object's bytes.
    Bytes(Vec<u8>),
    /// Several objects' bytes.
    Objects(Vec<Named>),
    /// Each output of a task.
    Cells(Vec<OutputCells>),
}

/// What an output of a task came to.
pub struct OutputCells {
    /// Its name.
    pub name: String,
    /// Its cells; `NoValue` where these data give none.
    pub cells: Result<Exact>,
    /// Measured noise budget of the worst ciphertext that it comes from, bits; infinite where nothing was encrypted. None under CKKS, where noise is part of the
    /// result, and of results that may be published, since it tells of the key.
    pub budget: Option<f64>,
    /// The most that one of its numbers may be off, by the bounds of what was decrypted and of what was made of it; none where none is, or where that is not known.
    pub error: Option<f64>,
}

type Finish = Box<dyn FnOnce(&Run) -> Result<Outcome> + Send>;

/// A run over the same inputs that needs no device.
type Instead = Box<dyn FnOnce(Vec<Input>) -> Result<Run> + Send>;

/// A run and what is to be made of its outputs. Dropping an unfinished job cancels it.
pub struct Job {
    run: Run,
    finish: Option<Finish>,
    instead: Option<Instead>,
    /// What checks results of operators that are computed elsewhere.
    execution: Option<Arc<Execution>>,
}

impl Job {
    /// A job over a run; `finish` makes the result of its outputs.
    pub fn new(run: Run, finish: impl FnOnce(&Run) -> Result<Outcome> + Send + 'static) -> Self {
        Self { run, finish: Some(Box::new(finish)), instead: None, execution: None }
    }

    /// The same for a run of that execution, which checks what is delivered.
    pub fn of(
        execution: Arc<Execution>,
        run: Run,
        finish: impl FnOnce(&Execution, &Run) -> Result<Outcome> + Send + 'static,
    ) -> Self {
        let own = Arc::clone(&execution);
        Self { execution: Some(execution), ..Self::new(run, move |run| finish(&own, run)) }
    }

    /// The same job; `instead` makes a run over its inputs, by other kernels, for when its device is lost.
    #[must_use]
    pub fn with_instead(self, instead: impl FnOnce(Vec<Input>) -> Result<Run> + Send + 'static) -> Self {
        Self { instead: Some(Box::new(instead)), ..self }
    }

    /// The run, for whoever has its device.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The same, to be gone on with.
    pub fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }

    /// Begins anew without the device, over what the host still has: the inputs. What was handed out is handed out again, by other numbers.
    ///
    /// # Errors
    /// `Job` for a job that has no device; what planning says.
    pub fn fall_back(&mut self) -> Result<()> {
        let instead = self.instead.take().ok_or(Error::Job("only jobs on a device fall back"))?;
        let inputs = self.run.take_inputs();
        let traced = self.run.is_traced();
        // Of two runs one has memory.
        self.run.discard();
        self.run = instead(inputs)?;
        self.run.set_trace(traced);
        Ok(())
    }

    /// Works for about that long; true when done. See [`Run::step`].
    pub fn step(&mut self, milliseconds: f64) -> bool {
        self.run.step(milliseconds)
    }

    /// See [`Run::waits`].
    pub fn waits(&self) -> bool {
        self.run.waits()
    }

    /// See [`Run::hand_out`].
    ///
    /// # Errors
    /// As there.
    pub fn hand_out(&mut self) -> Result<Vec<Outgoing>> {
        self.run.hand_out()
    }

    /// See [`Execution::deliver`].
    ///
    /// # Errors
    /// As there.
    pub fn deliver(&mut self, op: u32, bytes: &[u8]) -> Result<()> {
        match &self.execution {
            Some(execution) => execution.deliver(&mut self.run, op, bytes),
            None => self.run.deliver(op, bytes),
        }
    }

    /// (operators done, all operators).
    pub fn progress(&self) -> (usize, usize) {
        self.run.progress()
    }

    /// Notes what runs where and when, from now on.
    pub fn set_trace(&mut self, on: bool) {
        self.run.set_trace(on);
    }

    /// What ran so far.
    pub fn trace(&self) -> Trace {
        self.run.trace()
    }

    /// The graph that is run.
    pub fn graph(&self) -> &crate::graph::Graph {
        self.run.plan().graph()
    }

    /// The result, once.
    ///
    /// # Errors
    /// `Job` before the end or a second time; `NoiseExhausted` when decryption would give a wrong number.
    pub fn take(&mut self) -> Result<Outcome> {
        let (done, all) = self.run.progress();
        if done < all {
            return Err(Error::Job("the result is taken after the last step"));
        }
        let finish = self.finish.take().ok_or(Error::Job("the result was taken before"))?;
        finish(&self.run)
    }

    /// Runs to the end and takes the result.
    ///
    /// # Errors
    /// As [`Job::take`].
    pub fn complete(mut self) -> Result<Outcome> {
        self.run.finish();
        self.take()
    }
}
