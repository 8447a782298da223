//! What hostile bytes are loaded into: a small program with its client, inputs and results; and what all programs under test run on.

use super::edits::Pristine;
use super::targets::task;
use cipherloom::circuit::{Job, Named, Outcome};
use cipherloom::engine::Clock;
use cipherloom::graph::Graph;
use cipherloom::ops::types::Ciphertext;
use cipherloom::platform::{Platform, Simd};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Passes, Program};
use cipherloom::values::Exact;
use cipherloom::{Error, Result};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

/// Milliseconds since the first call.
pub const CLOCK: Clock = || {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
};

/// The platform that all run on: the one that ships, in its native form.
pub fn platform() -> Arc<dyn Platform> {
    static PLATFORM: LazyLock<Arc<dyn Platform>> = LazyLock::new(|| Arc::new(Simd::new()));
    Arc::clone(&PLATFORM)
}

/// Options for programs whose sums are made by turns, which take keys.
pub fn turning() -> Options {
    Options { passes: Passes { extract: false, ..Passes::ALL }, ..Options::default() }
}

/// The bytes that a job gives, with the names in them.
///
/// # Errors
/// As [`Job::complete`].
pub fn objects(job: Job) -> Result<Vec<Named>> {
    match job.complete()? {
        Outcome::Bytes(bytes) => Ok(vec![Named { names: vec![], bytes, secret: false }]),
        Outcome::Objects(objects) => Ok(objects),
        Outcome::Cells(_) => Err(Error::Job("objects are expected here")),
    }
}

/// A small program with all that travels.
pub struct Road {
    /// The program.
    pub program: Arc<Program>,
    /// The client whose data the rest is.
    pub client: Client,
    /// An evaluator; the program needs no keys.
    pub evaluator: Evaluator,
    /// The encrypted inputs.
    pub inputs: Vec<Pristine>,
    /// The results.
    pub outputs: Vec<Pristine>,
}

/// The road, made once.
pub static ROAD: LazyLock<Road> = LazyLock::new(|| road().expect("a road to fuzz"));

fn road() -> Result<Road> {
    // No threads: what an input covers must not depend on who took which piece of work.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    let ty = r#"value[1]{kind="integer", shape=[6], where="encrypted"}"#;
    let literal = task(ty, "value.add", "", &[0, 1]);
    let literal = Literal::deserialize(literal).expect("a task");
    let program = Arc::new(Program::compile(literal, &Options { n: Some(2048), ..Options::default() })?);
    let client = Client::new(Arc::clone(&program), platform(), CLOCK)?;
    let evaluator = Evaluator::new(&program.bytes(), &*platform(), CLOCK)?;
    let cells = Exact::integers(0..6).into();
    let encrypted = objects(client.encrypt(&[("a", &cells), ("b", &cells)])?)?;
    let given: Vec<(&str, &[u8])> =
        encrypted.iter().map(|v| (v.names[0].as_str(), v.bytes.as_slice())).collect();
    let results = objects(evaluator.run(&given, &SortedMap::new())?)?;
    let limbs = |graph: &Graph, name: &str, given: bool| -> Result<Vec<u64>> {
        let ports = if given { graph.inputs() } else { graph.outputs() };
        let own = ports.iter().filter(|port| port.name.starts_with(&format!("{name}[")));
        // What is given travels without its uniform half.
        let half = |ty: Ciphertext| ty.q.repeat(if given { 1 } else { ty.parts });
        let own = own.map(|port| Ciphertext::of(graph.ty(port.operand)).map(half));
        Ok(own.collect::<Result<Vec<_>>>()?.concat())
    };
    let pristine = |object: &Named, given| {
        let limbs = limbs(program.scheme(), &object.names[0], given)?;
        Ok(Pristine::new(object.bytes.clone(), 2048, &limbs))
    };
    let inputs = encrypted.iter().map(|object| pristine(object, true)).collect::<Result<_>>()?;
    let outputs = results.iter().map(|object| pristine(object, false)).collect::<Result<_>>()?;
    Ok(Road { program, client, evaluator, inputs, outputs })
}
