//! A small program with its client, keys, inputs and outputs: what hostile bytes are loaded into.

use super::edits::Pristine;
use cipherloom::engine::Clock;
use cipherloom::ops::types::Ciphertext;
use cipherloom::platform::{Platform, Simd};
use cipherloom::program::{
    Client, CompileOptions, Evaluator, Job, Named, Outcome, OutputValues, Program, TaskLiteral, Values,
};
use cipherloom::schemes::columns::output_ciphertexts;
use cipherloom::{Error, Result};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

/// Milliseconds since the first call.
pub const CLOCK: Clock = || {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
};

/// A sum, which needs keys, and a column, over two inputs.
const TASK: &str = r#"{"inputs":[{"name":"a","rows":10,"min":"0","max":"9"},{"name":"b","rows":10,"min":"0","max":"9"}],
    "nodes":[{"op":"stats.sum","inputs":[0]},{"op":"column.add","inputs":[0,1]},{"op":"stats.count","inputs":[0]}],
    "outputs":[{"name":"s","operand":2},{"name":"d","operand":3},{"name":"n","operand":4}]}"#;

/// Everything of one program, with the smallest ring that carries it.
pub struct Road {
    /// The program.
    pub program: Arc<Program>,
    /// The client whose keys and data the rest is.
    pub client: Client,
    /// An evaluator with all keys.
    pub evaluator: Evaluator,
    /// The evaluation keys.
    pub keys: Vec<Pristine>,
    /// The encrypted inputs.
    pub inputs: Vec<Pristine>,
    /// The encrypted outputs.
    pub outputs: Vec<Pristine>,
    /// The run that they are of.
    pub run: [u8; 16],
}

static ROAD: LazyLock<Road> = LazyLock::new(|| Road::new().expect("a road to fuzz"));

/// The road, made once.
pub fn road() -> &'static Road {
    &ROAD
}

/// The platform that all run on: the one that ships, in its native form.
pub fn platform() -> Arc<dyn Platform> {
    static PLATFORM: LazyLock<Arc<dyn Platform>> = LazyLock::new(|| Arc::new(Simd::new()));
    Arc::clone(&PLATFORM)
}

/// A task from its JSON form.
pub fn task(json: &str) -> TaskLiteral {
    serde_json::from_str(json).expect("a task")
}

/// A program with a given ring.
///
/// # Errors
/// As [`Program::compile`].
pub fn compile(json: &str, n: usize) -> Result<Program> {
    Program::compile(task(json), &CompileOptions { n: Some(n), ..CompileOptions::default() })
}

/// The bytes that a job gives, with the names in them.
///
/// # Errors
/// As [`Job::complete`].
pub fn objects(job: Job) -> Result<Vec<Named>> {
    match job.complete()? {
        Outcome::Bytes(bytes) => Ok(vec![Named { names: vec![], bytes, secret: false }]),
        Outcome::Objects(objects) => Ok(objects),
        Outcome::Values(_) | Outcome::Cells(_) => Err(Error::Job("objects are expected here")),
    }
}

/// The numbers that a job gives.
///
/// # Errors
/// As [`Job::complete`].
pub fn values(job: Job) -> Result<Vec<(String, OutputValues)>> {
    match job.complete()? {
        Outcome::Values(values) => Ok(values),
        _ => Err(Error::Job("numbers are expected here")),
    }
}

impl Road {
    fn new() -> Result<Self> {
        // No threads: what an input covers must not depend on who took which piece of work.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        let program = Arc::new(compile(TASK, 2048)?);
        let client = Client::new(Arc::clone(&program), platform(), CLOCK)?;
        let mut evaluator = Evaluator::new(&program.bytes(), &*platform(), CLOCK)?;
        let mut keys = Vec::new();
        for index in 0..program.keys().map_or(0, |k| k.names.len()) {
            keys.push(key(&program, &client, index)?);
        }
        for key in &keys {
            evaluator.load_key(&key.bytes)?;
        }
        let values: Vec<i64> = (0..10).collect();
        let given = ["a", "b"].map(|input| Values { input, values: &values, present: None });
        let encrypted = objects(client.encrypt(&given)?)?;
        let bytes: Vec<&[u8]> = encrypted.iter().map(|object| object.bytes.as_slice()).collect();
        let results = objects(evaluator.run(&bytes)?)?;
        let checksums = bytes.iter().filter_map(|bytes| bytes.last_chunk().copied());
        let run = program.run_id(&checksums.collect::<Vec<_>>());
        let n = program.parameters().literal().n;
        let inputs =
            encrypted.iter().map(|object| Pristine::new(object.bytes.clone(), n, &input_limbs(&program)));
        let inputs = inputs.collect();
        let outputs = results.into_iter().map(|object| {
            let limbs = output_limbs(&program, &object.names)?;
            Ok(Pristine::new(object.bytes, n, &limbs))
        });
        let outputs = outputs.collect::<Result<_>>()?;
        Ok(Self { program, client, evaluator, keys, inputs, outputs, run })
    }
}

/// An evaluation key.
fn key(program: &Program, client: &Client, index: usize) -> Result<Pristine> {
    let bytes = objects(client.key(index)?)?.remove(0).bytes;
    let keys = program.keys().ok_or(Error::Job("the program has keys"))?;
    let ty = keys.key(&keys.names[index]);
    let limbs: Vec<u64> = (0..2 * ty.digits()).flat_map(|_| ty.all()).collect();
    Ok(Pristine::new(bytes, ty.n, &limbs))
}

/// The primes of the limbs of an input of one ciphertext for each plaintext modulus.
fn input_limbs(program: &Program) -> Vec<u64> {
    let l = program.parameters().literal();
    l.q.repeat(2 * l.t.len())
}

/// The primes of the limbs of the ciphertexts that travel with these outputs, none of which they share.
fn output_limbs(program: &Program, names: &[String]) -> Result<Vec<u64>> {
    let graph = program.scheme();
    let mut limbs = Vec::new();
    for port in graph.outputs().iter().filter(|port| names.contains(&port.name)) {
        for ciphertext in output_ciphertexts(graph.ty(port.operand))? {
            let Ciphertext { q, parts, .. } = ciphertext.ty;
            limbs.extend(q.repeat(parts));
        }
    }
    Ok(limbs)
}
