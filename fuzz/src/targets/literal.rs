//! Programs, as the literal inside their bytes: task and parameters.

use super::Target;
use super::program::LIMITS;
use crate::container::{content, sealed};
use crate::json;
use crate::road::{CLOCK, compile, platform, road};
use crate::watch::Verdict;
use cipherloom::program::{Evaluator, Program};
use std::sync::LazyLock;

pub const TARGET: Target = Target { name: "literal", run, seeds, mutate: Some(json::mutate), limits: LIMITS };

/// Ring and task of programs to start from: every operator of a task, both layouts.
const TASKS: [(usize, &str, &str, usize); 11] = [
    (2048, r#""max":"9""#, r#"{"op":"stats.sum","inputs":[0]}"#, 1),
    (2048, r#""max":"9""#, r#"{"op":"column.add","inputs":[0,0]},{"op":"column.negate","inputs":[1]}"#, 2),
    (2048, r#""max":"9","missing":true"#, r#"{"op":"stats.mean","inputs":[0]}"#, 1),
    (2048, r#""max":"9""#, r#"{"op":"column.add_plain","inputs":[0],"attrs":{"scalar":"5"}}"#, 1),
    (
        2048,
        r#""max":"9""#,
        r#"{"op":"column.multiply_plain","inputs":[0],"attrs":{"values":["1","2","3"]}}"#,
        1,
    ),
    (2048, r#""max":"9""#, r#"{"op":"stats.count","inputs":[0]},{"op":"column.sub","inputs":[0,0]}"#, 2),
    (4096, r#""max":"9""#, r#"{"op":"column.multiply","inputs":[0,0]}"#, 1),
    (4096, r#""max":"9""#, r#"{"op":"stats.variance","inputs":[0],"attrs":{"population":1}}"#, 1),
    (
        4096,
        r#""max":"9","layout":"slots""#,
        r#"{"op":"column.rotate_rows","inputs":[0],"attrs":{"steps":1}}"#,
        1,
    ),
    (4096, r#""max":"9","layout":"slots""#, r#"{"op":"column.rotate_columns","inputs":[0]}"#, 1),
    (
        8192,
        r#""max":"9""#,
        r#"{"op":"stats.covariance","inputs":[0,0]},{"op":"stats.correlation","inputs":[0,0]}"#,
        1,
    ),
];

/// The tasks to start from, as JSON.
pub(super) fn tasks() -> impl Iterator<Item = (usize, String)> {
    TASKS.into_iter().map(|(n, input, nodes, output)| {
        let input = format!(r#"{{"name":"a","rows":3,"min":"0",{input}}}"#);
        let outputs = format!(r#"{{"name":"y","operand":{output}}}"#);
        (n, format!(r#"{{"inputs":[{input}],"nodes":[{nodes}],"outputs":[{outputs}]}}"#))
    })
}

/// The programs of these tasks.
pub(super) fn programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let all: Vec<Program> = tasks().filter_map(|(n, task)| compile(&task, n).ok()).collect();
        assert!(all.len() > TASKS.len() / 2, "only {} tasks to start from compile", all.len());
        all
    });
    &PROGRAMS
}

/// Loads a program, also as an evaluator does where `thorough` is true.
///
/// # Panics
/// When a program that was taken does not come back to itself.
pub(super) fn load(bytes: &[u8], thorough: bool) -> Verdict {
    let Ok(program) = Program::from_bytes(bytes) else { return Verdict::Refused };
    assert!(program.parameters().total_bits() <= f64::from(program.parameters().max_bits()));
    if !thorough {
        return Verdict::Accepted;
    }
    let again = Program::from_bytes(&program.bytes()).map(|again| again.id());
    assert_eq!(again, Ok(program.id()), "a program's own bytes give the program");
    // What a run of it would need may be more than there is.
    if let Err(error) = Evaluator::new(bytes, &*platform(), CLOCK) {
        assert_eq!(error.code(), "memory.limit", "{error}");
    }
    Verdict::Accepted
}

/// How long the length before the literal is.
const LENGTH: usize = 4;

fn text(program: &Program) -> Vec<u8> {
    let bytes = program.bytes();
    let (length, text) = content(&bytes).split_at(LENGTH);
    assert_eq!(length, (text.len() as u32).to_le_bytes(), "a program's content is a text");
    text.to_vec()
}

fn seeds() -> Vec<Vec<u8>> {
    programs().iter().map(text).collect()
}

fn run(text: &[u8]) -> Verdict {
    static LIKE: LazyLock<Vec<u8>> = LazyLock::new(|| road().program.bytes());
    let content = [&(text.len() as u32).to_le_bytes()[..], text].concat();
    load(&sealed(&LIKE, &content), true)
}
