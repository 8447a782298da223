//! The road of a task for tests: everything between a literal and decrypted numbers, in one process.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use cipherloom::engine::Clock;
use cipherloom::platform::{Platform, Scalar};
use cipherloom::program::{
    Client, CompileOptions, Evaluator, Job, Named, Outcome, OutputValues, Program, TaskLiteral, Values,
};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

pub const CLOCK: Clock = || {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
};

pub type Data<'a> = Vec<(&'a str, Vec<i64>, Option<Vec<u8>>)>;
pub type Results = BTreeMap<String, OutputValues>;

pub fn task(json: &str) -> TaskLiteral {
    serde_json::from_str(json).unwrap()
}

pub fn bytes(job: Job) -> Vec<u8> {
    match job.complete().unwrap() {
        Outcome::Bytes(bytes) => bytes,
        _ => panic!("expected bytes"),
    }
}

pub fn objects(job: Job) -> Vec<Named> {
    match job.complete().unwrap() {
        Outcome::Objects(objects) => objects,
        _ => panic!("expected objects"),
    }
}

/// One program, its client and its evaluator with all keys loaded.
pub struct Road {
    pub program: Arc<Program>,
    pub client: Client,
    pub evaluator: Evaluator,
}

impl Road {
    pub fn new(task: TaskLiteral) -> Self {
        let mut road = Self::without_keys(task);
        road.load_keys();
        road
    }

    pub fn load_keys(&mut self) {
        for key in self.keys() {
            self.evaluator.load_key(&key).unwrap();
        }
    }

    pub fn without_keys(task: TaskLiteral) -> Self {
        Self::on(Arc::new(Scalar::new()), task)
    }

    /// Without keys, on a platform.
    pub fn on(platform: Arc<dyn Platform>, task: TaskLiteral) -> Self {
        Self::with(Arc::new(Program::compile(task, &CompileOptions::default()).unwrap()), platform)
    }

    /// Of a program that is there, without keys, on a platform.
    pub fn with(program: Arc<Program>, platform: Arc<dyn Platform>) -> Self {
        let evaluator = Evaluator::new(&program.bytes(), &*platform, CLOCK).unwrap();
        let client = Client::new(Arc::clone(&program), platform, CLOCK).unwrap();
        Self { program, client, evaluator }
    }

    pub fn keys(&self) -> Vec<Vec<u8>> {
        let count = self.program.keys().map_or(0, |k| k.names.len());
        (0..count).map(|index| bytes(self.client.key(index).unwrap())).collect()
    }

    pub fn encrypt(&self, data: &Data<'_>) -> Vec<Vec<u8>> {
        let values =
            data.iter().map(|(input, values, present)| Values { input, values, present: present.as_deref() });
        let job = self.client.encrypt(&values.collect::<Vec<_>>()).unwrap();
        objects(job).into_iter().map(|object| object.bytes).collect()
    }

    pub fn evaluate(&self, inputs: &[Vec<u8>]) -> Vec<Named> {
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        objects(self.evaluator.run(&inputs).unwrap())
    }

    pub fn decrypt(&self, outputs: &[Named]) -> Results {
        let of = |name: &String| outputs.iter().find(|object| object.names.contains(name));
        let names = self.program.task().outputs.iter().map(|output| &output.name);
        let wanted: Vec<(&str, &[u8])> =
            names.map(|name| (name.as_str(), of(name).map_or(&[][..], |object| &object.bytes))).collect();
        match self.client.decrypt(&wanted, None).unwrap().complete().unwrap() {
            Outcome::Values(values) => values.into_iter().collect(),
            _ => panic!("expected values"),
        }
    }

    pub fn run(&self, data: &Data<'_>) -> Results {
        self.decrypt(&self.evaluate(&self.encrypt(data)))
    }
}

pub fn numbers(seed: u64, rows: usize, min: i64, max: i64) -> Vec<i64> {
    let mut x = seed;
    (0..rows)
        .map(|_| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            min + ((x >> 33) as i64).rem_euclid(max - min + 1)
        })
        .collect()
}

pub fn part(values: &OutputValues, name: &str) -> i128 {
    values.parts[name][0]
}
