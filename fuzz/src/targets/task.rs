//! Tasks as a page hands them in, compiled: parameters and keys are chosen.

use super::literal::tasks;
use super::{Limits, Target};
use crate::json;
use crate::watch::Verdict;
use cipherloom::program::{CompileOptions, Program, TaskLiteral};
use serde::Deserialize;
use serde_json::Value;

/// Trying parameters takes its time.
const LIMITS: Limits = Limits { bytes: 512 << 20, refused: 5000.0, accepted: 10_000.0 };

pub const TARGET: Target = Target { name: "task", run, seeds, mutate: Some(json::mutate), limits: LIMITS };

fn seeds() -> Vec<Vec<u8>> {
    tasks().map(|(n, task)| format!(r#"{{"task":{task},"options":{{"n":{n}}}}}"#).into_bytes()).collect()
}

fn run(text: &[u8]) -> Verdict {
    let Ok(all) = serde_json::from_slice::<Value>(text) else { return Verdict::Refused };
    let Ok(task) = TaskLiteral::deserialize(&all["task"]) else { return Verdict::Refused };
    let options = CompileOptions::deserialize(&all["options"]).unwrap_or_default();
    let Ok(program) = Program::compile(task, &options) else { return Verdict::Refused };
    let again = Program::from_bytes(&program.bytes()).map(|again| again.id());
    assert_eq!(again, Ok(program.id()), "a program's own bytes give the program");
    Verdict::Accepted
}
