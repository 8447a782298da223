//! The program of a task as the evaluator runs it, over residues that mean nothing: its time does not depend on them.

use crate::circuit::Resident;
use cipherloom::engine::Input;
use cipherloom::graph::ValueType;
use cipherloom::platform::Simd;
use cipherloom::tasks::{Options, Program};
use wasm_bindgen::prelude::*;

type Result<T> = std::result::Result<T, JsError>;

/// A compiled task, planned.
#[wasm_bindgen]
pub struct Task(Resident);

#[wasm_bindgen]
impl Task {
    /// Compiles a task literal (JSON) with the default options.
    #[wasm_bindgen(constructor)]
    pub fn new(literal: &str) -> Result<Task> {
        let program = Program::compile(serde_json::from_str(literal)?, &Options::default())?;
        let platform = Simd::new();
        let graph = program.base(&platform)?;
        let parameters = program.parameters().literal();
        let primes = parameters.q.iter().chain(&parameters.special);
        let limit = primes.min().copied().unwrap_or(2);
        let data = graph.inputs().iter().map(|port| words(graph.ty(port.operand), limit)).collect();
        Ok(Self(Resident::new(&graph, &platform, data)?))
    }

    /// See [`crate::operators::Operators::run`].
    pub fn run(&self) -> Result<()> {
        self.0.start()?.finish();
        Ok(())
    }

    /// The same kernels on the same storage in a fixed order, without the engine's scheduling.
    #[wasm_bindgen(js_name = runStraight)]
    pub fn run_straight(&self) -> Result<()> {
        Ok(self.0.start()?.finish_straight()?)
    }

    /// See [`crate::operators::Operators::start`].
    pub fn start(&self) -> Result<()> {
        drop(self.0.start()?);
        Ok(())
    }

    /// Throws unless both ways give the same words.
    pub fn check(&self) -> Result<()> {
        Ok(self.0.check_straight()?)
    }

    /// Base operators of one run.
    pub fn operators(&self) -> usize {
        self.0.plan().len()
    }
}

fn words(ty: &ValueType, limit: u64) -> Input {
    let mut x = ty.size;
    let next = |_| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x ^ (x >> 29)) % limit
    };
    (0..ty.size).map(next).collect::<Vec<u64>>().into()
}
