//! A platform that notes what its samplers were given.

use cipherloom::Result;
use cipherloom::graph::ValueType;
use cipherloom::ops::Call;
use cipherloom::platform::{Kernel, Platform, Simd, WordKernel};
use std::sync::{Arc, Mutex};

/// One use of a sampler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draw {
    pub op: String,
    pub seed: Vec<u64>,
    /// The number of the stream.
    pub nonce: u32,
}

/// All of them, in the order in which they were made.
pub type Draws = Arc<Mutex<Vec<Draw>>>;

#[derive(Default)]
pub struct Recorder {
    simd: Simd,
    pub draws: Draws,
}

struct Sampler {
    op: String,
    kernel: Kernel,
    draws: Draws,
}

impl WordKernel for Sampler {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], nonce: u32) {
        let draw = Draw { op: self.op.clone(), seed: inputs[0].to_vec(), nonce };
        self.draws.lock().unwrap().push(draw);
        self.kernel.run(inputs, out, scratch, nonce);
    }
    fn scratch(&self) -> usize {
        self.kernel.scratch()
    }
}

impl Platform for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }
    fn implements(&self, op: &str) -> bool {
        self.simd.implements(op)
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let kernel = self.simd.kernel(call, output)?;
        if !call.name.starts_with("sample.") {
            return Ok(kernel);
        }
        Ok(Kernel::on_words(Sampler { op: call.name.to_owned(), kernel, draws: Arc::clone(&self.draws) }))
    }
}
